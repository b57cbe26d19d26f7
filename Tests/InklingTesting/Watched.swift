import Synchronization

/// A value behind a lock; tests can wait for its changes.
public final class Watched<State: Sendable>: Sendable {
    private struct Content: Sendable {
        var state: State
        var count = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let content: Mutex<Content>

    public init(_ state: State) { content = Mutex(Content(state: state)) }

    /// Reads or changes the value.
    @discardableResult
    public func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiters) = content.withLock { content in
            let result = body(&content.state)
            let waiters = Array(content.waiters.values)
            content.waiters = [:]
            return (result, waiters)
        }
        for waiter in waiters { waiter.resume() }
        return result
    }

    /// Returns the first result of `body` that is not nil, as soon as there is one; nil when the task is cancelled before.
    public func first<Result: Sendable>(_ body: (inout State) -> Result?) async -> Result? {
        while true {
            let number = content.withLock { content in
                content.count += 1
                return content.count
            }
            var result: Result?
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = content.withLock { content in
                        result = body(&content.state)
                        guard result == nil, !Task.isCancelled else { return true }
                        content.waiters[number] = continuation
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            } onCancel: {
                content.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
            }
            if let result {
                // The body may have changed the value.
                withLock { _ in }
                return result
            }
            if Task.isCancelled { return nil }
        }
    }

    /// Returns when the value meets a condition, or the task is cancelled.
    public func wait(until condition: (State) -> Bool) async { _ = await first { condition($0) ? () : nil } }
}
