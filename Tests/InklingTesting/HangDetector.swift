import Synchronization
public import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A trait that ends the run when a test waits for something that never comes.
///
/// It is the only measure of real time in tests, and says nothing about the product: anything that a machine does
/// within ten minutes is soon enough. A test that reaches the limit is reported as a hang, and the process ends at
/// once, so that later findings of the test are not taken for broken promises.
public struct HangDetector: SuiteTrait, TestTrait, TestScoping {
    /// The longest duration of a test, and of each wait in it that needs a number.
    public static let limit = Duration.seconds(600)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let number = RunningTests.shared.add(test)
        defer { RunningTests.shared.remove(number) }
        try await function()
    }
}

/// The running tests, and the thread that ends the process when one of them takes too long: the tests may have blocked
/// all other threads.
private final class RunningTests: Sendable {
    static let shared = RunningTests()

    private struct State: Sendable {
        var count = 0
        var tests: [Int: (test: Test, end: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    private init() {
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        _ = unsafe pthread_create(
            &thread, nil,
            { _ in
                while true {
                    sleep(1)
                    RunningTests.shared.endIfOverdue()
                }
            }, nil)
    }

    func add(_ test: Test) -> Int {
        state.withLock { state in
            state.count += 1
            state.tests[state.count] = (test, .now + HangDetector.limit)
            return state.count
        }
    }

    func remove(_ number: Int) { state.withLock { $0.tests[number] = nil } }

    private func endIfOverdue() {
        let now = ContinuousClock.now
        let overdue = state.withLock { state in state.tests.values.first { $0.end < now }?.test }
        guard let overdue else { return }
        Issue.record(
            "HANG: \(overdue.name) has not ended in \(HangDetector.limit)", sourceLocation: overdue.sourceLocation)
        fflush(nil)
        _exit(EXIT_FAILURE)
    }
}

extension Trait where Self == HangDetector {
    /// Ends the run when a test takes ten minutes.
    public static var hangDetector: HangDetector { HangDetector() }
}

/// Returns once a condition holds that no event announces, such as a state of the kernel or of another process.
///
/// - Throws: `CancellationError`. The hang detector ends a wait in vain.
public func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
