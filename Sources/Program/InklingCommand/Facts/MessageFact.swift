import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

/// A stored message.
struct MessageFact: Codable, Hashable, Sendable {
    /// The identifier, 32 hexadecimal digits.
    let message: String
    let contact: String
    let id: String
    let device: UInt8
    let state: StoredMessage.State
    /// Unix seconds by the sender's clock; 0 if unknown.
    let written: UInt64
    /// The time of its expiry, delivery or receipt, depending on its state, in Unix seconds.
    let time: UInt64
    let bytes: Int
    /// The text, only in the answer to a request for one message.
    var text: String?

    init(_ message: StoredMessage, of contact: String, text: String? = nil) {
        self.message = message.id.description
        self.contact = contact
        id = message.contact.octets.description
        device = message.device.number
        state = message.state
        written = message.writtenAt
        time = message.time
        bytes = message.byteCount
        self.text = text
    }

    /// The human-readable line, without the text.
    var line: String {
        let direction = state == .queued || state == .delivered ? "to" : "from"
        let what =
            switch state {
            case .queued: "queued, expires \(timestamp(time))"
            case .delivered: "delivered \(timestamp(time))"
            case .unread: "unread, received \(timestamp(time))"
            case .read: "read, received \(timestamp(time))"
            }
        return "\(message.prefix(8))  \(direction) \(printable(contact))  \(what)\n"
    }
}
