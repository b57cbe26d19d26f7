import Dispatch
import Synchronization
import Testing

@testable import InklingLinux

/// Runs tasks on a thread of its own, one after the other, in the order in which they become ready.
final class OneThreadExecutor: TaskExecutor {
    /// The jobs that are ready; nil for the end.
    private let jobs = Mutex<[UnownedJob?]>([])
    private let ready = DispatchSemaphore(value: 0)

    /// Runs `body` and the tasks that it begins on a new thread.
    static func run<Value: Sendable>(_ body: @Sendable () async -> Value) async throws -> Value {
        let executor = OneThreadExecutor()
        try #require(startThread(named: "one-thread", executor.work))
        defer { executor.add(nil) }
        return await withTaskExecutorPreference(executor, operation: body)
    }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    private func add(_ job: UnownedJob?) {
        jobs.withLock { $0.append(job) }
        ready.signal()
    }

    @Sendable private func work() {
        while true {
            ready.wait()
            guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
