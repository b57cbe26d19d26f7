public import InklingKeys

extension RecordType {
    /// An offer of a file.
    public static let fileOffer = RecordType(rawValue: 0x14)
    /// The consent of the receiver to a file from an offset on.
    public static let fileGrant = RecordType(rawValue: 0x15)
    /// Bytes of a file.
    public static let fileChunk = RecordType(rawValue: 0x16)
    /// The offset up to which the receiver has stored a file.
    public static let fileTaken = RecordType(rawValue: 0x17)
    /// Every byte of a file has been sent.
    public static let fileEnd = RecordType(rawValue: 0x18)
    /// The receiver has judged and kept a file.
    public static let fileDone = RecordType(rawValue: 0x19)
    /// One of the two ends a transfer, or interrupts it.
    public static let fileStop = RecordType(rawValue: 0x1a)
}

/// The name of a file on the wire: sixteen random bytes. A transfer keeps it in all its sessions.
public struct TransferID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The sixteen bytes.
    public let octets: Octets16

    /// Creates an id from its bytes.
    public init(_ octets: Octets16) { self.octets = octets }

    /// The id in lowercase hexadecimal digits.
    public var description: String { octets.description }

    public static func < (left: Self, right: Self) -> Bool { left.octets < right.octets }
}

/// The reason a transfer is ended or interrupted: the last byte of FILE-STOP (`Specs/files.md`).
package enum FileStopReason: UInt8, Hashable, Sendable, CaseIterable {
    /// A user has ended it. The received part is removed.
    case cancelled = 0
    /// The receiver does not want the file.
    case refused = 1
    /// The file is larger than the receiver accepts.
    case tooLarge = 2
    /// The receiver has no room on its disk, or cannot write.
    case noRoom = 3
    /// The receiver accepts no further file now; the sender can offer it again later.
    case busy = 4
    /// The digest of the whole is wrong. The received part is removed.
    case wrongDigest = 5
    /// The sender's file has changed, or cannot be read.
    case unreadable = 6
    /// The sender stops for now. The received part is kept.
    case paused = 7
}

/// A message between two devices about a file (`Specs/files.md`).
package enum FileWords: Hashable, Sendable {
    /// An offer of a file of this many bytes.
    case offer(TransferID, size: UInt64)
    /// The receiver takes the file from an offset on.
    case grant(TransferID, FileGrant)
    /// The bytes at an offset.
    case chunk(TransferID, offset: UInt64, [UInt8])
    /// Everything before the offset is stored.
    case taken(TransferID, offset: UInt64)
    /// Every byte has been sent, and this is the digest of the whole.
    case end(TransferID, digest: Octets32)
    /// The file has been judged and kept.
    case done(TransferID)
    /// The transfer is ended or interrupted.
    case stop(TransferID, FileStopReason)

    /// The largest size of a file in bytes.
    package static let sizeLimit: UInt64 = 1 << 40
    /// The largest number of bytes in a chunk.
    package static let chunkLimit = 16_000
    /// The largest number of bytes in a chunk over GATT.
    package static let radioChunkLimit = 2000
    /// The largest window in bytes.
    package static let windowLimit: UInt32 = 1 << 18
}

/// The receiver's consent to a file (`Specs/files.md`).
package struct FileGrant: Hashable, Sendable {
    /// The number of bytes of the file that the receiver has.
    package let offset: UInt64
    /// The most bytes that may be on their way or not yet stored.
    package let window: UInt32
    /// The SHA-256 of the bytes that the receiver has.
    package let digest: Octets32

    /// Creates a grant.
    package init(offset: UInt64, window: UInt32, digest: Octets32) {
        self.offset = offset
        self.window = window
        self.digest = digest
    }
}

/// The reason a record about a file is refused (`Specs/files.md`).
package enum FileWordsError: String, Refusal {
    /// The body has too few or too many bytes for its type.
    case wrongLength = "wrong-length"
    /// A size, an offset or a window is out of range.
    case outOfRange = "out-of-range"

    package var stage: String { "file" }
    package var reason: String { rawValue }
}
