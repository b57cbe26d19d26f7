package import InklingEngine
import InklingJSON
import InklingKeys
package import InklingNode
package import InklingTerminal
package import InklingVault
package import InklingWire

#if Node
    package import InklingLinux
#else
    import InklingLinux
#endif

/// A node in this process, created from its unlocked vault.
package struct OpenedNode: Sendable {
    package let node: Node
    package let home: String
    #if Node
        /// The parts of its ports that run on threads of their own.
        package let answeringParts: [any AnsweringPart]
    #endif

    /// Unlocks the vault of a home and creates its node.
    ///
    /// - Parameters:
    ///   - options: the home, and the key of its vault.
    ///   - isVisible: whether the node shows itself while it runs.
    ///   - trustsClock: whether the operator vouches for the clock.
    ///   - isTag: whether the node is a tag device.
    ///   - adoptingRestoredCopy: whether the operator says that the vault is a restored copy.
    ///   - acceleratedClock: whether the vault must have a demonstration clock; nil when it may have either clock.
    ///   - contactOptions: the delays of arrivals and departures.
    ///   - radio: returns the Bluetooth radio for the clock of the vault and the profile of the home; nil for a node
    ///     without one.
    ///   - files: returns the disk for files that are sent and received, for the home.
    ///   - antennas: returns the antennas for the clock of the vault and the profile of the home.
    /// - Throws: `Failure` when the vault cannot be opened or used.
    package init(
        _ options: HomeOptions, isVisible: Bool, trustsClock: Bool = false, isTag: Bool = false,
        adoptingRestoredCopy: Bool = false,
        acceleratedClock: Bool? = nil, contactOptions: ContactOptions = ContactOptions(),
        radio: (VaultClock, ApplicationProfile) async -> (any BluetoothRadio)? = { _, _ in nil },
        files: (String) -> any FileStorage = { _ in NoFileStorage() },
        antennas: (VaultClock, ApplicationProfile) throws(Failure) -> [any Antenna] = { _, _ in [] }
    ) async throws(Failure) {
        try await self.init(
            home: try options.path(), isVisible: isVisible, trustsClock: trustsClock, isTag: isTag,
            adoptingRestoredCopy: adoptingRestoredCopy, acceleratedClock: acceleratedClock,
            contactOptions: contactOptions, radio: radio, files: files, antennas: antennas
        ) { header throws(Failure) in try options.key(for: header) }
    }

    /// Unlocks the vault of a home with the key that `makeKey` returns, and creates its node.
    package init(
        home: String, isVisible: Bool, trustsClock: Bool, isTag: Bool = false, adoptingRestoredCopy: Bool = false,
        acceleratedClock: Bool? = nil, contactOptions: ContactOptions = ContactOptions(),
        radio: (VaultClock, ApplicationProfile) async -> (any BluetoothRadio)? = { _, _ in nil },
        files: (String) -> any FileStorage = { _ in NoFileStorage() },
        antennas: (VaultClock, ApplicationProfile) throws(Failure) -> [any Antenna] = { _, _ in [] },
        key makeKey: (VaultHeader) throws(Failure) -> VaultKey
    ) async throws(Failure) {
        let file = VaultFile(home: home)
        let header = try vaultFailure { () throws(VaultError) in try file.header() }
        let profile = try homeProfile(in: home)
        let key = try makeKey(header)
        let vault = try await Self.open(
            file, with: key, acceleratedClock: acceleratedClock ?? header.clock.isAccelerated,
            adoptingRestoredCopy: adoptingRestoredCopy)
        try await self.init(
            home: home, vault: vault, isVisible: isVisible, trustsClock: trustsClock, isTag: isTag,
            acceptsRestoredCopy: adoptingRestoredCopy, contactOptions: contactOptions,
            bluetooth: await radio(header.clock, profile), files: files(home),
            antennas: try antennas(header.clock, profile), profile: profile)
    }

    /// Creates the node of an unlocked vault.
    ///
    /// - Throws: `Failure` when the vault cannot be used, is a restored copy that has no new generations yet and is not
    ///   accepted as such, or cannot be that of a tag device.
    package init(
        home: String, vault: consuming Vault, isVisible: Bool, trustsClock: Bool, isTag: Bool = false,
        acceptsRestoredCopy: Bool,
        contactOptions: ContactOptions = ContactOptions(), bluetooth: (any BluetoothRadio)? = nil,
        files: any FileStorage = NoFileStorage(), antennas: [any Antenna] = [], profile: ApplicationProfile
    ) async throws(Failure) {
        let clock = vault.header.clock
        let (keeper, messages) = try Self.messages(of: vault, in: home)
        let contents = await keeper.contents
        guard acceptsRestoredCopy || contents.restored == nil else {
            throw Failure(
                .badData, "\(home): a restored copy was adopted, but no new generations were started",
                remedy: .command("Finish with", "recover --restored-copy"))
        }
        if isTag { try Self.requireTag(contents, clock, in: home) }
        var ports = NodePorts.linux(clock: clock, bluetooth: bluetooth, profile: profile, messages: messages)
        ports.files = files
        ports.antennas = antennas
        guard
            let node = Node(
                contents: contents, keeper: keeper, ports: ports, isVisible: isVisible,
                trustsClock: trustsClock, isTag: isTag, contactOptions: contactOptions)
        else {
            throw Failure(.badData, "the vault in \(home) has no valid device key", remedy: "Restore a backup.")
        }
        self.node = node
        self.home = home
        #if Node
            answeringParts = [ports.links, bluetooth].compactMap { $0 as? any AnsweringPart }
        #endif
    }

    /// Throws unless the vault can be that of a tag device (INK-RSP-002, INK-RSP-008).
    private static func requireTag(_ contents: VaultContents, _ clock: VaultClock, in home: String) throws(Failure) {
        guard !clock.isAccelerated else {
            throw Failure(.usage, "a tag cannot run on a demonstration clock, with which identifiers change faster")
        }
        guard contents.rootSeed == nil else {
            throw Failure(
                .usage, "\(home) holds your identity, so it is your primary device; a tag must be another device",
                remedy: .command("On this device, to link a tag to it", "device add"))
        }
    }

    /// Opens a vault; waits up to 5 s while another command, such as `inkling status`, holds it.
    private static func open(
        _ file: VaultFile, with key: borrowing VaultKey, acceleratedClock: Bool, adoptingRestoredCopy: Bool
    ) async throws(Failure) -> Vault {
        let end = ContinuousClock.now.advanced(by: .seconds(5))
        while true {
            do throws(VaultError) {
                return try file.open(
                    with: key, acceleratedClock: acceleratedClock, adoptingRestoredCopy: adoptingRestoredCopy)
            } catch {
                guard case .alreadyRunning = error.fault, ContinuousClock.now < end else { throw Failure(error) }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Opens the message store of a vault. Without the trait Node there is no one to exchange messages with.
    private static func messages(
        of vault: consuming Vault, in home: String
    ) throws(Failure) -> (VaultKeeper, any MessageStore) {
        #if Node
            do throws(VaultError) { try vault.prepareMessageStore() } catch { throw Failure(error) }
            guard let anchor = vault.contents.messageStore else { return (VaultKeeper(vault), MemoryMessageStore()) }
            return (VaultKeeper(vault), SQLiteMessageStore(home: home, anchor: anchor))
        #else
            return (VaultKeeper(vault), MemoryMessageStore())
        #endif
    }
}

extension Node {
    /// Calls `body` while this node runs in this process, and stops the node afterwards.
    ///
    /// - Throws: the errors of `body`.
    package nonisolated func whileRunning<Result: Sendable>(
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let running = Task { await run() }
        await started()
        let result: Swift.Result<Result, Failure>
        do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
        stop()
        await running.value
        return try result.get()
    }
}

/// Throws a `Failure` when this program was built without the parts that use the network.
package func requireNetwork() throws(Failure) {
    #if !Node
        throw Failure(
            .unavailable, "this program was built without the trait Node",
            remedy: "Build it with: swift build --traits Node")
    #endif
}
