import Dispatch
import InklingTesting
import Synchronization
package import Testing

/// The threads of tests that run programs, which block while they wait.
///
/// The tasks of a process share as many threads as the machine has processors. On those, a test that waits for a program
/// would keep the nodes that other tests run in this process from doing anything, until their deadlines are over.
package final class ProgramThreads: TaskExecutor {
    package static let shared = ProgramThreads(count: 12)

    /// Whether the current task runs on these threads.
    @TaskLocal static var areUsed = false

    private let jobs = Mutex<[UnownedJob]>([])
    private let ready = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for number in 1...count { DispatchQueue(label: "programs \(number)").async(execute: work) }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        ready.signal()
    }

    @Sendable private func work() {
        while true {
            ready.wait()
            let job = jobs.withLock { $0.removeFirst() }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A trait that runs the tests of a suite on `ProgramThreads`, with the hang detector: no wait in them has another
/// limit.
package struct RunsPrograms: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await HangDetector.hangDetector.provideScope(for: test, testCase: testCase) {
            try await ProgramThreads.$areUsed.withValue(true) {
                try await withTaskExecutorPreference(ProgramThreads.shared, operation: function)
            }
        }
    }
}

extension Trait where Self == RunsPrograms {
    /// Every suite that uses `Program` needs this.
    package static var runsPrograms: Self { Self() }
}
