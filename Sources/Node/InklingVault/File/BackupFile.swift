internal import InklingKeys

/// The stored form of a backup (`Specs/backup.md`): the header of a vault under another magic, and sealed contents.
public struct BackupFile: Sendable {
    /// The maximum length of a backup, in bytes: 64 MiB, and room for what it has beside the contents of a vault.
    public static let maximumByteCount = Int(VaultFile.maximumByteCount) + 2 * Backup.profileLimit

    private let header: VaultHeader
    private let sealed: [UInt8]
    private let path: String

    /// The kind of key that opens the backup.
    public var method: VaultKey.Method { header.method }
    /// The cost of Argon2id; nil unless a passphrase opens the backup.
    public var cost: PassphraseCost? { header.cost }

    /// Parses the header of a backup, which needs no key.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - path: its path, for errors.
    /// - Throws: `notABackup`, `truncated`, `newerVersion`, `damaged`, `parametersOutOfRange` or `tooLarge`.
    public init(parsing bytes: [UInt8], path: String) throws(VaultError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw VaultError(.tooLarge(bytes: UInt64(bytes.count), limit: UInt64(Self.maximumByteCount)), path)
        }
        header = try VaultError.about(path) { () throws(VaultError.Fault) in
            let header = try VaultHeader(parsing: bytes.span, as: .backup)
            let expected = VaultHeader.byteCount + Int(header.contentsByteCount) + AuthenticatedCipher.tagByteCount
            guard bytes.count >= expected else { throw .truncated(bytes: bytes.count, expected: expected) }
            guard bytes.count == expected else { throw .damaged(.contents) }
            return header
        }
        sealed = Array(bytes.dropFirst(VaultHeader.byteCount))
        self.path = path
    }

    /// Opens the backup.
    ///
    /// - Throws: `otherKeyNeeded`, `notEnoughMemory`, `wrongKey`, `damaged` or `malformedContents`.
    public func open(with key: borrowing VaultKey) throws(VaultError) -> Backup {
        try VaultError.about(path) { () throws(VaultError.Fault) in
            guard header.method == key.method else { throw .otherKeyNeeded(header.method) }
            let wrappingKey = try key.wrappingKey(salt: header.salt, cost: header.cost)
            let dataKey = try header.unwrap(under: wrappingKey, sealed: sealed.span)
            let plaintext = try header.plaintext(of: sealed.span, with: dataKey)
            return try VaultHeader.parsing { () throws(VaultContentsError) in
                try plaintext.withBytes { bytes throws(VaultContentsError) in
                    try Self.backup(parsing: bytes, of: header)
                }
            }
        }
    }

    /// Parses the sealed part of a backup with this header.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    static func backup(
        parsing bytes: Span<UInt8>, of header: VaultHeader
    ) throws(VaultContentsError) -> Backup {
        var cursor = ContentsCursor()
        let date: UInt64 = try cursor.number(of: bytes)
        var profile: [UInt8]?
        if try cursor.presence(of: bytes) {
            let count = try cursor.number(0...UInt32(Backup.profileLimit), of: bytes)
            var file: [UInt8] = []
            file.append(bytes.extracting(try cursor.take(Int(count), of: bytes)))
            profile = file
        }
        let rest = try cursor.take(bytes.count - cursor.offset, of: bytes)
        let contents = try VaultContents(parsing: bytes.extracting(rest))
        guard contents.rootSeed != nil else { throw cursor.fault(.tag, back: rest.count) }
        return Backup(
            contents: contents, date: date, clock: header.clock, generation: header.generation, profile: profile)
    }
}

extension Backup {
    /// Seals the backup under its own data key.
    ///
    /// - Parameters:
    ///   - key: the key that will open it.
    ///   - cost: the cost of Argon2id for a passphrase; not used for other keys.
    ///   - path: the path of the file to be written, for errors.
    /// - Returns: the bytes of the file.
    /// - Throws: `contentsOutOfBounds` or `notEnoughMemory`.
    public func sealed(
        with key: borrowing VaultKey, cost: PassphraseCost = .moderate, path: String
    ) throws(VaultError) -> [UInt8] {
        try VaultError.about(path) { () throws(VaultError.Fault) in try sealed(with: key, cost: cost) }
    }

    private func sealed(with key: borrowing VaultKey, cost: PassphraseCost) throws(VaultError.Fault) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        var header = VaultHeader(
            .backup, method: key.method, clock: clock, cost: key.method == .passphrase ? cost : nil,
            salt: Octets16(high: random.next(), low: random.next()))
        header.generation = generation
        let dataKey = SecretBytes(count: keyByteCount, from: &random)
        try header.wrap(dataKey, under: key, from: &random)

        var plaintext = SecretWriter()
        plaintext.append(u64: date)
        plaintext.append(u8: profile == nil ? 0 : 1)
        if let profile {
            plaintext.append(u32: UInt32(clamping: profile.count))
            plaintext.append(profile.span)
        }
        do throws(VaultContents.Bound) {
            try contents.write(to: &plaintext)
            guard plaintext.count <= BackupFile.maximumByteCount - 2 * VaultHeader.byteCount else { throw .total }
        } catch {
            throw .contentsOutOfBounds(error)
        }
        return try header.seal(plaintext, with: dataKey, from: &random)
    }
}
