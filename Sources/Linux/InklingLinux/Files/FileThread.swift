internal import Dispatch

/// Runs calls that wait for a disk, one after another, on a Dispatch thread. The node's tasks share a few threads and
/// must not block them.
final class FileThread: Sendable {
    private let queue = DispatchQueue(label: "inkling-files")

    /// Runs `body` and returns its result.
    func carryOut<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { answer in
            queue.async {
                do throws(Failure) {
                    answer.resume(returning: .success(try body()))
                } catch {
                    answer.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
