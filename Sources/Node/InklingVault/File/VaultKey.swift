internal import CSodium
public import InklingKeys

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The key of a vault: a passphrase, a key file or a system credential.
public struct VaultKey: ~Copyable, Sendable {
    /// The kinds of key. A vault's header names the one it needs.
    public enum Method: UInt8, Hashable, Sendable, CaseIterable, Codable, CustomStringConvertible {
        /// A passphrase, stretched by Argon2id.
        case passphrase = 1
        /// The bytes of a file.
        case keyFile = 2
        /// The bytes of a credential that the service manager provides.
        case systemCredential = 3

        /// The name of the kind in messages.
        public var description: String {
            switch self {
            case .passphrase: "passphrase"
            case .keyFile: "key file"
            case .systemCredential: "system credential"
            }
        }

        public init(from decoder: any Decoder) throws {
            self = try decoder.single { (name: String) in Self.allCases.first { $0.description == name } }
        }

        public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
    }

    /// The permitted lengths of a passphrase, in bytes of UTF-8.
    public static let passphraseByteCounts = 1...1024
    /// The permitted lengths of a key file or a credential, in bytes.
    public static let keyByteCounts = 32...4096

    /// The kind of this key.
    public let method: Method
    private let material: SecretBytes

    private init(_ method: Method, _ material: consuming SecretBytes) {
        self.method = method
        self.material = material
    }

    /// Returns a second copy of the key.
    public borrowing func duplicate() -> VaultKey { VaultKey(method, material.duplicate()) }

    /// Creates a key from a passphrase of 1 to 1,024 bytes of UTF-8; returns nil for any other length.
    public init?(passphrase: consuming SecretBytes) {
        guard Self.passphraseByteCounts.contains(passphrase.count) else { return nil }
        self.init(.passphrase, passphrase)
    }

    /// Reads a passphrase from the first line of a file, which must not be accessible to other users.
    ///
    /// - Throws: `keyMissing`, `keyLength` if the line is empty or longer than a passphrase can be, or another fault of
    ///   the file.
    public static func passphrase(inFile path: String) throws(VaultError) -> VaultKey {
        do throws(VaultError) {
            let file = try OpenFile(reading: path, in: nil, path: path, .privateFile)
            let line = try file.readLine(limit: passphraseByteCounts.upperBound)
            let count = line.count
            guard let key = VaultKey(passphrase: line) else {
                throw VaultError(.keyLength(.passphrase, bytes: count, allowed: passphraseByteCounts), path)
            }
            return key
        } catch {
            if error.fault == .missing { throw VaultError(.keyMissing(.passphrase), path) }
            throw error
        }
    }

    /// Reads a key file of 32 to 4,096 bytes, which must not be accessible to other users.
    ///
    /// - Throws: `keyMissing`, `keyLength`, or another fault of the file.
    public static func keyFile(at path: String) throws(VaultError) -> VaultKey {
        VaultKey(.keyFile, try read(path, .keyFile, as: .privateFile))
    }

    /// Reads another secret of 32 to 4,096 bytes from a file that must not be accessible to other users.
    ///
    /// - Throws: as `keyFile(at:)`.
    package static func secretFile(at path: String) throws(VaultError) -> SecretBytes {
        try read(path, .keyFile, as: .privateFile)
    }

    /// Reads a credential of 32 to 4,096 bytes that systemd provides in `CREDENTIALS_DIRECTORY`.
    ///
    /// Owner and mode are not checked: systemd grants access by access control lists, which show up as group bits.
    ///
    /// - Throws: `keyMissing`, also if the variable is not set; `keyLength`, or another fault of the file.
    public static func systemCredential(named name: String) throws(VaultError) -> VaultKey {
        try systemCredential(named: name, in: environment("CREDENTIALS_DIRECTORY"))
    }

    static func systemCredential(named name: String, in directory: String?) throws(VaultError) -> VaultKey {
        guard let directory, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw VaultError(.keyMissing(.systemCredential), "$CREDENTIALS_DIRECTORY/\(name)")
        }
        return VaultKey(
            .systemCredential, try read("\(directory)/\(name)", .systemCredential, as: .systemOwnedFile))
    }

    /// Returns the value of an environment variable; nil if it is not set or not UTF-8.
    public static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: value)
    }

    private static func read(
        _ path: String, _ method: Method, as ownership: FileOwnership
    ) throws(VaultError) -> SecretBytes {
        do throws(VaultError) {
            let file = try OpenFile(reading: path, in: nil, path: path, ownership)
            guard keyByteCounts.contains(Int(clamping: file.byteCount)) else {
                throw VaultError(
                    .keyLength(method, bytes: Int(clamping: file.byteCount), allowed: keyByteCounts), path)
            }
            return try file.readSecret()
        } catch {
            if error.fault == .missing { throw VaultError(.keyMissing(method), path) }
            throw error
        }
    }

    /// Derives the 32-byte key that wraps the data key of a vault. `VaultHeader` has a cost whenever the key is a
    /// passphrase.
    ///
    /// - Throws: `notEnoughMemory`.
    func wrappingKey(salt: Octets16, cost: PassphraseCost?) throws(VaultError.Fault) -> SecretBytes {
        var saltBytes: [UInt8] = []
        saltBytes.append(salt)
        guard method == .passphrase, let cost else {
            let extracted = material.withBytes { material in
                hmacSHA256(key: saltBytes.span) { $0.append(material) }
            }
            return derive(DerivationLabel.vaultWrap, from: extracted) { $0.append(u8: method.rawValue) }
        }
        return try SecretBytes(count: keyByteCount) { output throws(VaultError.Fault) in
            let isDone = material.withBytes { argon2id($0, salt: saltBytes.span, cost, into: &output) }
            guard isDone else { throw .notEnoughMemory(kibibytes: cost.kibibytes) }
        }
    }
}

/// Fills `output` with Argon2id (RFC 9106, one lane) of a passphrase; returns false if there is not enough memory.
private func argon2id(
    _ passphrase: Span<UInt8>, salt: Span<UInt8>, _ cost: PassphraseCost, into output: inout MutableSpan<UInt8>
) -> Bool {
    sodiumIsReady()
    let count = UInt64(output.count)
    let status: Int32 = unsafe output.withPointer { output in
        unsafe passphrase.withPointer { passphraseStart in
            unsafe salt.withPointer { salt in
                // libsodium declares the passphrase as characters.
                let characters = unsafe UnsafeRawPointer(passphraseStart).assumingMemoryBound(to: CChar.self)
                return unsafe crypto_pwhash(
                    output, count, characters, UInt64(passphrase.count), salt, UInt64(cost.passes),
                    Int(cost.kibibytes) * 1024, crypto_pwhash_ALG_ARGON2ID13)
            }
        }
    }
    return status == 0
}

/// Functions that read a secret, such as a password for another program, from the first line of a file.
public enum PrivateLine {
    /// Reads the first line of a file that must not be accessible to other users.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum length of the line in bytes; of a longer one, one byte more is returned.
    /// - Returns: the line without its line feed.
    /// - Throws: a fault of the file.
    public static func read(_ path: String, limit: Int) throws(VaultError) -> SecretBytes {
        try OpenFile(reading: path, in: nil, path: path, .privateFile).readLine(limit: limit)
    }

    /// Reads the first line of a credential that systemd provides in `CREDENTIALS_DIRECTORY`.
    ///
    /// - Throws: `missing`, also if the variable is not set, or another fault of the file.
    public static func credential(named name: String, limit: Int) throws(VaultError) -> SecretBytes {
        let directory = VaultKey.environment("CREDENTIALS_DIRECTORY")
        let path = "\(directory ?? "$CREDENTIALS_DIRECTORY")/\(name)"
        guard directory != nil, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw VaultError(.missing, path)
        }
        return try OpenFile(reading: path, in: nil, path: path, .systemOwnedFile).readLine(limit: limit)
    }
}
