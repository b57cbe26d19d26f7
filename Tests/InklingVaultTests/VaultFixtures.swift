import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault
@testable import InklingWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A private temporary directory, which is removed with its contents when the value is released.
final class TemporaryHome: Sendable {
    let path: String
    var vault: VaultFile { VaultFile(home: path) }

    init(in parent: String = "/tmp") throws {
        var name = Array("\(parent)/inkling-vault-XXXXXX".utf8CString)
        let made = unsafe name.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.flatMap { unsafe String(validatingCString: $0) }
        }
        path = try #require(made)
    }

    deinit { removeTree(path) }

    /// Returns the path of a file in the directory.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of the files in the directory, sorted.
    var names: [String] { directoryNames(path) }
}

private func directoryNames(_ path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: unsafe bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

private func removeTree(_ path: String) {
    unsafe chmod(path, 0o700)
    if unsafe unlink(path) == 0 { return }
    for name in directoryNames(path) { removeTree("\(path)/\(name)") }
    unsafe rmdir(path)
}

/// Returns the bytes of a file, or nil if it does not exist.
func contents(of path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
    }
}

/// Creates or replaces a file, with a mode.
func put(_ bytes: [UInt8], at path: String, mode: mode_t = 0o600) throws {
    unsafe unlink(path)
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, mode)
    try #require(file >= 0)
    defer { close(file) }
    try #require(unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) } == bytes.count)
    try #require(fchmod(file, mode) == 0)
}

/// Creates a vault key from a passphrase.
func passphrase(_ text: String = "correct horse") throws -> VaultKey {
    try unwrap(VaultKey(passphrase: SecretBytes(copying: Array(text.utf8).span)))
}

/// Creates a secret of `count` bytes, all `value`.
func secret(_ value: UInt8, count: Int = 32) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: value, count: count).span)
}

/// The root of `ownedTree`; its bytes occur nowhere else, so tests can search files for them.
let exampleRoot = [UInt8](0x20...0x3f)
/// A period in August 2026.
let examplePeriod = Period(496_000) ?? .last

/// Creates contents without audiences and contacts.
func emptyContents() -> VaultContents {
    VaultContents(
        displayName: "Ada", rootSeed: nil, device: .first, noiseKey: SecretBox(secret(0xa1)), card: [1, 2, 3])
}

/// Creates contents in which every field is set.
func fullContents() throws -> VaultContents {
    var contents = emptyContents()
    contents.displayName = "Ada Löwe"
    contents.rootSeed = SecretBox(try unwrap(RootSeed(secret(0xa2))))
    contents.identityGeneration = 2
    contents.device = try #require(DeviceIndex(3))
    contents.cardSerial = 9
    contents.audiences = [
        Audience(id: 0x0102_0304_0506_0708, generation: 496_001, tree: SecretBox(try ownedTree())),
        Audience(id: 2, generation: 1, tree: SecretBox(AudienceTree(root: secret(0xa3))), name: "Freunde"),
        Audience(
            id: 3, generation: 7, tree: SecretBox(AudienceTree(root: secret(0xa4))), name: "Nächste", within: 2),
    ]
    contents.contacts = [try contact(0xb0), try contact(0xb1)]
    contents.contacts[1].isBlocked = true
    contents.contacts[1].agreement = agreement(.waiting, [1, 4])
    contents.contacts[1].pairwiseKeys = [
        StoredPairwiseKey(number: PairwiseKeyNumber(rawValue: 1), origin: .cards, key: SecretBox(secret(0xb1))),
        StoredPairwiseKey(number: PairwiseKeyNumber(rawValue: 4), origin: .firstContact, key: SecretBox(secret(0xb2))),
    ]
    contents.contacts[1].grants = []
    contents.contacts[0].assigned = [2, 3]
    contents.contacts[0].granted = [
        IssuedGrant(audience: 2, generation: 1, to: examplePeriod), IssuedGrant(audience: 3, generation: 6, to: .last),
    ]
    contents.contacts[0].isLapsing = true
    contents.contacts[0].revokedDevices = [octets(0xd1)]
    contents.contacts[0].delays = ContactDelays(arrive: .seconds(5), leave: .seconds(600), goodbye: .seconds(45))
    contents.contacts[1].delays = ContactDelays(leave: .seconds(86_400))
    contents.formerContacts = [
        FormerContact(
            user: UserID(octets(0xb7).first), name: "Zoë",
            granted: [IssuedGrant(audience: 2, generation: 1, to: examplePeriod)])
    ]
    contents.answeredMessages = [AnsweredMessage(epoch: examplePeriod.firstEpoch, ephemeral: octets(0xa5))]
    contents.visibility = .contact(contents.contacts[0].user)
    contents.highWaterEpoch = examplePeriod.firstEpoch
    contents.latestAcceptedTime = 1_785_600_000
    contents.vouches = [.clock]
    contents.restored = RestoredCopy(generation: 4, latestAcceptedTime: 1_785_500_000)
    contents.restoredFrom = 1_785_400_000
    contents.formerCounterKey = SecretBox(secret(0xa6))
    contents.messageStore = MessageStoreAnchor(key: SecretBox(secret(0xa7)), mark: 11, floor: 12)
    return contents
}

/// Creates the tree that an owner holds in `examplePeriod`.
func ownedTree() throws -> AudienceTree {
    var tree = AudienceTree(root: SecretBytes(copying: exampleRoot.span))
    tree.forget(before: examplePeriod)
    return tree
}

/// Creates a contact with one grant of 30 days.
func contact(_ byte: UInt8) throws -> StoredContact {
    var contact = StoredContact(
        user: UserID(octets(byte).first), card: [UInt8](repeating: byte, count: 246), petname: "Bo",
        agreement: agreement(.complete, [1]),
        pairwiseKeys: [
            StoredPairwiseKey(
                number: PairwiseKeyNumber(rawValue: 1), origin: .firstContact, key: SecretBox(secret(byte)))
        ], added: examplePeriod)
    let to = try #require(Period(examplePeriod.number + 719))
    let root = AudienceTree(root: secret(byte &+ 0x20))
    contact.grants = [
        ReceivedGrant(
            audience: 77, generation: 496_000, from: examplePeriod, to: to, devices: 0b101,
            tree: SecretBox(try unwrap(root.constrained(from: examplePeriod, to: to))))
    ]
    contact.reported = [IssuedGrant(audience: 2, generation: 1, to: to)]
    contact.needsReview = true
    return contact
}

/// Creates an agreement; that of a complete contact has the newest key shared and something granted.
func agreement(_ standing: Standing, _ keys: [UInt32]) -> Agreement {
    var agreement = Agreement()
    agreement.standing = standing
    agreement.keys = keys.map { PairwiseKeyNumber(rawValue: $0) }
    guard standing == .complete else { return agreement }
    agreement.shared = agreement.keys.last
    agreement.turn = 2
    agreement.grantedUntil = examplePeriod
    return agreement
}

/// Creates 32 public bytes, all `value`.
func octets(_ value: UInt8) -> Octets32 {
    let half = Octets16(high: UInt64(value) * 0x0101_0101_0101_0101, low: UInt64(value) * 0x0101_0101_0101_0101)
    return Octets32(first: half, second: half)
}

/// Returns the stored form of contents, in order to compare them.
func encoded(_ contents: VaultContents) throws -> [UInt8] {
    var writer = SecretWriter()
    try contents.write(to: &writer)
    return writer.withBytes { bytes in
        var copy: [UInt8] = []
        copy.append(bytes)
        return copy
    }
}

/// Returns the fault that `action` throws, or nil.
func fault(_ action: () throws(VaultError) -> Void) -> VaultError.Fault? {
    do throws(VaultError) {
        try action()
        return nil
    } catch {
        return error.fault
    }
}

extension VaultFile {
    /// Creates a vault with a passphrase that is cheap to check.
    func createCheaply(_ contents: VaultContents = emptyContents()) throws -> Vault {
        try create(contents, key: passphrase(), cost: .forTests)
    }

    /// Returns the fault with which creating a vault fails, or nil.
    func creationFault() throws -> VaultError.Fault? {
        let key = try passphrase()
        return fault { () throws(VaultError) in _ = try create(emptyContents(), key: key, cost: .forTests) }
    }

    /// Returns the fault with which opening the vault with a passphrase fails, or nil.
    func openingFault(_ text: String = "correct horse") throws -> VaultError.Fault? {
        let key = try passphrase(text)
        return fault { () throws(VaultError) in _ = try open(with: key) }
    }
}
