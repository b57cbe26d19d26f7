import InklingNode
import InklingTerminal
import Synchronization

/// A node that takes several requests: the one that runs in a home, or one in this process, which shows nothing.
struct NodeRequests: Sendable {
    private let ask: @Sendable (ControlRequest) async throws(Failure) -> [ControlFact]

    /// Calls `body` with the node that runs in a home, or else with one in this process, which it stops afterwards.
    ///
    /// - Throws: `Failure` when the vault cannot be opened; the errors of `body`.
    static func of<Result: Sendable>(
        _ options: HomeOptions, trustsClock: Bool, _ body: (NodeRequests) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if try ControlSocket.connect(to: options.control()) != nil {
            return try await body(
                NodeRequests { request throws(Failure) in
                    try await NodeRequest(options: options, request: request, place: .runningNode).facts()
                })
        }
        return try await of(try await OpenedNode(options, isVisible: false, trustsClock: trustsClock), body)
    }

    /// Calls `body` with a node in this process, and stops it afterwards.
    static func of<Result: Sendable>(
        _ opened: OpenedNode, _ body: (NodeRequests) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let running = Task { await opened.node.run() }
        await opened.node.started()
        let handler = ControlHandler(node: opened.node)
        let requests = NodeRequests { request throws(Failure) in
            let facts = Mutex<[ControlFact]>([])
            let peer = LocalPeer(fact: { fact in facts.withLock { $0.append(fact) } }, question: { _ in false })
            try await handler.handle(request, for: peer)
            return facts.withLock { $0 }
        }
        let result: Swift.Result<Result, Failure>
        do throws(Failure) { result = .success(try await body(requests)) } catch { result = .failure(error) }
        opened.node.stop()
        await running.value
        return try result.get()
    }

    private init(_ ask: @escaping @Sendable (ControlRequest) async throws(Failure) -> [ControlFact]) { self.ask = ask }

    /// Carries out a request and returns its facts.
    ///
    /// - Throws: the `Failure` of the node.
    func facts(_ request: ControlRequest) async throws(Failure) -> [ControlFact] { try await ask(request) }

    /// Returns the contacts of the node.
    func contacts() async throws(Failure) -> [ContactFact] {
        try await facts(.contacts).compactMap { if case .contact(let contact) = $0 { contact } else { nil } }
    }

    /// Returns the text of the node's own card.
    func card() async throws(Failure) -> String {
        for case .card(let card) in try await facts(.card) { return card.card }
        throw Failure(.unavailable, "the node runs a different version", remedy: "Restart it.")
    }

    /// Adds a card, or renews its owner's grants, and returns the grants that were sealed for the owner's devices.
    func add(_ card: String) async throws(Failure) -> [String] {
        try await facts(.add(text: card)).compactMap {
            if case .sealedGrant(let grant) = $0 { grant.sealedGrant } else { nil }
        }
    }
}
