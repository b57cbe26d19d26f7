internal import InklingKeys
internal import InklingWire

/// All files that go to contacts or come from them: the exchange with each device, and what waits for one.
struct FileTraffic: Sendable {
    /// How many transfers have parts of a file in memory at once, over all contacts. Three windows are less than 1 MB.
    static let runningLimit = 3
    /// How long an unfinished transfer is kept.
    static let lifetime: UInt64 = 7 * 86_400
    /// How often expired transfers are looked for.
    static let expiryInterval = Duration.seconds(3600)
    /// How often the progress of a transfer is reported at most, in milliseconds.
    private static let reportInterval: UInt64 = 200

    /// How many transfers are shown at least before those that are over are forgotten.
    private static let shownLimit = 256

    /// What is shown of a transfer.
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

    /// Which files are taken without asking.
    var rule = FileRule()
    var exchanges: [KnownDevice: FileExchange] = [:]
    /// The session in which each device and this one speak about files.
    var current: [KnownDevice: SessionID] = [:]
    /// The files that go to contacts.
    var queue: [TransferID: QueuedFile] = [:]
    /// To the exchange of which device each of them was given.
    var assigned: [TransferID: KnownDevice] = [:]
    var shown: [TransferID: Shown] = [:]
    /// Why the next end of a transfer happens, where it is not what the exchange says.
    var ending: [TransferID: FileTransfer.Reason] = [:]
    var expiresAt: Tick?

    /// When `fileTimerFired` is due.
    var due: Tick? { (exchanges.values.compactMap(\.due) + [expiresAt].compactMap(\.self)).min() }

    /// Whether there is memory for another transfer.
    var hasRoom: Bool { exchanges.values.reduce(0) { $0 + $1.runningCount } < Self.runningLimit }

    /// The files that wait for a session with a device.
    func waiting(for device: KnownDevice) -> [QueuedFile] {
        queue.values.filter { file in
            guard file.user == device.user, !file.isPaused, file.device.map({ $0 == device.device }) ?? true else {
                return false
            }
            return assigned[file.id].map { $0 != device && current[$0] == nil } ?? true
        }.sorted { $0.id < $1.id }
    }

    /// Notes the progress of a transfer; returns whether it should be reported now.
    mutating func note(_ stored: UInt64, of id: TransferID, at now: Tick) -> Bool {
        shown[id]?.stored = stored
        guard let reported = shown[id]?.reportedAt, now.milliseconds(since: reported) < Self.reportInterval else {
            shown[id]?.reportedAt = now
            return true
        }
        return false
    }

    /// Notes that the receiver has all of a file.
    mutating func noteWhole(_ id: TransferID) {
        guard let size = shown[id]?.size else { return }
        shown[id]?.stored = size
    }

    /// Forgets the transfers that are over, when there are many, and then the interrupted ones of others: what a contact
    /// begins and does not end takes no memory.
    mutating func trim() {
        guard shown.count > Self.shownLimit else { return }
        shown = shown.filter { id, one in
            queue[id] != nil || !one.state.isLast && one.state != .interrupted
        }
    }

    /// Forgets the offers of a device that nobody has answered: it makes them again in its next session.
    mutating func forgetOffers(of device: KnownDevice) {
        shown = shown.filter { $0.value.device != device || $0.value.state != .asked }
    }

    /// What is shown of a transfer, with the reason of its end.
    func transfer(_ id: TransferID, _ reason: FileTransfer.Reason? = nil) -> FileTransfer? {
        shown[id].map {
            FileTransfer(
                id: id.description, contact: $0.user, direction: $0.direction, size: $0.size, stored: $0.stored,
                state: $0.state, reason: reason, path: $0.path)
        }
    }

    /// The transfers that are not over, and those that ended in this run.
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

/// What a user wants of a transfer.
enum FileChange: Sendable {
    case pause, cancel, accept, refuse
}
