public import InklingKeys

/// A change of one row of a message store.
public enum MessageStoreChange: Hashable, Sendable {
    /// Stores a body, replacing an existing one.
    case put(MessagePlace, [UInt8])
    /// Removes a row; does nothing if there is none.
    case remove(MessagePlace)

    /// The place of the row.
    public var place: MessagePlace {
        switch self {
        case .put(let place, _), .remove(let place): place
        }
    }
}

/// The place of a row in a message store: a row moved to another place is detected.
public struct MessagePlace: Hashable, Sendable, Comparable {
    /// The kind of a row.
    public enum Direction: UInt8, Hashable, Sendable, CaseIterable {
        /// The state of the streams between two devices.
        case state = 0
        /// A message that waits for the other device.
        case queued = 1
        /// A message that the other device has acknowledged, without its text.
        case delivered = 2
        /// A message sent by the other device.
        case received = 3
    }

    /// The length of an encoded place in bytes.
    static let byteCount = 26

    /// The contact.
    public let contact: UserID
    /// The contact's device.
    public let device: DeviceIndex
    /// The kind of the row.
    public let direction: Direction
    /// The number of the message among those of its direction; 0 for the state.
    public let number: UInt64

    /// Creates a place.
    public init(
        _ direction: Direction, contact: UserID, device: DeviceIndex, number: UInt64 = 0
    ) {
        self.contact = contact
        self.device = device
        self.direction = direction
        self.number = number
    }

    /// Compares places by contact, device, direction and number.
    public static func < (left: Self, right: Self) -> Bool {
        (left.contact, left.device.number, left.direction.rawValue, left.number)
            < (right.contact, right.device.number, right.direction.rawValue, right.number)
    }

    func append(to output: inout (some ByteSink & ~Copyable)) {
        output.append(contact.octets)
        output.append(u8: device.number)
        output.append(u8: direction.rawValue)
        output.append(u64: number)
    }

    /// Parses an encoded place; returns nil for anything else.
    init?(parsing input: Span<UInt8>) {
        guard input.count == Self.byteCount, let user = Octets16(input.extracting(..<16)),
            let device = DeviceIndex(input[16]), let direction = Direction(rawValue: input[17])
        else { return nil }
        self.init(
            direction, contact: UserID(user), device: device, number: input.bigEndian(at: 18, count: 8))
    }
}

/// The contents of a message store when it is opened.
public struct LoadedMessages: Hashable, Sendable {
    /// A row, with a long body truncated.
    public struct Row: Hashable, Sendable {
        /// The place of the row.
        public let place: MessagePlace
        /// The first bytes of the body, at most 256.
        public let prefix: [UInt8]
        /// The length of the whole body in bytes.
        public let byteCount: Int

        /// Creates a row of a whole body.
        package init(_ place: MessagePlace, body: [UInt8]) {
            self.place = place
            prefix = Array(body.prefix(LoadedMessages.prefixLimit))
            byteCount = body.count
        }
    }

    /// The number of bytes loaded of each body.
    public static let prefixLimit = 256

    /// The rows, in ascending order of their places.
    public var rows: [Row]
    /// The generation of the store.
    public var generation: UInt64
    /// The number of times that rows may have been lost or replaced by older ones. A node that has seen a lower number
    /// begins new streams, so that no number is used twice.
    public var era: UInt64
    /// The findings at opening, worst first; empty if the store is as it was left.
    public var findings: [MessageStoreFinding]

    /// Creates the contents of a store.
    package init(rows: [Row], generation: UInt64, era: UInt64, findings: [MessageStoreFinding]) {
        self.rows = rows
        self.generation = generation
        self.era = era
        self.findings = findings
    }
}

/// A finding of a message store at opening. Usable rows are kept.
public enum MessageStoreFinding: Hashable, Sendable, Codable {
    /// The store is older than the last one written: later messages are lost.
    case restoredOldCopy(generation: UInt64, expected: UInt64)
    /// The vault was adopted as a restored copy, so the store may belong to a later one.
    case restoredVault
    /// The head file is missing or was changed, so the store may be an old copy.
    case unknownAge
    /// Rows were removed, added or replaced by older ones; it is not known which.
    case changedRows
    /// This many rows were damaged and are lost.
    case damagedRows(count: Int)
    /// The database was damaged and set aside; readable rows were moved to a new one.
    case setAside
}

extension MessageStoreFinding: CustomStringConvertible {
    /// The finding in words.
    public var description: String {
        switch self {
        case .restoredOldCopy(let generation, let expected):
            "the stored messages are an old copy: generation \(generation) instead of \(expected)"
        case .restoredVault: "the vault is a restored copy, so stored messages may belong to a later one"
        case .unknownAge: "the stored messages may be an old copy: their head file is missing or was changed"
        case .changedRows: "stored messages were removed or replaced by older ones"
        case .damagedRows(let count): "\(count) stored messages were damaged and are lost"
        case .setAside: "the stored messages were damaged; what could be read was kept"
        }
    }
}

/// The reason why stored messages cannot be read or written. It contains no key, no name and no part of a message.
///
/// When it is thrown, the stored messages are unchanged (`Specs/message-store.md`).
public struct MessageStoreError: Error, Hashable, Sendable, Codable {
    /// The reason.
    public let fault: Fault
    /// The path of the file or directory concerned.
    public let path: String

    package init(_ fault: Fault, _ path: String) {
        self.fault = fault
        self.path = path
    }

    /// Creates an error from a vault's error about a file of the home.
    package init(_ error: VaultError) { self.init(.file(error.fault), error.path) }

    /// The kinds of reasons.
    public enum Fault: Error, Hashable, Sendable, Codable {
        /// The file cannot be used, for a reason that a vault has too.
        case file(VaultError.Fault)
        /// The file is not a database of messages.
        case foreign
        /// A later version of this program wrote the file.
        case newerVersion(found: UInt32)
        /// The file is longer than a store may be.
        case tooLarge(bytes: UInt64, limit: UInt64)
        /// A row was damaged after the store was opened.
        case damaged
        /// A body is longer than a row may be.
        case bodyTooLarge(bytes: Int, limit: Int)
        /// The store has been closed, or has failed permanently.
        case closed

        private enum FileCodingKeys: String, CodingKey { case _0 = "fault" }
    }
}

extension MessageStoreError: CustomStringConvertible {
    /// The path, the reason and the remedy.
    public var description: String { "\(path): \(fault)" }
}

extension MessageStoreError.Fault: CustomStringConvertible {
    /// The reason and the remedy, without the path.
    public var description: String {
        switch self {
        case .file(let fault): "\(fault)"
        case .foreign: "not a store of messages; move the file away"
        case .newerVersion(let found): "written by a later release (version \(found)); install that release"
        case .tooLarge(let bytes, let limit):
            "file has \(bytes) bytes, at most \(limit) are allowed; move it away"
        case .damaged: "a stored message was damaged; start the node again"
        case .bodyTooLarge(let bytes, let limit): "a message has \(bytes) bytes, at most \(limit) can be stored"
        case .closed: "cannot be used any more; start the node again"
        }
    }
}
