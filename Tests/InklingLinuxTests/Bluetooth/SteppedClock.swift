#if Node
    import InklingKeys
    import InklingNode
    import Synchronization

    /// A clock that stands still until it is told to go to the next moment for which somebody waits.
    final class SteppedClock: NodeClock {
        private struct State {
            var now = Tick(milliseconds: 1_000_000)
            var count = 0
            var sleepers: [Int: (due: Tick, continuation: CheckedContinuation<Void, any Error>)] = [:]
            var cancelled: Set<Int> = []
        }

        private let state = Mutex(State())

        func read() -> ClockReading {
            let now = state.withLock { $0.now }
            return ClockReading(tick: now, unixMilliseconds: 1_800_000_000_000 + now.milliseconds)
        }

        func suspendedMilliseconds() -> UInt64 { 0 }
        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

        func sleep(until tick: Tick) async throws {
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isCancelled = state.withLock { state in
                        if state.cancelled.remove(number) != nil { return true }
                        state.sleepers[number] = (tick, continuation)
                        return false
                    }
                    if isCancelled { continuation.resume(throwing: CancellationError()) }
                }
            } onCancel: {
                let sleeper = state.withLock { state in
                    let sleeper = state.sleepers.removeValue(forKey: number)
                    if sleeper == nil { state.cancelled.insert(number) }
                    return sleeper
                }
                sleeper?.continuation.resume(throwing: CancellationError())
            }
        }

        /// Goes on from moment to moment until the task is cancelled, and not beyond `end`.
        func run(until end: Tick? = nil) async {
            while !Task.isCancelled {
                let next = state.withLock { state in
                    let next = state.sleepers.filter { sleeper in end.map { sleeper.value.due <= $0 } ?? true }
                        .min { $0.value.due < $1.value.due }
                    if let next {
                        state.sleepers[next.key] = nil
                        state.now = max(state.now, next.value.due)
                    }
                    return next
                }
                next?.value.continuation.resume()
                await Task.yield()
            }
        }
    }
#endif
