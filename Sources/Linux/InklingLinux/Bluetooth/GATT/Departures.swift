#if Node
    internal import InklingKeys
    internal import InklingNode
    internal import Synchronization

    /// The end of a session, which waits until every device is gone, but not for long.
    final class Departures: Sendable {
        private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])

        /// Returns when `areOver` is true, which is looked at now and at each `note`, or `DeviceRemoval.closing` has
        /// passed.
        func wait(on clock: any NodeClock, until areOver: @Sendable () -> Bool) async {
            let deadline = Task { [weak self] in
                guard (try? await clock.sleep(until: clock.tick.advanced(by: DeviceRemoval.closing))) != nil else {
                    return
                }
                self?.end()
            }
            await withCheckedContinuation { continuation in
                waiters.withLock { $0.append(continuation) }
                if areOver() { end() }
            }
            deadline.cancel()
        }

        /// Ends the wait if nobody is left.
        func note(areOver: Bool) {
            if areOver { end() }
        }

        private func end() {
            let ended = waiters.withLock { waiters in
                defer { waiters = [] }
                return waiters
            }
            for waiter in ended { waiter.resume() }
        }
    }
#endif
