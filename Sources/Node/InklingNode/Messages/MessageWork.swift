internal import InklingKeys
internal import InklingWire

/// What is to be done with the message store, in order. One piece of work is under way at a time.
struct MessageWork: Sendable {
    /// One piece of work.
    enum Item: Sendable {
        /// Make changes, and report that they are stored or could not be.
        case write([MessageStoreChange], FollowUp)
        /// Read queued messages for the machine that sends them.
        case load(KnownDevice, ClosedRange<UInt64>)
        /// Read received messages, and give them to the application.
        case deliver(KnownDevice, ClosedRange<UInt64>)
        /// Read the text of one message.
        case read(MessagePlace, Reply<String?>)
    }

    /// What is reported when changes are stored.
    enum FollowUp: Sendable {
        case nothing
        /// A message was queued with this number.
        case queued(KnownDevice, UInt64, TextID, Answer<TextID>)
        /// A message was received.
        case received(KnownDevice, UInt64)
        /// The application has taken messages up to an arrival, of a total length.
        case taken(KnownDevice, UInt64, byteCount: UInt64, Answer<Void>?)
        /// A message was removed.
        case removed(Answer<Void>)
    }

    /// How many changes are written together at most.
    private static let groupLimit = 256

    private var waiting: [Item] = []
    private(set) var isUnderWay = false

    mutating func want(_ item: Item) { waiting.append(item) }

    /// Begins the next work: several writes that follow each other, or one of another kind; nil when there is none, or one
    /// is under way.
    mutating func begin() -> [Item]? {
        guard !isUnderWay, let first = waiting.first else { return nil }
        var items: [Item] = []
        if case .write = first {
            items = Array(
                waiting.prefix(Self.groupLimit).prefix { if case .write = $0 { true } else { false } })
        } else {
            items = [first]
        }
        waiting.removeFirst(items.count)
        isUnderWay = true
        return items
    }

    mutating func end() { isUnderWay = false }
}

/// What was done with the message store.
enum MessageWorkOutcome: Sendable {
    case stored([MessageWork.FollowUp], generation: UInt64)
    case notStored([MessageWork.FollowUp], MessageStoreError)
    /// Queued texts by number; nil for one that is damaged.
    case loaded(KnownDevice, [UInt64: String?])
    case delivered(KnownDevice, [(arrival: UInt64, text: String)])
}
