internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The messages with all devices, and the waiting readers and senders.
struct Mailboxes: Sendable {
    /// The progress of reading the store.
    enum Phase: Sendable {
        case unread
        case reading([CheckedContinuation<Void, Never>])
        case ready
        /// The store cannot be used, so nothing is queued, received or delivered.
        case failed(MessageStoreError)
    }

    /// A sender that waits for its message to be delivered to a device.
    struct Waiter: Sendable {
        let id: TextID
        let until: Tick
        let answer: Answer<Void>
    }

    /// A reader that waits for the next message.
    struct Reader: Sendable {
        let position: IncomingPosition
        let reply: Reply<(MessagePlace, MessageRow)?>
    }

    var phase = Phase.unread
    var devices: [KnownDevice: DeviceMessages] = [:]
    var work = MessageWork()
    /// The sessions that were reported to a machine.
    var sessions: [SessionID: KnownDevice] = [:]
    var waiters: [Waiter] = []
    var readers: [Reader] = []

    /// The time at which `messageTimerFired` is due.
    var due: Tick? { (devices.values.compactMap(\.wake) + waiters.map(\.until)).min() }

    /// Returns the first unacknowledged message after a position; nil if there is none.
    func next(after position: IncomingPosition) -> (MessagePlace, MessageRow)? {
        for (peer, messages) in devices.sorted(by: { $0.key < $1.key }) {
            let start = max(messages.stored.taken, position.arrivals[peer] ?? 0)
            // Only durably stored messages count.
            let end = messages.machine.state.incoming.arrivals
            let arrival = messages.received.keys.filter { $0 > start && $0 <= end }.min()
            if let arrival, let row = messages.received[arrival] {
                return (messages.place(.received, arrival), row)
            }
        }
        return nil
    }
}
