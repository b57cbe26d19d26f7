#if Node
    import InklingTesting
    import NIOCore

    @testable import InklingLinux

    /// A clock of links that stands still until a test moves it.
    final class ManualLinkClock: LinkClock {
        private struct Timer: Sendable {
            let moment: NIODeadline
            let loop: any EventLoop
            let body: @Sendable () -> Void
        }

        private struct State: Sendable {
            var now = ManualLinkClock.start
            var count = 0
            var timers: [Int: Timer] = [:]
        }

        private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        private let state = Watched(State())

        var now: NIODeadline { state.withLock { $0.now } }

        func schedule(
            at moment: NIODeadline, on loop: any EventLoop, _ body: @escaping @Sendable () -> Void
        ) -> LinkTimer {
            let (number, isDue) = state.withLock { state in
                state.count += 1
                state.timers[state.count] = Timer(moment: moment, loop: loop, body: body)
                return (state.count, moment <= state.now)
            }
            if isDue { loop.execute { _ = self.fire(number) } }
            return LinkTimer { [state] in state.withLock { _ = $0.timers.removeValue(forKey: number) } }
        }

        /// The time by which the clock was moved.
        var elapsed: Duration { Self.duration(to: now) }

        /// The planned moments, in order, counted from the creation of the clock.
        var moments: [Duration] {
            state.withLock { $0.timers.values.map { Self.duration(to: $0.moment) }.sorted() }
        }

        /// The number of timers that were set so far.
        var count: Int { state.withLock { $0.count } }

        /// Waits until something is planned for this time after the clock was created.
        func planned(at time: Duration) async {
            await state.wait { $0.timers.values.contains { Self.duration(to: $0.moment) == time } }
        }

        /// Waits until this many timers were set.
        func set(_ count: Int) async { await state.wait { $0.count >= count } }

        /// Moves the clock, fires the due timers on their loops, in order, and returns their number.
        @discardableResult
        func advance(to time: Duration) async throws -> Int {
            let end = Self.start + TimeAmount(time)
            var fired = 0
            while true {
                let due = state.withLock { state -> (number: Int, loop: any EventLoop)? in
                    let next = state.timers.min { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }
                    guard let next, next.value.moment <= end else {
                        state.now = end
                        return nil
                    }
                    state.now = max(state.now, next.value.moment)
                    return (next.key, next.value.loop)
                }
                guard let due else { return fired }
                if try await due.loop.submit({ self.fire(due.number) }).get() { fired += 1 }
            }
        }

        /// Runs on the timer's loop, so that a timer that was cancelled there before does not fire.
        private func fire(_ number: Int) -> Bool {
            guard let timer = state.withLock({ $0.timers.removeValue(forKey: number) }) else { return false }
            timer.body()
            return true
        }

        private static func duration(to moment: NIODeadline) -> Duration { .nanoseconds((moment - start).nanoseconds) }
    }
#endif
