import InklingKeys
import InklingNode
import InklingTerminal

/// A file on its way to or from a contact.
struct TransferFact: Codable, Hashable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case transfer, contact, id, direction, size, stored, state, reason, path
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(transfer, forKey: .transfer)
        try members.encode(contact, forKey: .contact)
        try members.encode(id, forKey: .id)
        try members.encode(direction, forKey: .direction)
        try members.encode(size, forKey: .size)
        try members.encode(stored, forKey: .stored)
        try members.encode(state, forKey: .state)
        // Encode a missing value as null.
        try members.encode(reason, forKey: .reason)
        try members.encode(path, forKey: .path)
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
