internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The transfers with all contacts: the exchange with each device, and the files that wait for one.
struct FileTraffic: Sendable {
    /// The maximum number of transfers with parts of a file in memory, over all contacts. Three windows are under 1 MB.
    static let runningLimit = 3
    /// The time for which an unfinished transfer is kept, in seconds.
    static let lifetime: UInt64 = 7 * 86_400
    /// The interval between checks for expired transfers.
    static let expiryInterval = Duration.seconds(3600)
    /// The minimum time between two progress reports of a transfer, in milliseconds.
    private static let reportInterval: UInt64 = 200

    /// The number of listed transfers above which finished ones are dropped.
    private static let shownLimit = 256

    /// A transfer as listed.
    struct Shown: Sendable {
        let device: KnownDevice?
        let user: UserID
        let direction: FileTransfer.Direction
        let size: UInt64
        var stored: UInt64 = 0
        var state: FileTransfer.State
        var path: String?
        var reportedAt: Tick?
    }

    /// The rule by which files are accepted without asking.
    var rule = FileRule()
    var exchanges: [KnownDevice: FileExchange] = [:]
    /// The session in which each device and this one exchange messages about files.
    var current: [KnownDevice: SessionID] = [:]
    /// The files that go to contacts.
    var queue: [TransferID: QueuedFile] = [:]
    /// The device to whose exchange each queued file was given.
    var assigned: [TransferID: KnownDevice] = [:]
    var shown: [TransferID: Shown] = [:]
    /// The reason for a transfer's coming end, where it differs from the exchange's.
    var ending: [TransferID: FileTransfer.Reason] = [:]
    var expiresAt: Tick?

    /// The time at which `fileTimerFired` is due.
    var due: Tick? { (exchanges.values.compactMap(\.due) + [expiresAt].compactMap(\.self)).min() }

    /// Whether there is memory for another transfer.
    var hasRoom: Bool { exchanges.values.reduce(0) { $0 + $1.runningCount } < Self.runningLimit }

    /// Returns the files that wait for a session with a device, ordered by id.
    func waiting(for device: KnownDevice) -> [QueuedFile] {
        queue.values.filter { file in
            guard file.user == device.user, !file.isPaused, file.device.map({ $0 == device.device }) ?? true else {
                return false
            }
            return assigned[file.id].map { $0 != device && current[$0] == nil } ?? true
        }.sorted { $0.id < $1.id }
    }

    /// Records the progress of a transfer; returns whether to report it now.
    mutating func note(_ stored: UInt64, of id: TransferID, at now: Tick) -> Bool {
        shown[id]?.stored = stored
        guard let reported = shown[id]?.reportedAt, now.milliseconds(since: reported) < Self.reportInterval else {
            shown[id]?.reportedAt = now
            return true
        }
        return false
    }

    /// Records that the receiver has all of a file.
    mutating func noteWhole(_ id: TransferID) {
        guard let size = shown[id]?.size else { return }
        shown[id]?.stored = size
    }

    /// Drops finished transfers when there are too many, and with them contacts' interrupted ones: a transfer that a
    /// contact starts and never finishes takes no memory.
    mutating func trim() {
        guard shown.count > Self.shownLimit else { return }
        shown = shown.filter { id, one in
            queue[id] != nil || !one.state.isLast && one.state != .interrupted
        }
    }

    /// Drops a device's unanswered offers: it repeats them in its next session.
    mutating func forgetOffers(of device: KnownDevice) {
        shown = shown.filter { $0.value.device != device || $0.value.state != .asked }
    }

    /// Returns a transfer as listed, with the reason for its end.
    func transfer(_ id: TransferID, _ reason: FileTransfer.Reason? = nil) -> FileTransfer? {
        shown[id].map {
            FileTransfer(
                id: id.description, contact: $0.user, direction: $0.direction, size: $0.size, stored: $0.stored,
                state: $0.state, reason: reason, path: $0.path)
        }
    }

    /// Returns the unfinished transfers, and those that ended in this run.
    func list(_ contents: VaultContents) -> [FileTransfer] {
        shown.keys.sorted().compactMap { transfer($0) }.filter { contents.index(of: $0.contact) != nil }
    }
}

/// A file that a user sends.
struct NewFile: Sendable {
    let user: UserID
    let path: String
    let size: UInt64
    let version: UInt64
    let staysInEpoch: Bool
}

/// A user's decision about a transfer.
enum FileChange: Sendable {
    case pause, cancel, accept, refuse
}
