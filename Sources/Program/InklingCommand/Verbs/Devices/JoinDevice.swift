import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

/// `inkling device join`
struct JoinDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Become another device of the person whose device link this is.",
        discussion: """
            Creates a home, like `inkling init`, once the other device has sent everything. Compare the fingerprint on \
            both devices before you answer y.

            Examples:
              $ inkling device join INKLING:L:… --home ada2
              $ inkling device join - --home ada2 --key-file ada2.key --at 192.0.2.7:40123 < link
            """)

    @Argument(help: "The text of the device link, in one piece or several; - reads it from standard input.")
    var link: [String]
    @Option(help: "Connect to the other device at HOST:PORT, on a network without multicast.") var at: String?
    @OptionGroup var options: HomeOptions
    @Option(
        help: ArgumentHelp(
            "Use the profile of an application in this file (inkling profile).",
            discussion: "It must be that of the other device. Default: Inkling's own."))
    var profile: String?
    @Flag(help: "Agree without comparing. Use this only where no attacker can interfere.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the question, then the device.") var json = false

    func run() async throws {
        try await reporting(home: options.home, showsCode: json) {
            try requireNetwork()
            let home = try options.path()
            try HomeOptions.requireUnused(home)
            // From here on secrets are in memory.
            ProcessHardening.apply()
            let object = try objectText(link).withBytes { text throws(Failure) in try ObjectText(text) }
            guard object.kind == .deviceLink else {
                throw Failure(.badData, "not a device link", remedy: "Show one with: inkling device add")
            }
            let now = SystemClock(.real).read()
            let invitation: Invitation
            do throws(InvitationError) {
                invitation = try object.content.value.withBytes { bytes throws(InvitationError) in
                    try Invitation(parsing: bytes, minute: UInt32(clamping: now.unixSeconds / 60))
                }
            } catch {
                throw Failure(
                    .badData, "the device link is invalid: \(error)",
                    remedy: error == .ended ? "Ask for a new one." : nil)
            }
            let hint = try await endpoint(at)
            let profile = try profile.map { file throws(Failure) in try readProfile(file) }
            try options.createParents(of: home)
            let key = try options.newKey()
            let vouches: OperatorVouches = trustClock ? .clock : []
            try await join(invitation, at: hint, into: home, under: key, vouches, profile)
        }
    }

    private func join(
        _ invitation: Invitation, at hint: Endpoint?, into home: String, under key: borrowing VaultKey,
        _ vouches: OperatorVouches, _ profile: ApplicationProfile?
    ) async throws(Failure) {
        var generator = SystemRandomNumberGenerator()
        let blank = Node.contentsOfNewDevice(using: &generator)
        guard
            let node = Node(
                contents: blank, keeper: UnstoredContents(),
                ports: .linux(clock: .real, bluetooth: nil, profile: profile ?? .inkling), isVisible: false,
                trustsClock: trustClock)
        else { throw Failure(.unavailable, "no device key could be drawn") }
        let stored = NewVault(home: home, key: key.duplicate(), vouches: vouches, profile: profile)
        let running = Task { await node.run() }
        await node.started()
        let outcome: Failure?
        do throws(Failure) {
            try await nodeFailure { () async throws(NodeError) in
                try await node.joinDevice(
                    invitation, at: hint,
                    confirm: { introduction in
                        await blocking { agree(to: IntroductionFact(introduction), always: yes, json: json) }
                    }, store: { await stored.create($0) })
            }
            outcome = nil
        } catch {
            outcome = error
        }
        node.stop()
        await running.value
        if let failure = await stored.failure { throw failure }
        if let outcome { throw outcome }
        let made = await stored.contents
        let fact = JoinedFact(
            joined: home, name: made?.displayName ?? "", device: made?.device.number ?? 0,
            contacts: made?.contacts.count ?? 0)
        writeFact(fact, asJSON: json) { fact in
            "This is device \(fact.device) of \(printable(fact.name)) now, with \(plural(fact.contacts, "contact")).\n"
        }
    }
}

/// The vault of the new device, once it can be created.
private actor NewVault {
    private let home: String
    private let key: VaultKey
    private let vouches: OperatorVouches
    private let profile: ApplicationProfile?
    private(set) var contents: VaultContents?
    private(set) var failure: Failure?

    init(home: String, key: consuming VaultKey, vouches: OperatorVouches, profile: ApplicationProfile?) {
        self.profile = profile
        self.home = home
        self.key = key
        self.vouches = vouches
    }

    /// Creates the vault, and returns whether it was stored.
    func create(_ made: VaultContents) -> Bool {
        var made = made
        made.vouches = vouches
        do {
            if let profile {
                try HomeOptions.createParents(of: home + "/")
                try storeProfile(profile, in: home)
            }
            _ = try VaultFile(home: home).create(made, key: key)
            contents = made
            return true
        } catch let error as VaultError {
            failure = Failure(error, isCreating: true)
        } catch let error as Failure {
            failure = error
        } catch {}
        return false
    }
}

/// A keeper of nothing: a device that has not joined yet has nothing to keep.
private struct UnstoredContents: ContentsKeeper {
    func save(_ contents: VaultContents) async throws(VaultError) {}
}

/// The device that has joined.
private struct JoinedFact: Encodable {
    let joined: String
    let name: String
    let device: UInt8
    let contacts: Int
}
