import Dispatch
public import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the run when a test waits for something that never comes.
///
/// It is the only measure of real time in tests, and says nothing about the product: whatever a machine does in ten
/// minutes is soon enough. A test that has no other end than this is a hang, which is reported as such, and the process
/// ends at once, so that what the test would find after that is not taken for a broken promise.
public struct HangDetector: SuiteTrait, TestTrait, TestScoping {
    /// How long a test may take, and how long each wait in it that needs a number.
    public static let limit = Duration.seconds(600)

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A queue of its own has a thread even when the tests have blocked all others.
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "hang-detector"))
        timer.schedule(deadline: .now() + .seconds(Int(Self.limit.components.seconds)))
        timer.setEventHandler {
            Issue.record("HANG: \(test.name) has not ended in \(Self.limit)", sourceLocation: test.sourceLocation)
            fflush(nil)
            _exit(EXIT_FAILURE)
        }
        timer.activate()
        defer { timer.cancel() }
        try await function()
    }
}

extension Trait where Self == HangDetector {
    /// Ends the run when a test takes ten minutes.
    public static var hangDetector: HangDetector { HangDetector() }
}

/// Returns when a condition holds that no event announces: something of the kernel, or of another process.
///
/// - Throws: `CancellationError`. The end of a wait that is in vain is the hang detector.
public func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
