@testable import InklingLinux

/// Runs work that blocks on a thread of its own, and returns its result.
///
/// The tests share as many threads as there are processors, and Dispatch gives blocked work hardly more: on two processors
/// two calls that block for long would hold up all the other tests.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let run: @Sendable () -> Void = { continuation.resume(returning: work()) }
        if !startThread(named: "blocking-test", run) { run() }
    }
}
