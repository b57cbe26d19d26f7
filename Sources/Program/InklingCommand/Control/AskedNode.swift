import InklingAccess
import InklingNode
import InklingTerminal
import Synchronization

/// The nodes that can carry out the request of a verb.
enum NodePlace {
    /// A running node only.
    case runningNode
    /// Any node; the request needs the vault, but no network.
    case vault
    /// Any node with a network. A node in this process shows only what the request itself shows.
    case network
    /// Any node that has an accepted time.
    case acceptedTime
}

// The requests of verbs, which the node that runs in the home carries out, or else a node in this process.
extension HomeOptions {
    /// Carries a request out.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - place: the nodes that can carry it out.
    ///   - trustsClock: whether the operator vouches for the clock of a node in this process.
    ///   - question: shows an introduction to the person and returns whether the person agrees.
    ///   - fact: receives each fact as the node reports it.
    /// - Throws: `Failure`.
    func carryOut<Request: NodeRequest>(
        _ request: Request, on place: NodePlace, trustsClock: Bool = false,
        question: @escaping @Sendable (IntroductionFact) -> Bool = { _ in false },
        fact: @escaping @Sendable (Request.Fact) -> Void
    ) async throws(Failure) {
        let control = try control()
        if let connection = try ControlSocket.connect(to: control) {
            return try connection.carryOut(request, question: question, fact: fact)
        }
        if case .runningNode = place {
            throw Failure(.unavailable, "no node runs in \(control.home)", remedy: .command("Start one with", "run"))
        }
        if case .network = place { try requireNetwork() }
        let opened = try await OpenedNode(self, isVisible: false, trustsClock: trustsClock)
        // A person may take minutes.
        let peer = Peer<Request.Fact>(take: { fact($0) }, ask: { one in await blocking { question(one) } })
        let served = ServedNode(node: opened.node)
        if case .vault = place { return try await request.run(on: served, for: peer) }
        try await opened.node.whileRunning { () async throws(Failure) in try await request.run(on: served, for: peer) }
    }

    /// Carries a request out and returns its facts; answers questions with no.
    func facts<Request: NodeRequest>(
        of request: Request, on place: NodePlace, trustsClock: Bool = false
    ) async throws(Failure) -> [Request.Fact] {
        let facts = Mutex<[Request.Fact]>([])
        try await carryOut(request, on: place, trustsClock: trustsClock) { fact in facts.withLock { $0.append(fact) } }
        return facts.withLock { $0 }
    }

    /// Carries a request out and prints its facts, as lines of JSON or in these words, until the reader of the output has
    /// gone away. For people, `none` is printed when there is no fact.
    func show<Request: NodeRequest>(
        _ request: Request, on place: NodePlace, trustsClock: Bool = false, asJSON json: Bool, none: String? = nil,
        words: (Request.Fact) -> String
    ) async throws(Failure) where Request.Fact: Encodable {
        let facts = try await facts(of: request, on: place, trustsClock: trustsClock)
        for fact in facts {
            guard writeFact(fact, asJSON: json, otherwise: words) else { return }
        }
        if let none, facts.isEmpty, !json { write(none) }
    }
}

/// A node that takes several requests: the one that runs in a home, or one in this process, which shows nothing.
enum AskedNode: Sendable {
    case running(HomeOptions)
    case here(ServedNode)

    /// Calls `body` with the node that runs in a home, or else with one in this process, which is stopped afterwards.
    ///
    /// - Throws: `Failure` when the vault cannot be opened; the errors of `body`.
    static func of<Result: Sendable>(
        _ options: HomeOptions, trustsClock: Bool, _ body: (AskedNode) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if try ControlSocket.connect(to: options.control()) != nil { return try await body(.running(options)) }
        return try await of(try await OpenedNode(options, isVisible: false, trustsClock: trustsClock), body)
    }

    /// Calls `body` with a node in this process, which is stopped afterwards.
    static func of<Result: Sendable>(
        _ opened: OpenedNode, _ body: (AskedNode) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await opened.node.whileRunning { () async throws(Failure) in
            try await body(.here(ServedNode(node: opened.node)))
        }
    }

    /// Carries a request out and returns its facts; answers questions with no.
    func facts<Request: NodeRequest>(of request: Request) async throws(Failure) -> [Request.Fact] {
        switch self {
        case .running(let options): try await options.facts(of: request, on: .runningNode)
        case .here(let served): try await served.facts(of: request)
        }
    }
}
