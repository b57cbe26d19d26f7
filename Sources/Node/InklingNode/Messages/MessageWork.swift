internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The queue of work on the message store. One piece of work runs at a time.
struct MessageWork: Sendable {
    /// A piece of work.
    enum Item: Sendable {
        /// Apply changes, and report whether they were stored.
        case write([MessageStoreChange], FollowUp)
        /// Read queued messages for the machine that sends them.
        case load(KnownDevice, ClosedRange<UInt64>)
        /// Read received messages, and pass them to the application.
        case deliver(KnownDevice, ClosedRange<UInt64>)
        /// Read the text of one message.
        case read(MessagePlace, Reply<String?>)
    }

    /// The report that follows stored changes.
    enum FollowUp: Sendable {
        case nothing
        /// A message was queued with this number.
        case queued(KnownDevice, UInt64, TextID, Answer<TextID>)
        /// A message was received.
        case received(KnownDevice, UInt64)
        /// The application has acknowledged messages up to an arrival, of this total length.
        case taken(KnownDevice, UInt64, byteCount: UInt64, Answer<Void>?)
        /// A message was removed.
        case removed(Answer<Void>)
    }

    /// The maximum number of writes grouped together.
    private static let groupLimit = 256

    private var waiting: [Item] = []
    private(set) var isUnderWay = false

    mutating func want(_ item: Item) { waiting.append(item) }

    /// Begins the next work: several consecutive writes, or one item of another kind; nil if there is none, or work is
    /// running.
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

/// The outcome of work on the message store.
enum MessageWorkOutcome: Sendable {
    case stored([MessageWork.FollowUp], generation: UInt64)
    case notStored([MessageWork.FollowUp], MessageStoreError)
    /// Queued texts by number; nil for a damaged one.
    case loaded(KnownDevice, [UInt64: String?])
    case delivered(KnownDevice, [(arrival: UInt64, text: String)])
}
