internal import Synchronization

/// The reply to one request: the node sends it once, and the requester awaits it.
///
/// A value sent before it is awaited is kept.
final class Reply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = Mutex(State.open)

    init() {}

    /// Sends the reply; calls after the first have no effect.
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

    /// Waits for the reply. Must be called at most once.
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

    /// The reply if it has been sent, otherwise nil.
    var sent: Value? {
        state.withLock { if case .sent(let value) = $0 { value } else { nil } }
    }
}

/// The reply to a request of the user.
typealias Answer<Success: Sendable> = Reply<Result<Success, NodeError>>

/// A box that carries a noncopyable value through the queue of inputs; the first caller of `take` owns the value.
final class Handover<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: consuming sending Value) { self.value = Mutex(value) }

    /// Returns the value on the first call, and nil on later calls.
    func take() -> Value? { value.withLock { $0.take() } }
}
