public import InklingKeys
internal import InklingWire

/// A file on its way to or from a contact.
public struct FileTransfer: Hashable, Sendable, Codable {
    /// The direction of a transfer.
    public enum Direction: String, Hashable, Sendable, Codable {
        /// To the contact.
        case out
        /// From the contact.
        case `in`
    }

    /// The state of a transfer.
    public enum State: String, Hashable, Sendable, Codable {
        /// It waits for the contact to be near, or for another transfer to finish.
        case queued
        /// It was offered, and the other side has not answered.
        case offered
        /// An offer of the contact waits for this node's user.
        case asked
        /// It is in progress.
        case running
        /// The session has ended; the transfer continues in the next one.
        case interrupted
        /// A user has paused it.
        case paused
        /// The contact's node has verified and kept it.
        case delivered
        /// This node has verified and kept it.
        case kept
        /// It has failed or was ended; the reason says why.
        case ended

        /// Whether nothing more happens without a user.
        public var isLast: Bool {
            switch self {
            case .delivered, .kept, .ended, .paused: true
            case .queued, .offered, .asked, .running, .interrupted: false
            }
        }
    }

    /// The id of the transfer: 32 hexadecimal digits.
    public let id: String
    /// The contact.
    public let contact: UserID
    /// The direction of the transfer.
    public let direction: Direction
    /// The size of the file in bytes.
    public let size: UInt64
    /// The number of bytes stored by the receiver.
    public let stored: UInt64
    /// The state of the transfer.
    public let state: State
    /// The reason why it ended or was interrupted; nil in other states.
    public let reason: Reason?
    /// The path of the file on this node; nil while it is received.
    public let path: String?

    /// The reason for the end or an interruption of a transfer.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// A user has cancelled it.
        case cancelled
        /// The receiver does not want the file.
        case refused
        /// The file exceeds the receiver's size limit.
        case tooLarge = "too-large"
        /// The receiver has no room on its disk.
        case noRoom = "no-room"
        /// The receiver accepts no further file now.
        case busy
        /// The bytes received differ from those sent.
        case wrongDigest = "wrong-digest"
        /// The file has changed, or cannot be read.
        case unreadable
        /// A user has paused it.
        case paused
        /// There was no progress for seven days.
        case expired
        /// The user wanted it to end with the epoch.
        case boundary
        /// The contact was removed.
        case removed
    }
}

extension FileTransfer.Reason {
    init(_ reason: FileStopReason) {
        self =
            switch reason {
            case .cancelled: .cancelled
            case .refused: .refused
            case .tooLarge: .tooLarge
            case .noRoom: .noRoom
            case .busy: .busy
            case .wrongDigest: .wrongDigest
            case .unreadable: .unreadable
            case .paused: .paused
            }
    }
}

extension FileTransfer: FeedElement {
    func after(missing count: Int) -> [Self] { [self] }
}

/// The rule by which a node accepts files without asking its user.
public struct FileRule: Hashable, Sendable {
    /// The maximum size for every contact without a limit of its own, in bytes. Zero, the default, accepts nothing.
    public var limit: UInt64
    /// The maximum sizes for individual contacts, in bytes.
    public var limits: [UserID: UInt64]

    /// Creates a rule; without arguments it accepts nothing.
    public init(limit: UInt64 = 0, limits: [UserID: UInt64] = [:]) {
        self.limit = limit
        self.limits = limits
    }

    func limit(for user: UserID) -> UInt64 { limits[user] ?? limit }
}
