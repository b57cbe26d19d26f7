import InklingTerminal
import Synchronization

/// The slots for connections to the control socket, so that no client can keep `inkling status` from being answered.
///
/// A connection holds a waiting slot for a few seconds until its request arrives; when all are taken, the connection
/// that has waited longest gives its slot to the next. Running requests have separate slots, half of which are reserved
/// for brief requests.
final class ControlPlaces: Sendable {
    /// The maximum number of connections that wait for their request.
    static let waitingLimit = 16
    /// The maximum number of requests that run at a time.
    static let requestLimit = 16
    /// The maximum number of brief requests beyond that.
    static let briefLimit = 16

    private struct State {
        var waiting: [(number: Int, leave: @Sendable () -> Void)] = []
        var count = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Takes a slot for a connection whose request has not arrived.
    ///
    /// - Parameter leave: called when another connection takes its slot.
    /// - Returns: the number for `arrived(_:)`.
    func wait(leave: @escaping @Sendable () -> Void) -> Int {
        let (number, displaced) = state.withLock { state in
            state.count += 1
            let displaced = state.waiting.count >= Self.waitingLimit ? state.waiting.removeFirst().leave : nil
            state.waiting.append((state.count, leave))
            return (state.count, displaced)
        }
        displaced?()
        return number
    }

    /// Releases the slot of a waiting connection.
    func arrived(_ number: Int) { state.withLock { $0.waiting.removeAll { $0.number == number } } }

    /// Takes a slot for a request, and returns whether one was free.
    func begin(isBrief: Bool) -> Bool {
        let limit = isBrief ? Self.requestLimit + Self.briefLimit : Self.requestLimit
        return state.withLock { state in
            guard state.requests < limit else { return false }
            state.requests += 1
            return true
        }
    }

    /// Releases the slot of a request.
    func end() { state.withLock { $0.requests -= 1 } }
}
