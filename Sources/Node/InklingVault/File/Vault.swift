internal import InklingKeys

/// XChaCha20-Poly1305, whose nonces are long enough to be drawn at random for every save.
private let vaultCipher = AuthenticatedCipher.xChaCha20Poly1305

/// The vault in a home directory, whether or not it exists yet (`Specs/vault.md`).
public struct VaultFile: Hashable, Sendable {
    /// The maximum length of a vault file in bytes: 64 MiB.
    public static let maximumByteCount: UInt64 = 64 << 20
    static let name = "vault", counterName = "generation", lockName = "lock"

    /// The path of the home directory.
    public let home: String

    /// Creates a reference to the vault in the directory `home`; does not access the file system.
    public init(home: String) { self.home = home }

    /// Reads the header, which needs no key and names the kind of key that unlocks the vault.
    ///
    /// - Throws: `VaultError` for the directory, the file or the header.
    public func header() throws(VaultError) -> VaultHeader {
        let home = try VaultHome(home, creating: false)
        return try Self.readHeader(in: home).header
    }

    /// Creates a vault with these contents, and the home directory if it is missing.
    ///
    /// - Parameters:
    ///   - contents: the contents of the new vault.
    ///   - key: the key that will unlock the vault.
    ///   - cost: the cost of Argon2id for a passphrase; not used for other keys.
    ///   - clock: the clock that the contents belong to.
    /// - Returns: the new vault, unlocked.
    /// - Throws: `exists` if the home contains anything named `vault`; other faults of the file system, the key or the
    ///   contents.
    public func create(
        _ contents: VaultContents, key: borrowing VaultKey, cost: PassphraseCost = .moderate,
        clock: VaultClock = .real
    ) throws(VaultError) -> Vault {
        let home = try VaultHome(home, creating: true)
        let lock = try home.lock(Self.lockName)
        let path = home.path(of: Self.name)
        guard !home.contains(Self.name) else { throw VaultError(.exists, path) }

        var random = SystemRandomNumberGenerator()
        let salt = Octets16(high: random.next(), low: random.next())
        var header = VaultHeader(
            method: key.method, clock: clock, cost: key.method == .passphrase ? cost : nil, salt: salt)
        let dataKey = SecretBytes(count: keyByteCount, from: &random)
        try VaultError.about(path) { () throws(VaultError.Fault) in
            try header.wrap(dataKey, under: key, from: &random)
        }
        // Only here is the counter written first, so that a vault without a counter was always copied from elsewhere.
        try home.replace(Self.counterName, with: [GenerationCounter.bytes(0, dataKey: dataKey)], lasting: false)
        header.generation = 0
        var vault = Vault(header: header, contents: contents, dataKey: dataKey, home: home, lock: lock)
        try vault.save()
        return vault
    }

    /// Unlocks the vault, and locks its home against other processes until the result is destroyed.
    ///
    /// - Parameters:
    ///   - key: a key of the kind that `header()` names.
    ///   - acceleratedClock: whether the caller runs a demonstration clock; the vault must belong to the same kind of
    ///     clock.
    ///   - adoptingRestoredCopy: whether the operator states that this is a restored copy. The vault is then accepted
    ///     although it is old or its counter is missing or damaged; `contents.restored` is set, every contact is marked
    ///     for review, and the result is saved as the newest generation.
    /// - Returns: the unlocked vault with the contents last saved in it.
    /// - Throws: `VaultError`, in the order of `Specs/vault.md`.
    public func open(
        with key: borrowing VaultKey, acceleratedClock: Bool = false, adoptingRestoredCopy: Bool = false
    ) throws(VaultError) -> Vault {
        let home = try VaultHome(home, creating: false)
        let path = home.path(of: Self.name)
        guard home.contains(Self.name) else { throw VaultError(.missing, path) }
        let lock = try home.lock(Self.lockName)
        let (header, file) = try Self.readHeader(in: home)
        let sealed = Array(file.dropFirst(VaultHeader.byteCount))
        let dataKey = try VaultError.about(path) { () throws(VaultError.Fault) in
            guard header.clock.isAccelerated == acceleratedClock else { throw .wrongClock(vault: header.clock) }
            guard header.method == key.method else { throw .otherKeyNeeded(header.method) }
            let wrappingKey = try key.wrappingKey(salt: header.salt, cost: header.cost)
            return try header.unwrap(under: wrappingKey, sealed: sealed.span)
        }
        var contents = try VaultError.about(path) { () throws(VaultError.Fault) in
            try header.contents(of: sealed.span, with: dataKey)
        }
        if !adoptingRestoredCopy {
            let isUnderOwnKey = try Self.checkCounter(of: header, in: home, dataKey, contents.formerCounterKey)
            if isUnderOwnKey { contents.formerCounterKey = nil }
        }
        home.removeLeftover(of: Self.name)
        home.removeLeftover(of: Self.counterName)
        let newest = adoptingRestoredCopy ? Self.counter(in: home, dataKey, contents.formerCounterKey) ?? 0 : 0
        var vault = Vault(header: header, contents: contents, dataKey: dataKey, home: home, lock: lock)
        if adoptingRestoredCopy { try vault.adopt(after: newest) }
        return vault
    }

    private static func readHeader(
        in home: borrowing VaultHome
    ) throws(VaultError) -> (header: VaultHeader, file: [UInt8]) {
        let file = try home.read(name, limit: maximumByteCount)
        return try VaultError.about(home.path(of: name)) { () throws(VaultError.Fault) in
            let header = try VaultHeader(parsing: file.span)
            let expected = VaultHeader.byteCount + Int(header.contentsByteCount) + AuthenticatedCipher.tagByteCount
            guard file.count >= expected else { throw .truncated(bytes: file.count, expected: expected) }
            guard file.count == expected else { throw .damaged(.contents) }
            return (header, file)
        }
    }

    /// Reads the contents without locking the home, to copy them. A node may run in it meanwhile.
    ///
    /// - Throws: `VaultError`, in the order of `Specs/vault.md`, without the rows about the lock.
    func read(with key: borrowing VaultKey) throws(VaultError) -> (header: VaultHeader, contents: VaultContents) {
        let home = try VaultHome(home, creating: false)
        let path = home.path(of: Self.name)
        guard home.contains(Self.name) else { throw VaultError(.missing, path) }
        // Read the counter first: a node that saves writes it last, so it is then not above the vault.
        let counter = home.contains(Self.counterName) ? try home.read(Self.counterName, limit: 4096) : nil
        let (header, file) = try Self.readHeader(in: home)
        let sealed = Array(file.dropFirst(VaultHeader.byteCount))
        let (contents, dataKey) = try VaultError.about(path) { () throws(VaultError.Fault) in
            guard header.method == key.method else { throw .otherKeyNeeded(header.method) }
            let wrappingKey = try key.wrappingKey(salt: header.salt, cost: header.cost)
            let dataKey = SecretBox(try header.unwrap(under: wrappingKey, sealed: sealed.span))
            return (try header.contents(of: sealed.span, with: dataKey.value), dataKey)
        }
        _ = try Self.check(counter, of: header, in: home, dataKey.value, contents.formerCounterKey)
        return (header, contents)
    }

    private static func checkCounter(
        of header: VaultHeader, in home: borrowing VaultHome, _ dataKey: borrowing SecretBytes,
        _ formerKey: SecretBox<SecretBytes>?
    ) throws(VaultError) -> Bool {
        let counter = home.contains(counterName) ? try home.read(counterName, limit: 4096) : nil
        return try check(counter, of: header, in: home, dataKey, formerKey)
    }

    /// Judges the bytes of the counter, nil for a missing one, and returns whether they are authenticated under the
    /// vault's current key rather than its former one.
    private static func check(
        _ bytes: [UInt8]?, of header: VaultHeader, in home: borrowing VaultHome, _ dataKey: borrowing SecretBytes,
        _ formerKey: SecretBox<SecretBytes>?
    ) throws(VaultError) -> Bool {
        let path = home.path(of: counterName)
        guard let bytes else { throw VaultError(.counterMissing(vault: header.generation), path) }
        let own = GenerationCounter.generation(parsing: bytes.span, dataKey: dataKey)
        // A crash after a change of the key leaves the counter as written under the former key.
        let former = formerKey.flatMap { GenerationCounter.generation(parsing: bytes.span, key: $0.value) }
        guard let counter = own ?? former else { throw VaultError(.damaged(.counter), path) }
        // A vault newer than its counter is normal: the counter is written last, and a power cut may lose it.
        guard header.generation >= counter else {
            throw VaultError(
                .restoredOldCopy(vault: header.generation, expected: counter), home.path(of: name))
        }
        return own != nil
    }

    private static func counter(
        in home: borrowing VaultHome, _ dataKey: borrowing SecretBytes, _ formerKey: SecretBox<SecretBytes>?
    ) -> UInt64? {
        guard let bytes = try? home.read(counterName, limit: 4096) else { return nil }
        return GenerationCounter.generation(parsing: bytes.span, dataKey: dataKey)
            ?? formerKey.flatMap { GenerationCounter.generation(parsing: bytes.span, key: $0.value) }
    }
}

/// An unlocked vault: the contents, and the keys to save them again without the passphrase.
///
/// It holds the lock on its home. Destroying it releases the lock and wipes the data key.
public struct Vault: ~Copyable, Sendable {
    /// The kind of key, the clock, and the number of saves.
    public private(set) var header: VaultHeader
    /// The contents. Changes are stored by `save`.
    public var contents: VaultContents
    private var dataKey: SecretBytes
    private var contentsKey: SecretBytes
    private let home: VaultHome
    private let lock: OpenFile

    fileprivate init(
        header: VaultHeader, contents: VaultContents, dataKey: consuming SecretBytes, home: consuming VaultHome,
        lock: consuming OpenFile
    ) {
        self.header = header
        self.contents = contents
        contentsKey = derive(DerivationLabel.vaultContents, from: dataKey)
        self.dataKey = dataKey
        self.home = home
        self.lock = lock
    }

    /// Saves the contents. On return they survive a crash or a power cut.
    ///
    /// Blocks for two calls of `fsync`, and does not run Argon2id. `Specs/vault.md` has figures.
    ///
    /// - Throws: `contentsOutOfBounds`, `diskFull`, `readOnly`, `noPermission` or `system`. The file then holds either
    ///   the previous contents or these; the contents in memory are unchanged, and can be saved again.
    public mutating func save() throws(VaultError) {
        // Use a new number for every attempt: one that fails late may have replaced the file already.
        header.generation += 1
        let path = home.path(of: VaultFile.name)
        let parts = try VaultError.about(path) { () throws(VaultError.Fault) in try sealed() }
        try home.replace(VaultFile.name, with: parts, lasting: true)
        try home.overwrite(
            VaultFile.counterName, with: GenerationCounter.bytes(header.generation, dataKey: dataKey))
    }

    /// Locks the vault with another key, and draws a new data key, so that no earlier header opens later saves. On
    /// return only the new key opens the file.
    ///
    /// - Parameters:
    ///   - key: the key that unlocks the vault from now on.
    ///   - cost: the cost of Argon2id for a passphrase; not used for other keys.
    /// - Throws: `notEnoughMemory`, or as `save`. Either the old or the new key then opens the file, and the process
    ///   must end.
    public mutating func changeKey(
        to key: borrowing VaultKey, cost: PassphraseCost = .moderate
    ) throws(VaultError) {
        // A crash during an earlier change, or a power cut after it, may have left a counter under a key before the
        // current one, and the contents know only one former key.
        try home.replace(
            VaultFile.counterName, with: [GenerationCounter.bytes(header.generation, dataKey: dataKey)], lasting: true)
        try beginChange(to: key, cost: cost)
        try save()
        contents.formerCounterKey = nil
        try save()
    }

    /// Replaces the keys in memory. Two saves complete the change; the first one changes the key of the file.
    mutating func beginChange(to key: borrowing VaultKey, cost: PassphraseCost) throws(VaultError) {
        var random = SystemRandomNumberGenerator()
        let salt = Octets16(high: random.next(), low: random.next())
        var fresh = VaultHeader(
            method: key.method, clock: header.clock, cost: key.method == .passphrase ? cost : nil, salt: salt)
        fresh.generation = header.generation
        let freshKey = SecretBytes(count: keyByteCount, from: &random)
        try VaultError.about(home.path(of: VaultFile.name)) { () throws(VaultError.Fault) in
            try fresh.wrap(freshKey, under: key, from: &random)
        }
        // Until the counter is written under the new key, a reader needs the former one.
        contents.formerCounterKey = SecretBox(GenerationCounter.key(of: dataKey))
        header = fresh
        contentsKey = derive(DerivationLabel.vaultContents, from: freshKey)
        dataKey = freshKey
    }

    /// Gives the vault a key for its message store, and saves it, if it has none yet.
    ///
    /// - Throws: as `save`.
    public mutating func prepareMessageStore() throws(VaultError) {
        guard contents.messageStore == nil else { return }
        contents.messageStore = MessageStoreAnchor.drawn()
        try save()
    }

    fileprivate mutating func adopt(after counter: UInt64) throws(VaultError) {
        contents.formerCounterKey = nil
        contents.noteCopy(of: header.generation, from: contents.latestAcceptedTime)
        // Another mark makes the message store begin new streams: this copy does not know what was sent since.
        var random = SystemRandomNumberGenerator()
        contents.messageStore?.mark = random.next()
        header.generation = max(header.generation, counter)
        try save()
    }

    private mutating func sealed() throws(VaultError.Fault) -> [[UInt8]] {
        var plaintext = SecretWriter()
        do throws(VaultContents.Bound) {
            try contents.write(to: &plaintext)
            let total = VaultHeader.byteCount + plaintext.count + AuthenticatedCipher.tagByteCount
            guard total <= VaultFile.maximumByteCount else { throw .total }
        } catch {
            throw .contentsOutOfBounds(error)
        }
        var random = SystemRandomNumberGenerator()
        return [try header.seal(plaintext, under: contentsKey, from: &random)]
    }
}

extension VaultHeader {
    /// Records length and nonce of the contents, and returns the file: header and sealed contents.
    mutating func seal(
        _ plaintext: borrowing SecretWriter, under contentsKey: borrowing SecretBytes,
        from random: inout SystemRandomNumberGenerator
    ) throws(VaultError.Fault) -> [UInt8] {
        contentsByteCount = UInt32(plaintext.count)
        contentsNonce = (0..<vaultCipher.nonceByteCount).map { _ in random.next() }
        let head = bytes
        do throws(AuthenticatedCipherError) {
            var file = head
            file.reserveCapacity(head.count + plaintext.count + AuthenticatedCipher.tagByteCount)
            try plaintext.withBytes { plaintext throws(AuthenticatedCipherError) in
                try vaultCipher.seal(
                    plaintext, key: contentsKey, nonce: contentsNonce.span, associatedData: head.span,
                    appendingTo: &file)
            }
            return file
        } catch {
            throw .damaged(.contents)
        }
    }

    /// Seals contents under the contents key derived from a data key.
    mutating func seal(
        _ plaintext: borrowing SecretWriter, with dataKey: borrowing SecretBytes,
        from random: inout SystemRandomNumberGenerator
    ) throws(VaultError.Fault) -> [UInt8] {
        try seal(plaintext, under: derive(kind.contentsLabel, from: dataKey), from: &random)
    }

    /// Seals the data key under a key derived from `key`.
    mutating func wrap(
        _ dataKey: borrowing SecretBytes, under key: borrowing VaultKey, from random: inout SystemRandomNumberGenerator
    ) throws(VaultError.Fault) {
        let wrappingKey = try key.wrappingKey(salt: salt, cost: cost)
        wrapNonce = (0..<vaultCipher.nonceByteCount).map { _ in random.next() }
        do throws(AuthenticatedCipherError) {
            var wrapped: [UInt8] = []
            try dataKey.withBytes { dataKey throws(AuthenticatedCipherError) in
                try vaultCipher.seal(
                    dataKey, key: wrappingKey, nonce: wrapNonce.span, associatedData: wrapContext.span,
                    appendingTo: &wrapped)
            }
            wrappedKey = wrapped
        } catch {
            throw .damaged(.header)
        }
    }

    /// Decrypts the data key. Even with a wrong key the contents are authenticated, so that it takes as long as damaged
    /// contents.
    func unwrap(
        under wrappingKey: borrowing SecretBytes, sealed: Span<UInt8>
    ) throws(VaultError.Fault) -> SecretBytes {
        do throws(AuthenticatedCipherError) {
            return try vaultCipher.open(
                wrappedKey.span, key: wrappingKey, nonce: wrapNonce.span, associatedData: wrapContext.span)
        } catch {
            _ = try? plaintext(of: sealed, with: SecretBytes(count: keyByteCount) { _ in })
            throw .wrongKey(method)
        }
    }

    func plaintext(
        of sealed: Span<UInt8>, with dataKey: borrowing SecretBytes
    ) throws(VaultError.Fault) -> SecretBytes {
        do throws(AuthenticatedCipherError) {
            return try vaultCipher.open(
                sealed, key: derive(kind.contentsLabel, from: dataKey), nonce: contentsNonce.span,
                associatedData: bytes.span)
        } catch {
            throw .damaged(.contents)
        }
    }

    fileprivate func contents(
        of sealed: Span<UInt8>, with dataKey: borrowing SecretBytes
    ) throws(VaultError.Fault) -> VaultContents {
        let plaintext = try plaintext(of: sealed, with: dataKey)
        return try Self.parsing { () throws(VaultContentsError) in
            try plaintext.withBytes { bytes throws(VaultContentsError) in try VaultContents(parsing: bytes) }
        }
    }

    /// Runs `body` and turns an error of the contents into a fault of the file.
    static func parsing<Result>(
        _ body: () throws(VaultContentsError) -> Result
    ) throws(VaultError.Fault) -> Result {
        do throws(VaultContentsError) { return try body() } catch {
            if case .version(let found) = error.reason { throw .newerVersion(found: UInt32(found)) }
            throw .malformedContents(error)
        }
    }
}

/// The file with the number of the last save, by which an old copy of the vault is detected.
///
/// It ends with an authentication code under a key from the vault: an edited number, or another vault's counter, does
/// not verify.
enum GenerationCounter {
    static let byteCount = 48
    private static let magic: InlineArray<8, UInt8> = [0x89, 0x49, 0x4e, 0x4b, 0x47, 0x0d, 0x0a, 0x1a]

    /// Returns the key that authenticates the counter of a vault with this data key.
    static func key(of dataKey: borrowing SecretBytes) -> SecretBytes {
        derive(DerivationLabel.vaultCounter, from: dataKey)
    }

    static func bytes(_ generation: UInt64, dataKey: borrowing SecretBytes) -> [UInt8] {
        bytes(generation, key: key(of: dataKey))
    }

    private static func bytes(_ generation: UInt64, key: borrowing SecretBytes) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(magic.span)
        bytes.append(u64: generation)
        let code = key.withBytes { key in
            let stated = bytes
            return hmacSHA256(key: key) { $0.append(stated.span) }
        }
        code.withBytes { bytes.append($0) }
        return bytes
    }

    /// Parses a counter file; returns nil if it does not verify under this vault's key.
    static func generation(parsing input: Span<UInt8>, dataKey: borrowing SecretBytes) -> UInt64? {
        generation(parsing: input, key: key(of: dataKey))
    }

    /// Parses a counter file; returns nil if it does not verify under this counter key.
    static func generation(parsing input: Span<UInt8>, key: borrowing SecretBytes) -> UInt64? {
        guard input.count == byteCount else { return nil }
        let generation = input.bigEndian(at: 8, count: 8)
        let expected = bytes(generation, key: key)
        return constantTimeEquals(expected.span, input) ? generation : nil
    }
}
