import InklingKeys
import InklingWire

/// The content of a simulated disk about one other device.
struct SyncImage {
    var base: UInt64 = 0
    var next: UInt64 = 1
    var queue: [UInt64: SyncMessage] = [:]
    var last: SyncReceipt.Last?
    var arrivals: UInt64 = 0
    var taken: UInt64 = 0
    /// By arrival.
    var inbox: [UInt64: SyncMessage] = [:]
    var identifiers: Set<TextID> = []
    /// The number of texts that came although they were here already.
    var repeats = 0

    /// The stored state; nil if the fields do not fit each other, which is a fault of the machine.
    var state: SyncState? {
        let kept = queue.values.reduce(0) { $0 + UInt64($1.text?.utf8.count ?? 0) }
        let waiting = inbox.filter { $0.key > taken }.values.reduce(0) { $0 + UInt64($1.text?.utf8.count ?? 0) }
        guard
            let outgoing = SyncState.Outgoing(base: base, next: next, byteCount: kept),
            let incoming = SyncState.Incoming(last: last, arrivals: arrivals, taken: taken, byteCount: waiting)
        else { return nil }
        return SyncState(outgoing: outgoing, incoming: incoming)
    }

    /// A write that is lost in a crash until it is synchronised.
    enum Write {
        case enqueue(SyncMessage)
        case withdraw(UInt64)
        case drop(UInt64)
        case store(SyncMachine.Arrival)
        case take(UInt64)
    }

    mutating func apply(_ write: Write) {
        switch write {
        case .enqueue(let message):
            queue[message.number] = message
            next = message.number + 1
        case .withdraw(let number):
            guard let kept = queue[number] else { return }
            queue[number] = try? SyncMessage(number: number, id: kept.id, writtenAt: kept.writtenAt, text: nil)
        case .drop(let number):
            for kept in queue.keys where kept <= number { queue[kept] = nil }
            base = number
        case .store(let arrival):
            last = SyncReceipt.Last(stream: arrival.stream, number: arrival.message.number, id: arrival.message.id)
            arrivals = arrival.arrival
            // A text that is here already is not stored again.
            guard arrival.message.text != nil else { return }
            guard identifiers.insert(arrival.message.id).inserted else { return repeats += 1 }
            inbox[arrival.arrival] = arrival.message
        case .take(let arrival): taken = max(taken, arrival)
        }
    }
}

/// A simulated device: the machine, its disk, and an application that keeps the identifier of a text with its effect.
struct SyncDevice {
    var machine: SyncMachine
    /// The image that survives a crash.
    var durable: SyncImage
    /// The image that reads see.
    var working: SyncImage
    var unsynchronised: [SyncImage.Write] = []
    var load: ClosedRange<UInt64>?
    /// Texts for which `enqueue` comes.
    var written: [TextID: String] = [:]
    /// The arrival up to which the application may read.
    var deliverable: UInt64 = 0
    /// The texts whose effect the application has stored durably.
    var log: [TextID] = []
    var seen: Set<TextID> = []
    /// The identifiers of its durably queued texts by number, in the present course of its history.
    var ledger: [UInt64: TextID] = [:]
    /// Texts that it queued in courses of its history that a restored copy ended.
    var disowned: Set<TextID> = []
    var withdrawn: Set<TextID> = []
    /// Texts that it has dropped as received.
    var dropped: Set<TextID> = []

    /// A copy of the disk, and the texts that had been queued when it was made.
    struct Backup {
        let image: SyncImage
        let ledger: [UInt64: TextID]
    }

    init(stream: StreamID) {
        durable = SyncImage()
        working = durable
        machine = SyncMachine(SyncState(), stream: stream)
    }

    mutating func write(_ write: SyncImage.Write) {
        working.apply(write)
        unsynchronised.append(write)
    }

    /// Loses everything that is not synchronised, and starts again in a stream.
    mutating func crash(as stream: StreamID) -> Bool {
        working = durable
        unsynchronised = []
        load = nil
        written = [:]
        deliverable = 0
        guard let state = durable.state else { return false }
        machine = SyncMachine(state, stream: stream)
        return true
    }

    /// Makes an older image the present one, and starts again in a stream.
    mutating func restore(_ backup: Backup, as stream: StreamID) -> Bool {
        disowned.formUnion(ledger.values)
        disowned.subtract(backup.ledger.values)
        ledger = backup.ledger
        durable = backup.image
        return crash(as: stream)
    }
}
