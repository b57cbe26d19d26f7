import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The keys of a phone without a node: a separate vault below the home of its user's node, with a key file beside it.
///
/// No node ever shows anything from it. It is opened to grant the home's node what the phone will show.
struct PhoneHome {
    let path: String

    /// Creates the place of the vault of the phone with this user id.
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
            throw Failure(.configuration, "\(home) uses a demonstration clock, but a phone uses real time")
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
        // It must show what the home's nodes look for.
        let profile = try homeProfile(in: home)
        if profile != .inkling { try storeProfile(profile, in: phone.path) }
        let key = try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: phone.keyFile) }
        _ = try vaultFailure(isCreating: true) { () throws(VaultError) in
            try VaultFile(home: phone.path).create(contents, key: key, clock: .real)
        }
        return (phone, user)
    }

    /// Whether the keys of the phone exist.
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
