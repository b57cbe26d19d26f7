import Dispatch
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
    let request: ControlRequest
    let place: Place
    var trustsClock = false
    /// Whether a node of this process must judge its clock before it carries the request out.
    var needsAcceptedTime = false

    /// Carries the request out and returns all facts; for requests that ask no question.
    func facts() async throws(Failure) -> [ControlFact] {
        let facts = Mutex<[ControlFact]>([])
        try await perform { fact in facts.withLock { $0.append(fact) } }
        return facts.withLock { $0 }
    }

    /// Carries the request out.
    ///
    /// - Parameters:
    ///   - fact: receives each fact when the node reports it.
    ///   - question: shows an introduction to the person and returns whether the person agrees.
    /// - Throws: `Failure`, with what the person can do about it.
    func perform(
        fact: @escaping @Sendable (ControlFact) -> Void,
        question: @escaping @Sendable (IntroductionFact) -> Bool = { _ in false }
    ) async throws(Failure) {
        let home = try options.path()
        if let connection = try ControlSocket.connect(home: home) {
            return try connection.carryOut(request, fact: fact, question: question)
        }
        if case .runningNode = place {
            throw Failure(.unavailable, "no node runs in \(home)", remedy: .command("Start one with", "run"))
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
    /// Sends one request and passes on what the node reports until it is done.
    ///
    /// - Throws: the node's `Failure`, or one that says that the node has ended.
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
            case .request, .invalidRequest, .answer: isAlive = false
            }
        }
        throw Failure(
            .unavailable, "the node ended, or is of another version", remedy: .command("Look at it with", "status"))
    }
}

/// The person at this process's terminal.
struct LocalPeer: ControlPeer {
    let fact: @Sendable (ControlFact) -> Void
    let question: @Sendable (IntroductionFact) -> Bool

    func take(_ fact: ControlFact) async { self.fact(fact) }

    func ask(_ question: IntroductionFact) async -> Bool {
        // A person may take minutes, and must not block a thread of the node for so long.
        await withCheckedContinuation { answer in
            DispatchQueue.global().async { answer.resume(returning: self.question(question)) }
        }
    }
}
