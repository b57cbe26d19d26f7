import Synchronization

/// A clock that moves only when a test moves it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero

        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var count = 0
        var sleepers: [Int: (due: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    /// The number of sleepers on this clock.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until due: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, due > state.now else { return true }
                    state.sleepers[number] = (due, continuation)
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
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    /// Advances the time, and wakes the sleepers that are due.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
