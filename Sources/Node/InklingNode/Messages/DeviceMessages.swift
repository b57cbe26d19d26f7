internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The messages between this device and one other: their stored rows, and the machine that delivers them.
struct DeviceMessages: Sendable {
    /// The maximum number of delivered messages, and of received ones, kept for the list of messages.
    static let keptLimit = 1000

    let peer: KnownDevice
    var machine: SyncMachine
    /// The state that the store holds once everything written to it has been stored.
    var stored: StoredDelivery
    /// Messages that wait for the other device, by number. One without a text was withdrawn.
    private(set) var queued: [UInt64: MessageRow] = [:]
    /// Messages that were acknowledged, by number.
    private(set) var delivered: [UInt64: MessageRow] = [:]
    /// Messages of the other device, by arrival.
    private(set) var received: [UInt64: MessageRow] = [:]
    /// The arrivals of the received messages, by identifier.
    private var receivedIDs: [TextID: UInt64] = [:]
    /// The time at which the machine's timer fires; nil if it is not set.
    var wake: Tick?

    /// Creates the messages of a device with which none were exchanged.
    init(with peer: KnownDevice, stream: StreamID) {
        self.peer = peer
        stored = StoredDelivery()
        machine = SyncMachine(SyncState(), stream: stream)
    }

    /// Creates the messages of a device from the rows of a store. Lost messages keep their numbers.
    ///
    /// - Parameters:
    ///   - peer: the device.
    ///   - rows: all rows of the device.
    ///   - stream: the stream of the messages that this process sends.
    ///   - randomness: for the identifiers of lost messages.
    init(
        with peer: KnownDevice, rows: [LoadedMessages.Row], stream: StreamID,
        using randomness: inout some RandomNumberGenerator
    ) {
        self.init(with: peer, stream: stream)
        var found: StoredDelivery?
        for row in rows {
            if row.place.direction == .state {
                found = StoredDelivery(parsing: row.prefix)
                continue
            }
            guard let message = MessageRow(row.prefix, byteCount: row.byteCount) else { continue }
            switch row.place.direction {
            case .state: break
            case .queued: queued[row.place.number] = message
            case .delivered: delivered[row.place.number] = message
            case .received: noteReceived(message, as: row.place.number)
            }
        }
        if let found {
            stored = found
        } else if !rows.isEmpty {
            rebuild()
        }
        for number in queued.keys where number <= stored.base || number >= stored.next { queued[number] = nil }
        // A lost queued message keeps its number, as a withdrawn one.
        for number in stored.base + 1..<stored.next where queued[number] == nil {
            queued[number] = MessageRow(.drawn(using: &randomness), writtenAt: 0, time: 0, textByteCount: 0)
        }
        let state = stored.state(queuedBytes: byteCount(of: queued), unreadBytes: byteCount(of: unread))
        machine = SyncMachine(state ?? SyncState(), stream: stream)
    }

    /// Derives the state from the messages after its row was lost.
    private mutating func rebuild() {
        stored.base = (queued.keys.min() ?? 1) - 1
        stored.next = (queued.keys.max() ?? stored.base) + 1
        if let arrival = received.keys.max(), let row = received[arrival],
            let stream = StreamID(rawValue: row.last.stream),
            let last = SyncReceipt.Last(stream: stream, number: row.last.number, id: row.id)
        {
            stored.last = last
            stored.arrivals = arrival
        } else {
            received = [:]
            receivedIDs = [:]
        }
    }

    // MARK: Rows

    /// The messages that the application has not acknowledged.
    var unread: [UInt64: MessageRow] { received.filter { $0.key > stored.taken } }

    func place(_ direction: MessagePlace.Direction, _ number: UInt64 = 0) -> MessagePlace {
        MessagePlace(direction, contact: peer.user, device: peer.device, number: number)
    }

    /// The change that stores the state.
    var stateChange: MessageStoreChange { .put(place(.state), stored.body) }

    /// The changes that restore the state and the withdrawn messages in a repaired store; texts are not among them.
    var repairs: [MessageStoreChange] {
        queued.filter { $0.value.textByteCount == 0 }.sorted { $0.key < $1.key }
            .map { .put(place(.queued, $0.key), $0.value.body(nil)) } + [stateChange]
    }

    /// Returns whether a message with this identifier was received and is still known.
    func hasReceived(_ id: TextID) -> Bool { receivedIDs[id] != nil }

    /// Returns the arrival of a received message.
    func arrival(of id: TextID) -> UInt64? { receivedIDs[id] }

    private mutating func noteReceived(_ row: MessageRow, as arrival: UInt64) {
        received[arrival] = row
        receivedIDs[row.id] = arrival
    }

    private func byteCount(of rows: [UInt64: MessageRow]) -> UInt64 {
        rows.values.reduce(0) { $0 + UInt64(max(0, $1.textByteCount)) }
    }

    // MARK: Changes

    /// Queues a message under its number.
    mutating func queue(_ row: MessageRow, _ text: String, as number: UInt64) -> [MessageStoreChange] {
        queued[number] = row
        stored.next = number + 1
        return [.put(place(.queued, number), row.body(text)), stateChange]
    }

    /// Removes messages that could not be stored from the queue.
    mutating func unqueue(from number: UInt64) {
        for key in queued.keys where key >= number { queued[key] = nil }
        stored.next = min(stored.next, number)
    }

    /// Removes acknowledged or withdrawn messages from the head of the queue.
    ///
    /// - Returns: the changes, the messages that had a text, in order, and the total length of their texts.
    mutating func drop(
        through number: UInt64, at time: UInt64, areDelivered: Bool
    ) -> (changes: [MessageStoreChange], messages: [MessageRow], byteCount: UInt64) {
        var changes: [MessageStoreChange] = []
        var messages: [MessageRow] = []
        for key in queued.keys.filter({ $0 <= number }).sorted() {
            guard let row = queued.removeValue(forKey: key) else { continue }
            changes.append(.remove(place(.queued, key)))
            guard row.textByteCount > 0 else { continue }
            messages.append(row)
            guard areDelivered else { continue }
            let kept = MessageRow(row.id, writtenAt: row.writtenAt, time: time, textByteCount: 0)
            delivered[key] = kept
            changes.append(.put(place(.delivered, key), kept.body(nil)))
        }
        for number in Self.oldest(of: delivered) { changes += removeDelivered(number) }
        stored.base = number
        return (changes + [stateChange], messages, messages.reduce(0) { $0 + UInt64($1.textByteCount) })
    }

    /// Removes the texts of queued messages, which keep their numbers.
    mutating func withdraw(_ numbers: [UInt64]) -> (changes: [MessageStoreChange], byteCount: UInt64) {
        var changes: [MessageStoreChange] = []
        var byteCount: UInt64 = 0
        for number in numbers {
            guard let row = queued[number], row.textByteCount > 0 else { continue }
            byteCount += UInt64(row.textByteCount)
            let empty = MessageRow(row.id, writtenAt: row.writtenAt, time: 0, textByteCount: 0)
            queued[number] = empty
            changes.append(.put(place(.queued, number), empty.body(nil)))
        }
        return (changes, byteCount)
    }

    /// The number of the last message without a text at the head of the queue; nil if the head has a text.
    var withdrawnHead: UInt64? {
        var head = stored.base
        while let row = queued[head + 1], row.textByteCount == 0 { head += 1 }
        return head > stored.base ? head : nil
    }

    /// Stores a message of the other device, unless it is known or has no text.
    mutating func receive(_ arrival: SyncMachine.Arrival, at time: UInt64) -> [MessageStoreChange] {
        stored.arrivals = arrival.arrival
        stored.last = SyncReceipt.Last(
            stream: arrival.stream, number: arrival.message.number, id: arrival.message.id)
        guard let text = arrival.message.text, !hasReceived(arrival.message.id) else { return [stateChange] }
        var row = MessageRow(
            arrival.message.id, writtenAt: arrival.message.writtenAt, time: time, textByteCount: text.utf8.count)
        row.last = (arrival.stream.rawValue, arrival.message.number)
        noteReceived(row, as: arrival.arrival)
        return [.put(place(.received, arrival.arrival), row.body(text)), stateChange]
    }

    /// Drops the messages after an arrival, which could not be stored.
    mutating func unreceive(after state: SyncState.Incoming) {
        for (arrival, row) in received where arrival > state.arrivals {
            received[arrival] = nil
            receivedIDs[row.id] = nil
        }
        stored.arrivals = state.arrivals
        stored.last = state.last
    }

    /// Records that the application has acknowledged the messages up to an arrival; returns the length of their texts.
    mutating func markTaken(through arrival: UInt64) -> (changes: [MessageStoreChange], byteCount: UInt64) {
        var byteCount: UInt64 = 0
        for (number, row) in received where number > stored.taken && number <= arrival {
            byteCount += UInt64(max(0, row.textByteCount))
        }
        stored.taken = max(stored.taken, arrival)
        var changes: [MessageStoreChange] = []
        if received.count > Self.keptLimit {
            for arrival in Self.oldest(of: received.filter { $0.key <= stored.taken }) {
                changes += removeRead(arrival)
            }
        }
        return (changes + [stateChange], byteCount)
    }

    /// Removes a received message that was acknowledged.
    mutating func removeRead(_ arrival: UInt64) -> [MessageStoreChange] {
        guard arrival <= stored.taken, received[arrival] != nil else { return [] }
        remove(received: arrival)
        return [.remove(place(.received, arrival))]
    }

    /// Removes a delivered message from the list.
    mutating func removeDelivered(_ number: UInt64) -> [MessageStoreChange] {
        delivered.removeValue(forKey: number) == nil ? [] : [.remove(place(.delivered, number))]
    }

    private mutating func remove(received arrival: UInt64) {
        if let row = received.removeValue(forKey: arrival) { receivedIDs[row.id] = nil }
    }

    /// Returns the oldest rows in excess of the limit.
    private static func oldest(of rows: [UInt64: MessageRow]) -> [UInt64] {
        switch rows.count - keptLimit {
        case ...0: []
        // The usual case is one row at a time, which needs no sorting.
        case 1: rows.keys.min().map { [$0] } ?? []
        case let excess: Array(rows.keys.sorted().prefix(excess))
        }
    }

    /// The places of all rows.
    var places: [MessagePlace] {
        queued.keys.map { place(.queued, $0) } + delivered.keys.map { place(.delivered, $0) }
            + received.keys.map { place(.received, $0) } + [place(.state)]
    }
}
