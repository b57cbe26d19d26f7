import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

// Files on their way: send one, list them, decide about one.

extension Request {
    /// Sends the file at an absolute path, and reports its transfer until it is over or, without waiting, until it is
    /// queued. A command that ends earlier pauses the transfer.
    struct SendFile: NodeRequest {
        static let name = "send-file", omitted: Set = ["within-epoch", "wait"]
        let contact: String
        let path: String
        /// Whether the transfer pauses at the next boundary.
        let staysInEpoch: Bool?
        /// False to end when it is queued.
        let wait: Bool?

        private enum CodingKeys: String, CodingKey {
            case contact, path, wait
            case staysInEpoch = "within-epoch"
        }

        func check() throws(JSONShapeError) {
            guard path.hasPrefix("/") else { throw JSONShapeError(path: ["path"], what: "must be an absolute path") }
        }

        func run(on served: ServedNode, for peer: Peer<TransferFact>) async throws(Failure) {
            let node = served.node
            let contact = try await served.contact(contact)
            // Subscribe first, so that no change is missed.
            let transfers = node.transfers
            let id = try await nodeFailure { () async throws(NodeError) in
                try await node.sendFile(at: path, to: contact.user, staysInEpoch: staysInEpoch ?? false)
            }
            let known = await node.fileTransfers().first { $0.id == id.description }
            if let known { await peer.take(TransferFact(known, contact: contact.name)) }
            guard wait ?? true else { return }
            let last = await withTaskCancellationHandler { () -> TransferFact? in
                for await transfer in transfers where transfer.id == id.description {
                    let fact = TransferFact(transfer, contact: contact.name)
                    await peer.take(fact)
                    if transfer.state.isLast { return fact }
                }
                return nil
            } onCancel: {
                Task { try? await node.pauseFile(id) }
            }
            guard let last else {
                throw Failure(.unavailable, "the node has stopped; the transfer resumes when the node runs again")
            }
            if let failure = last.failure { throw failure }
        }
    }

    /// Reports every transfer.
    struct Files: NodeRequest {
        static let name = "files", isBrief = true

        func run(on served: ServedNode, for peer: Peer<TransferFact>) async throws(Failure) {
            await served.reportTransfers(to: peer) { _ in true }
        }
    }

    /// Accepts, refuses or cancels the transfer with this id, or whose id begins with these at least 8 characters.
    struct ChangeFile: NodeRequest {
        static let name = "file"
        let transfer: String
        let change: TransferChange

        func run(on served: ServedNode, for peer: Peer<TransferFact>) async throws(Failure) {
            let matches = await served.node.fileTransfers().filter {
                $0.id == transfer || transfer.utf8.count >= 8 && $0.id.hasPrefix(transfer)
            }
            guard matches.count == 1, let octets = matches.first.flatMap({ Octets16($0.id) }) else {
                throw Failure(
                    .badData, "there is no transfer '\(printable(transfer))'",
                    remedy: .command("List them with", "files list"))
            }
            let id = TransferID(octets)
            try await nodeFailure { () async throws(NodeError) in
                switch change {
                case .accept: try await served.node.acceptFile(id)
                case .refuse: try await served.node.refuseFile(id)
                case .cancel: try await served.node.cancelFile(id)
                }
            }
            await served.reportTransfers(to: peer) { $0.id == id.description }
        }
    }
}

/// A user's decision about a transfer.
enum TransferChange: String, Codable {
    case accept, refuse, cancel

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let known = TransferChange(rawValue: text) else {
            throw JSONShapeError(path: ["change"], what: "must be accept, refuse or cancel")
        }
        self = known
    }
}

extension ServedNode {
    fileprivate func reportTransfers(to peer: Peer<TransferFact>, where isWanted: (FileTransfer) -> Bool) async {
        let names = Dictionary(uniqueKeysWithValues: await node.contacts().map { ($0.user, $0.name) })
        for transfer in await node.fileTransfers() where isWanted(transfer) {
            await peer.take(TransferFact(transfer, contact: names[transfer.contact] ?? ""))
        }
    }
}

/// A file on its way to or from a contact.
struct TransferFact: NodeFact, Hashable {
    static let kind = "transfer"

    /// The id of the transfer, 32 hexadecimal digits.
    let transfer: String
    /// The name that the user sees, and the id of the contact.
    let contact: String
    let id: String
    let direction: FileTransfer.Direction
    /// Sizes in bytes; `stored` is at the receiver.
    let size: UInt64
    let stored: UInt64
    let state: FileTransfer.State
    let reason: FileTransfer.Reason?
    let path: String?

    init(_ transfer: FileTransfer, contact name: String) {
        self.transfer = transfer.id
        contact = name
        id = transfer.contact.octets.description
        direction = transfer.direction
        size = transfer.size
        stored = transfer.stored
        state = transfer.state
        reason = transfer.reason
        path = transfer.path
    }

    /// The first characters of the id, which name the transfer in a command.
    private var short: String { String(transfer.prefix(8)) }

    /// The state of the transfer in words.
    var sentence: String {
        let name = printable(contact)
        let file = "file \(short) of \(plural(Int(clamping: size), "byte"))"
        return switch (state, direction) {
        case (.queued, _): "\(name): \(file) waits until the contact is near"
        case (.offered, _): "\(name): \(file) is offered"
        case (.asked, _): "\(name) offers \(file); accept it with: inkling files accept \(short)"
        case (.running, .out): "\(name): \(file) is on its way"
        case (.running, .in): "\(name): receiving \(file)"
        case (.interrupted, _): "\(name): \(file) goes on at the next meeting"
        case (.paused, _): "\(name): \(file) is interrupted\(because)"
        case (.delivered, _): "\(name) has \(file)"
        case (.kept, _): "\(name): \(file) is in \(printable(path ?? ""))"
        case (.ended, _): "\(name): \(file) was not transferred\(because)"
        }
    }

    /// The line in a list.
    var line: String {
        let share = size == 0 ? 100 : Int(Double(stored) / Double(size) * 100)
        return
            "\(short)  \(direction == .out ? "to" : "from") \(printable(contact))  \(size) bytes  \(state.rawValue)  \(share) %\n"
    }

    private var because: String {
        switch reason {
        case .cancelled: ": cancelled by a user"
        case .refused: ": it was refused"
        case .tooLarge: ": it is too large for the contact"
        case .noRoom: ": there is no room on the receiver's disk"
        case .busy: ": the contact accepts no files now"
        case .wrongDigest: ": the received file is corrupt"
        case .unreadable: ": the file has changed or cannot be read"
        case .paused, nil: ""
        case .expired: ": no progress for seven days"
        case .boundary: ": the quarter of an hour is over"
        case .removed: ": the contact was removed"
        }
    }

    /// The failure of a command that waited for the delivery; nil when the file was delivered.
    var failure: Failure? {
        switch state {
        case .delivered, .kept: nil
        case .paused: Failure(.finding, sentence, remedy: "Repeat the command to resume.")
        default: Failure(.finding, sentence)
        }
    }
}
