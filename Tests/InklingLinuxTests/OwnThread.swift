@testable import InklingLinux

/// Runs work that blocks on a thread of its own, and returns its result.
///
/// The tests share a few threads, and Dispatch need not have one more for each call that blocks.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let run: @Sendable () -> Void = { continuation.resume(returning: work()) }
        if !startThread(named: "blocking-test", run) { run() }
    }
}
