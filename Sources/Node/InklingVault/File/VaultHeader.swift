internal import InklingKeys

/// The clock that a vault belongs to.
public enum VaultClock: Hashable, Sendable, Codable {
    /// Protocol time is real time.
    case real
    /// A demonstration clock: protocol time runs `rate` times as fast as real time and equals it at `anchor`, in
    /// milliseconds since 1970-01-01T00:00:00Z.
    case accelerated(rate: UInt32, anchor: UInt64)

    /// The permitted rates of a demonstration clock.
    public static let rates: ClosedRange<UInt32> = 2...3600

    /// Whether protocol time differs from real time.
    public var isAccelerated: Bool { self != .real }

    /// Converts real time to protocol time, both in milliseconds since 1970-01-01T00:00:00Z; returns `UInt64.max` on
    /// overflow.
    public func protocolMilliseconds(atReal real: UInt64) -> UInt64 {
        switch self {
        case .real: return real
        case .accelerated(let rate, let anchor):
            let (passed, overflow) = (real > anchor ? real - anchor : 0).multipliedReportingOverflow(by: UInt64(rate))
            let (shown, isTooLate) = anchor.addingReportingOverflow(passed)
            return overflow || isTooLate ? .max : shown
        }
    }
}

/// The cost of checking one passphrase with Argon2id, which an attacker pays for every guess.
public struct PassphraseCost: Hashable, Sendable {
    /// The numbers of passes accepted on opening a vault.
    public static let readablePasses: ClosedRange<UInt32> = 1...10
    /// The memory sizes in KiB accepted on opening a vault: 8 KiB to 1 GiB.
    public static let readableKibibytes: ClosedRange<UInt32> = 8...1_048_576

    /// The number of passes over the memory.
    public let passes: UInt32
    /// The size of the memory in KiB.
    public let kibibytes: UInt32

    /// Three passes over 256 MiB, libsodium's MODERATE: about 0.4 s.
    public static let moderate = PassphraseCost(uncheckedPasses: 3, kibibytes: 262_144)
    /// Two passes over 64 MiB, the minimum for new vaults: about 0.07 s.
    public static let floor = PassphraseCost(uncheckedPasses: 2, kibibytes: 65_536)
    /// One pass over 8 KiB. It protects nothing, and is for tests that open thousands of vaults.
    public static let forTests = PassphraseCost(uncheckedPasses: 1, kibibytes: 8)

    /// Creates a cost for a new vault; returns nil below `floor`, above 10 passes or above 1 GiB.
    public init?(passes: UInt32, kibibytes: UInt32) {
        self.init(stored: passes, kibibytes: kibibytes)
        guard !isBelowFloor else { return nil }
    }

    // No floor on opening: an attacker who lowers the numbers in a file cannot make it open with them.
    init?(stored passes: UInt32, kibibytes: UInt32) {
        guard Self.readablePasses.contains(passes), Self.readableKibibytes.contains(kibibytes) else { return nil }
        self.init(uncheckedPasses: passes, kibibytes: kibibytes)
    }

    private init(uncheckedPasses passes: UInt32, kibibytes: UInt32) {
        self.passes = passes
        self.kibibytes = kibibytes
    }

    /// Whether the cost is below the minimum for new vaults.
    public var isBelowFloor: Bool { passes < Self.floor.passes || kibibytes < Self.floor.kibibytes }
}

/// The part of a vault that can be read without its key (`Specs/vault.md`): the kind of key and the clock.
///
/// The header is unauthenticated until the vault is opened, which authenticates every byte of it.
public struct VaultHeader: Hashable, Sendable {
    /// The length of the encoded header in bytes.
    static let byteCount = 171
    static let version: UInt8 = 1
    // Offsets of the fields that are extracted as blocks.
    private static let wrapNonceStart = 47, wrapStart = 71, wrapEnd = 119, checkStart = 155

    /// The kind of file with this header.
    enum Kind: Hashable, Sendable {
        case vault
        case backup

        // As in PNG: a byte above 127, the name, and line ends that a text transfer would change.
        var magic: InlineArray<8, UInt8> {
            switch self {
            case .vault: [0x89, 0x49, 0x4e, 0x4b, 0x56, 0x0d, 0x0a, 0x1a]
            case .backup: [0x89, 0x49, 0x4e, 0x4b, 0x42, 0x0d, 0x0a, 0x1a]
            }
        }

        /// The label of the key that seals the part after the header.
        var contentsLabel: StaticString {
            switch self {
            case .vault: DerivationLabel.vaultContents
            case .backup: DerivationLabel.backupContents
            }
        }

        /// The fault of a file that does not begin with the magic.
        var foreign: VaultError.Fault {
            switch self {
            case .vault: .foreign
            case .backup: .notABackup
            }
        }
    }

    /// The kind of key that unlocks the vault.
    public let method: VaultKey.Method
    /// The clock that the vault belongs to.
    public let clock: VaultClock
    /// The cost of Argon2id; nil unless a passphrase unlocks the vault.
    public let cost: PassphraseCost?
    /// The number of saves; 1 for a new vault.
    public internal(set) var generation: UInt64

    let kind: Kind
    let salt: Octets16
    var wrapNonce: [UInt8] = []
    var wrappedKey: [UInt8] = []
    var contentsByteCount: UInt32 = 0
    var contentsNonce: [UInt8] = []

    init(
        _ kind: Kind = .vault, method: VaultKey.Method, clock: VaultClock, cost: PassphraseCost?, salt: Octets16
    ) {
        self.kind = kind
        self.method = method
        self.clock = clock
        self.cost = cost
        self.salt = salt
        generation = 1
    }

    /// The first part of the header, which is the associated data of the wrapped data key.
    var wrapContext: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        let magic = kind.magic
        bytes.append(magic.span)
        bytes.append(u8: Self.version)
        bytes.append(u8: method.rawValue)
        switch clock {
        case .real:
            bytes.append(u8: 0)
            bytes.append(u32: 0)
            bytes.append(u64: 0)
        case .accelerated(let rate, let anchor):
            bytes.append(u8: 1)
            bytes.append(u32: rate)
            bytes.append(u64: anchor)
        }
        bytes.append(u32: cost?.passes ?? 0)
        bytes.append(u32: cost?.kibibytes ?? 0)
        bytes.append(salt)
        return bytes
    }

    /// The encoded header, which is also the associated data of the contents.
    var bytes: [UInt8] {
        var bytes = wrapContext
        bytes += wrapNonce
        bytes += wrappedKey
        bytes.append(u64: generation)
        bytes.append(u32: contentsByteCount)
        bytes += contentsNonce
        bytes.append(Self.check(of: bytes.span))
        return bytes
    }

    /// Parses the header at the start of a vault or a backup.
    ///
    /// - Throws: `truncated`, `foreign` or `notABackup`, `newerVersion`, `damaged` or `parametersOutOfRange`, in the order of
    ///   `Specs/vault.md`.
    init(parsing input: Span<UInt8>, as kind: Kind = .vault) throws(VaultError.Fault) {
        self.kind = kind
        let magic = kind.magic
        for index in 0..<min(input.count, magic.count) where input[index] != magic[index] { throw kind.foreign }
        guard input.count > magic.count else { throw .truncated(bytes: input.count, expected: Self.byteCount) }
        let version = input[magic.count]
        guard version <= Self.version else { throw .newerVersion(found: UInt32(version)) }
        guard input.count >= Self.byteCount else { throw .truncated(bytes: input.count, expected: Self.byteCount) }
        guard version == Self.version, let check = Octets16(input.extracting(Self.checkStart..<Self.byteCount)),
            check == Self.check(of: input.extracting(0..<Self.checkStart))
        else { throw .damaged(.header) }

        guard let method = VaultKey.Method(rawValue: input[9]), let salt = Octets16(input.extracting(31..<47)) else {
            throw .damaged(.header)
        }
        let rate = UInt32(truncatingIfNeeded: input.bigEndian(at: 11, count: 4))
        let anchor = input.bigEndian(at: 15, count: 8)
        let passes = UInt32(truncatingIfNeeded: input.bigEndian(at: 23, count: 4))
        let kibibytes = UInt32(truncatingIfNeeded: input.bigEndian(at: 27, count: 4))
        switch input[10] {
        case 0 where rate == 0 && anchor == 0: clock = .real
        case 1 where VaultClock.rates.contains(rate): clock = .accelerated(rate: rate, anchor: anchor)
        default: throw .damaged(.header)
        }
        if method == .passphrase {
            guard let cost = PassphraseCost(stored: passes, kibibytes: kibibytes) else {
                throw .parametersOutOfRange(passes: passes, kibibytes: kibibytes)
            }
            self.cost = cost
        } else {
            guard passes == 0, kibibytes == 0 else { throw .damaged(.header) }
            cost = nil
        }
        self.method = method
        self.salt = salt
        wrapNonce.append(input.extracting(Self.wrapNonceStart..<Self.wrapStart))
        wrappedKey.append(input.extracting(Self.wrapStart..<Self.wrapEnd))
        generation = input.bigEndian(at: Self.wrapEnd, count: 8)
        // A limit that saves never reach, so that the next number cannot overflow.
        guard (1..<UInt64.max / 2).contains(generation) else { throw .damaged(.header) }
        contentsByteCount = UInt32(truncatingIfNeeded: input.bigEndian(at: 127, count: 4))
        contentsNonce.append(input.extracting(131..<Self.checkStart))
    }

    // Unkeyed: it distinguishes damage from a wrong passphrase, but does not stop an attacker who edits files.
    private static func check(of bytes: Span<UInt8>) -> Octets16 { sha256 { $0.append(bytes) }.first }
}
