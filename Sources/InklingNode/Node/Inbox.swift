internal import Synchronization

/// The inputs of a node that wait to be taken, in the order in which they came.
final class Inbox: Sendable {
    private struct State {
        var inputs: [Input] = []
        /// The inputs before this place have been taken.
        var start = 0
    }

    /// Yields once or more after each `post`, to a single consumer.
    let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init() { (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Puts an input behind those that wait already.
    func post(_ input: Input) {
        state.withLock { $0.inputs.append(input) }
        arrived.yield()
    }

    /// Takes the input that has waited longest.
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
