import Dispatch

/// Runs `body`, which may block for long, on a Dispatch thread. Tasks share a few threads, and the node's own tasks
/// must not wait for it.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
        DispatchQueue.global().async { answer.resume(returning: body()) }
    }
}
