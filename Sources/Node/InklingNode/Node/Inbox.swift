internal import Synchronization

/// The queue of a node's inputs, first in, first out.
final class Inbox: Sendable {
    private struct State {
        var inputs: [Input] = []
        /// The index of the first input that has not been taken.
        var start = 0
    }

    /// A stream that yields at least once after a `post`; for a single consumer.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init() { (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Appends an input.
    func post(_ input: Input) {
        state.withLock { $0.inputs.append(input) }
        arrived.yield()
    }

    /// Removes and returns the oldest input; returns nil if the queue is empty.
    func next() -> Input? {
        state.withLock { state in
            guard state.start < state.inputs.count else { return nil }
            defer {
                state.start += 1
                if state.start == state.inputs.count {
                    state.inputs.removeAll(keepingCapacity: state.inputs.count <= 64)
                    state.start = 0
                }
            }
            return state.inputs[state.start]
        }
    }
}
