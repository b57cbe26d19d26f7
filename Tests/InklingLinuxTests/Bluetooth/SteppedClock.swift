#if Node
    import InklingKeys
    import InklingNode
    import InklingTesting

    /// A clock that stands still until a test moves it.
    final class SteppedClock: NodeClock {
        private struct State: Sendable {
            var now = SteppedClock.start
            var count = 0
            var sleepers: [Int: (due: Tick, continuation: CheckedContinuation<Void, any Error>)] = [:]
        }

        /// The time that it shows at first.
        static let start = Tick(milliseconds: 1_000_000)
        private let state = Watched(State())

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
                    let isOver = state.withLock { state in
                        guard !Task.isCancelled, state.now < tick else { return true }
                        state.sleepers[number] = (tick, continuation)
                        return false
                    }
                    guard isOver else { return }
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume()
                    }
                }
            } onCancel: {
                let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
                sleeper?.continuation.resume(throwing: CancellationError())
            }
        }

        /// Returns how long the first sleeper sleeps, counted from the start, once there is one.
        func next() async -> Duration? {
            await state.first { state in
                state.sleepers.values.map(\.due).min().map { .milliseconds($0.milliseconds(since: Self.start)) }
            }
        }

        /// Waits until a task sleeps until this time after the start.
        func awaits(_ time: Duration) async {
            let due = Self.start.advanced(by: time)
            await state.wait { $0.sleepers.values.contains { $0.due == due } }
        }

        /// Moves the clock to this time after the start, and wakes the sleepers that are due.
        func advance(to time: Duration) {
            let end = Self.start.advanced(by: time)
            let due = state.withLock { state in
                state.now = max(state.now, end)
                let due = state.sleepers.filter { $0.value.due <= end }
                for number in due.keys { state.sleepers[number] = nil }
                return due.values.sorted { $0.due < $1.due }.map(\.continuation)
            }
            for continuation in due { continuation.resume() }
        }

        /// Moves from moment to moment, each as soon as a task sleeps until it: until the task is cancelled, or the
        /// next moment is after `end`.
        func run(until end: Tick? = nil) async {
            while !Task.isCancelled {
                let next = await state.first { state -> CheckedContinuation<Void, any Error>?? in
                    guard let next = state.sleepers.min(by: { $0.value.due < $1.value.due }) else { return nil }
                    if let end, next.value.due > end { return .some(nil) }
                    state.sleepers[next.key] = nil
                    state.now = max(state.now, next.value.due)
                    return .some(next.value.continuation)
                }
                guard let next, let continuation = next else { return }
                continuation.resume()
            }
        }
    }
#endif
