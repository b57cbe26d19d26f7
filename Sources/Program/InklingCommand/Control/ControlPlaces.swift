import Synchronization

/// The places for connections at the control socket, so that no client can keep `inkling status` from being answered.
///
/// A connection whose request has not arrived takes a place for a few seconds; when those places are full, the one that
/// has waited longest gives its place to the next. Requests that are carried out have places of their own, half of which
/// are for requests that end at once.
final class ControlPlaces: Sendable {
    /// How many connections may wait for their request.
    static let waitingLimit = 16
    /// How many requests are carried out at a time.
    static let requestLimit = 16
    /// How many more of those that end at once.
    static let briefLimit = 16

    private struct State {
        var waiting: [(number: Int, leave: @Sendable () -> Void)] = []
        var count = 0
        var requests = 0
    }

    private let state = Mutex(State())

    /// Takes a place for a connection whose request has not arrived.
    ///
    /// - Parameter leave: called when another connection takes its place.
    /// - Returns: the number with which to give the place back.
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

    /// Gives back the place of a connection that waited.
    func arrived(_ number: Int) { state.withLock { $0.waiting.removeAll { $0.number == number } } }

    /// Takes a place for a request, and returns whether there was one.
    func begin(_ request: ControlRequest) -> Bool {
        let limit = request.isBrief ? Self.requestLimit + Self.briefLimit : Self.requestLimit
        return state.withLock { state in
            guard state.requests < limit else { return false }
            state.requests += 1
            return true
        }
    }

    /// Gives back the place of a request.
    func end() { state.withLock { $0.requests -= 1 } }
}

extension ControlRequest {
    /// Whether the node carries the request out at once and without changing anything, as `inkling status` needs it.
    var isBrief: Bool {
        switch self {
        case .status, .contacts, .contact, .audiences, .recognisers, .dashboard, .devices, .files: true
        case .createAudience, .renameAudience, .removeAudience, .assign, .revoke, .block, .unblock, .grant: false
        case .rename, .delay, .remove, .renew, .visible, .reviewed, .card, .add, .invite, .accept, .send, .explain,
            .messages, .message, .acknowledge, .removeMessage, .sendFile, .file, .predictions, .presence, .events,
            .addDevice, .removeDevice:
            false
        }
    }
}
