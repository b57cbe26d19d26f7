import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingSession
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The keys of a phone that has no node: a vault of its own below the home of its user's node, with a key file beside it.
///
/// No node ever shows anything from it. It is opened to grant what the phone will show to the node of the home.
struct PhoneHome {
    let path: String

    /// The place of the vault of the phone with this user id.
    init(of user: String, in home: String) { path = "\(home)/phones/\(user)" }

    private var keyFile: String { "\(path).key" }

    /// Creates the identity of a phone, and returns the place of its vault and its user id.
    ///
    /// - Throws: `Failure` when the name is invalid, or the vault cannot be created.
    static func create(
        named name: String, in home: String, trustsClock: Bool
    ) throws(Failure) -> (home: PhoneHome, user: String) {
        // From here on secrets are in memory.
        ProcessHardening.apply()
        let header = try vaultFailure { () throws(VaultError) in try VaultFile(home: home).header() }
        guard !header.clock.isAccelerated else {
            throw Failure(.configuration, "\(home) is for a demonstration clock, and a phone has the real one")
        }
        let now = SystemClock(.real).read()
        guard let period = Epoch(containing: now.unixSeconds)?.period else {
            throw Failure(.configuration, "the clock is past August 2089", remedy: "Set the clock.")
        }
        var generator = SystemRandomNumberGenerator()
        var contents: VaultContents
        let user: String
        do throws(CardError) {
            contents = try NodeIdentity.makeContents(name: name, now: period, using: &generator)
            user = try ContactCard(parsing: contents.card.span, now: period).userID.octets.description
        } catch {
            throw Failure(
                .usage, "invalid name '\(printable(name))': \(error)",
                remedy: "A name must have 1 to 64 bytes and no control or bidirectional characters.")
        }
        contents.messageStore = .drawn()
        if trustsClock { contents.vouches.insert(.clock) }
        let phone = PhoneHome(of: user, in: home)
        try HomeOptions.createParents(of: phone.path + "/")
        try createKeyFile(phone.keyFile)
        // It shows what the nodes of the home look for.
        let profile = try homeProfile(in: home)
        if profile != .inkling { try storeProfile(profile, in: phone.path) }
        let key = try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: phone.keyFile) }
        _ = try vaultFailure(isCreating: true) { () throws(VaultError) in
            try VaultFile(home: phone.path).create(contents, key: key, clock: .real)
        }
        return (phone, user)
    }

    /// Whether there are keys of a phone.
    var exists: Bool { unsafe access("\(path)/vault", F_OK) == 0 }

    /// Opens the vault.
    ///
    /// - Throws: `Failure` when it cannot be opened or used.
    func open(trustsClock: Bool) async throws(Failure) -> OpenedNode {
        let keyFile = keyFile
        return try await OpenedNode(home: path, isVisible: false, trustsClock: trustsClock) { _ throws(Failure) in
            try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: keyFile) }
        }
    }
}

/// A node to which several requests are made: the one that runs in a home, or one in this process, which shows nothing.
struct NodeRequests: Sendable {
    private let ask: @Sendable (ControlRequest) async throws(Failure) -> [ControlFact]

    /// Makes requests to the node that runs in a home, or else to one in this process; calls `body`, and ends that one.
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

    /// Makes requests to a node in this process, and ends it.
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

    /// The contacts of the node.
    func contacts() async throws(Failure) -> [ContactFact] {
        try await facts(.contacts).compactMap { if case .contact(let contact) = $0 { contact } else { nil } }
    }

    /// The text of the node's own card.
    func card() async throws(Failure) -> String {
        for case .card(let card) in try await facts(.card) { return card.card }
        throw Failure(.unavailable, "the node has another version", remedy: "Restart it.")
    }

    /// Adds a card, or renews what its owner was granted, and returns the grants that were sealed for its devices.
    func add(_ card: String) async throws(Failure) -> [String] {
        try await facts(.add(text: card)).compactMap {
            if case .sealedGrant(let grant) = $0 { grant.sealedGrant } else { nil }
        }
    }
}
