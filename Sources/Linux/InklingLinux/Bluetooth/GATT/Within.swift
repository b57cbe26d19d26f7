#if Node
    internal import InklingKeys
    internal import InklingNode

    /// Returns the result of `body`, or `timedOut` after `timeout`. Then, and when the task is cancelled, the body is
    /// cancelled and no longer awaited.
    func within<Value: Sendable>(
        _ timeout: Duration, on clock: any NodeClock, _ body: @escaping @Sendable () async -> Result<Value, LinkError>
    ) async -> Result<Value, LinkError> {
        let (results, end) = AsyncStream.makeStream(
            of: Result<Value, LinkError>.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task { end.yield(await body()) }
        let timer = Task {
            try await clock.sleep(until: clock.tick.advanced(by: timeout))
            end.yield(.failure(.timedOut))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        var iterator = results.makeAsyncIterator()
        // `nil` if this task is cancelled.
        return await iterator.next() ?? .failure(.closed)
    }
#endif
