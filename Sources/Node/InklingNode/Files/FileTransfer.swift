public import InklingKeys
internal import InklingWire

/// A file on its way to or from a contact.
public struct FileTransfer: Hashable, Sendable, Codable {
    /// Which way the file goes.
    public enum Direction: String, Hashable, Sendable, Codable {
        /// To the contact.
        case out
        /// From the contact.
        case `in`
    }

    /// What becomes of it.
    public enum State: String, Hashable, Sendable, Codable {
        /// It waits until the contact is near, or until another transfer is over.
        case queued
        /// It was offered, and the other side has not answered.
        case offered
        /// An offer of the contact waits for this node's user.
        case asked
        /// It is on its way.
        case running
        /// The session has ended; it goes on in the next one.
        case interrupted
        /// A user has interrupted it.
        case paused
        /// The contact's node has judged and kept it.
        case delivered
        /// This node has judged and kept it.
        case kept
        /// It has failed, or somebody has ended it; the reason says why.
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
    /// Which way the file goes.
    public let direction: Direction
    /// The size of the file in bytes.
    public let size: UInt64
    /// How many bytes of it are stored at the receiver.
    public let stored: UInt64
    /// What becomes of it.
    public let state: State
    /// Why it is over or interrupted; nil for other states.
    public let reason: Reason?
    /// Where this node has the file; nil while it is received.
    public let path: String?

    /// Why a transfer is over or interrupted.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// A user has ended it.
        case cancelled
        /// The receiver does not want the file.
        case refused
        /// The file is larger than what the receiver takes.
        case tooLarge = "too-large"
        /// The receiver has no room on its disk.
        case noRoom = "no-room"
        /// The receiver takes no further file now.
        case busy
        /// Other bytes have arrived than were sent.
        case wrongDigest = "wrong-digest"
        /// The file has changed, or cannot be read.
        case unreadable
        /// A user has interrupted it.
        case paused
        /// Nothing has moved for seven days.
        case expired
        /// The user wanted it to end with the epoch.
        case boundary
        /// The contact is none any more.
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

/// Which files a node takes without asking its user.
public struct FileRule: Hashable, Sendable {
    /// The largest size for every contact without a limit of its own, in bytes. Zero, the default, takes nothing.
    public var limit: UInt64
    /// The largest sizes for some contacts.
    public var limits: [UserID: UInt64]

    /// Creates a rule; without arguments it takes nothing.
    public init(limit: UInt64 = 0, limits: [UserID: UInt64] = [:]) {
        self.limit = limit
        self.limits = limits
    }

    func limit(for user: UserID) -> UInt64 { limits[user] ?? limit }
}
