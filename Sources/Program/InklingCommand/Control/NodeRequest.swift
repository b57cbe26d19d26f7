import InklingNode
import InklingTerminal
import Synchronization

/// A request of a command, which the node that runs in the home carries out, or else a node in this process.
struct NodeRequest {
    /// The nodes that can carry the request out.
    enum Place {
        /// A running node only.
        case runningNode
        /// Any node; the request needs the vault, but no network.
        case vault
        /// Any node with a network. A node in this process shows only what the request itself shows.
        case network
    }

    let options: HomeOptions
    let request: ControlRequest
    let place: Place
    var trustsClock = false
    /// Whether a node in this process must have an accepted time before it carries the request out.
    var needsAcceptedTime = false

    /// Carries the request out and returns its facts; answers questions with no.
    func facts() async throws(Failure) -> [ControlFact] {
        let facts = Mutex<[ControlFact]>([])
        try await perform { fact in facts.withLock { $0.append(fact) } }
        return facts.withLock { $0 }
    }

    /// Carries the request out.
    ///
    /// - Parameters:
    ///   - fact: receives each fact as the node reports it.
    ///   - question: shows an introduction to the person and returns whether the person agrees.
    /// - Throws: `Failure`.
    func perform(
        fact: @escaping @Sendable (ControlFact) -> Void,
        question: @escaping @Sendable (IntroductionFact) -> Bool = { _ in false }
    ) async throws(Failure) {
        let control = try options.control()
        if let connection = try ControlSocket.connect(to: control) {
            return try connection.carryOut(request, fact: fact, question: question)
        }
        if case .runningNode = place {
            throw Failure(.unavailable, "no node runs in \(control.home)", remedy: .command("Start one with", "run"))
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
    /// Sends a request, and passes on facts and questions until it is done.
    ///
    /// - Throws: the `Failure` that the node reports, or one when the connection ends.
    func carryOut(
        _ request: ControlRequest, fact: (ControlFact) -> Void,
        question: (IntroductionFact) -> Bool = { _ in false }
    ) throws(Failure) {
        var isAlive = send(.request(request))
        while isAlive, let message = receive() {
            switch message {
            case .fact(let one): fact(one)
            case .question(let one): isAlive = send(.answer(question(one)))
            case .done: return
            case .failed(let failure): throw failure
            case .request, .invalidRequest, .text, .answer: isAlive = false
            }
        }
        throw Failure(
            .unavailable, "the node has stopped, or runs a different version",
            remedy: .command("Check it with", "status"))
    }
}

/// The person at this process's terminal.
struct LocalPeer: ControlPeer {
    let fact: @Sendable (ControlFact) -> Void
    let question: @Sendable (IntroductionFact) -> Bool

    func take(_ fact: ControlFact) async { self.fact(fact) }

    func ask(_ question: IntroductionFact) async -> Bool {
        // A person may take minutes.
        await blocking { self.question(question) }
    }
}
