import Dispatch
import InklingJSON
import InklingNode
import Synchronization

/// One request of a command: carried out by the node that runs in the home, or else by one of this process.
struct NodeRequest {
    /// Where the request can be carried out.
    enum Place {
        /// By a running node only.
        case runningNode
        /// Anywhere; only the vault is needed.
        case vault
        /// Anywhere with a network; a node of this process shows nothing but what the request itself shows.
        case network
    }

    let options: HomeOptions
    let request: JSONObject
    let place: Place
    var trustsClock = false
    /// Whether a node of this process must judge its clock before it carries the request out.
    var needsAcceptedTime = false

    /// Carries it out and returns what the node says; for requests that ask nothing.
    func answer() async throws(Failure) -> [JSONObject] {
        let facts = Mutex<[JSONObject]>([])
        try await perform { fact in facts.withLock { $0.append(fact) } }
        return facts.withLock { $0 }
    }

    /// Carries it out.
    ///
    /// - Parameters:
    ///   - fact: takes what the node says, as it says it.
    ///   - question: shows something to the person, who says yes or no.
    /// - Throws: `Failure`, with what the person can do about it.
    func perform(
        fact: @escaping @Sendable (JSONObject) -> Void,
        question: @escaping @Sendable (JSONObject) -> Bool = { _ in false }
    ) async throws(Failure) {
        let home = try options.path()
        if let connection = ControlSocket.connect(home: home) {
            return try connection.carryOut(request, fact: fact, question: question)
        }
        if case .runningNode = place {
            throw Failure(.unavailable, "no node runs in \(home)", remedy: "Start one with: inkling run --home \(home)")
        }
        if case .network = place { try requireNetwork() }
        let opened = try await OpenedNode(options, isVisible: false, trustsClock: trustsClock)
        let peer = LocalPeer(fact: fact, question: question)
        let handler = ControlHandler(node: opened.node)
        if case .vault = place, !needsAcceptedTime { return try await handler.handle(request, for: peer) }

        let running = Task { await opened.node.run() }
        let outcome: Failure?
        do throws(Failure) {
            await opened.node.started()
            try await handler.handle(request, for: peer)
            outcome = nil
        } catch {
            outcome = error
        }
        opened.node.stop()
        await running.value
        if let outcome { throw outcome }
    }

}

extension ControlConnection {
    /// Sends one request and hands on what the node says until it is done.
    ///
    /// - Throws: the node's `Failure`, or one that says that the node has gone.
    func carryOut(
        _ request: JSONObject, fact: (JSONObject) -> Void, question: (JSONObject) -> Bool = { _ in false }
    ) throws(Failure) {
        var isAlive = send(.request(request))
        while isAlive, let message = receive() {
            switch message {
            case .fact(let one): fact(one)
            case .question(let one): isAlive = send(.answer(question(one)))
            case .done: return
            case .failed(let failure): throw failure
            case .request, .answer: isAlive = false
            }
        }
        throw Failure(.unavailable, "the node went away before it had answered")
    }
}

/// The person at this process's terminal.
struct LocalPeer: ControlPeer {
    let fact: @Sendable (JSONObject) -> Void
    let question: @Sendable (JSONObject) -> Bool

    func take(_ fact: JSONObject) async { self.fact(fact) }

    func ask(_ question: JSONObject) async -> Bool {
        // A person may take minutes, for which no thread of the node is held up.
        await withCheckedContinuation { answer in
            DispatchQueue.global().async { answer.resume(returning: self.question(question)) }
        }
    }
}
