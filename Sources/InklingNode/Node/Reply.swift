internal import Synchronization

/// The answer to one request: sent at most once, by the node, and awaited by the one who asked.
///
/// A value that is sent before anybody waits is kept, so that a step can answer at once.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = Mutex(State.open)

    init() {}

    /// Sends the answer; only the first one counts.
    func send(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .sent(value)
                return nil
            case .awaited(let waiter):
                state = .sent(value)
                return waiter
            case .sent: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the answer; to be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let sent = state.withLock { state -> Value? in
                if case .sent(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let sent { continuation.resume(returning: sent) }
        }
    }

    /// The answer, when it has been sent.
    var sent: Value? {
        state.withLock { if case .sent(let value) = $0 { value } else { nil } }
    }
}

/// The answer to what a user asked for.
typealias Answer<Success: Sendable> = Reply<Result<Success, NodeError>>

/// Carries a value that cannot be copied through the queue of inputs; the first to take it owns it.
final class Handover<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    /// Returns the value the first time, and nil after that.
    func take() -> Value? { value.withLock { $0.take() } }
}
