import InklingKeys
import InklingWire
import Testing

@Suite struct `The machine of the delivery of texts` {
    private let now = Tick(milliseconds: 0)

    private func id(_ number: UInt64) throws -> TextID {
        try #require(TextID(rawValue: Octets16(high: 0, low: number)))
    }

    /// Covers INK-SYN-013, INK-SYN-014.
    @Test func `a withdrawn text leaves the head of the queue and does not count as delivered`() throws {
        let stream = try #require(StreamID(rawValue: 5))
        var machine = SyncMachine(SyncState(), stream: stream)
        let first = try id(1)
        #expect(machine.handle(.queued(first, byteCount: 5), at: now) == [.enqueue(number: 1, first)])
        #expect(machine.handle(.enqueued(through: 1), at: now) == [])
        #expect(machine.handle(.withdrawn(through: 1), at: now) == [.forget(through: 1)])
        #expect(machine.handle(.dropped(byteCount: 5), at: now) == [])
        #expect(machine.state.outgoing.count == 0)
        #expect(machine.state.outgoing.byteCount == 0)
    }

    /// Covers INK-SYN-012, INK-SYN-024.
    @Test func `a text that is being stored is not taken for that of another process with its number`() throws {
        let (own, first, second) = try (
            #require(StreamID(rawValue: 5)), #require(StreamID(rawValue: 6)), #require(StreamID(rawValue: 7))
        )
        var machine = SyncMachine(SyncState(), stream: own)
        func hear(_ record: SyncRecord, _ session: UInt64) -> [SyncMachine.Effect] {
            machine.handle(.heard(record, session: session), at: now)
        }
        func text(_ number: UInt64, _ named: UInt64) throws -> SyncRecord {
            .message(try SyncMessage(number: number, id: try id(named), writtenAt: 0, text: "hello"))
        }
        _ = machine.handle(.opened(session: 1), at: now)
        _ = hear(.stream(try SyncStream(stream: first, first: 1)), 1)
        _ = hear(try text(1, 1), 1)
        // A copy takes the place of the sender's queue before that text is stored, and gives its number to another one.
        _ = machine.handle(.opened(session: 2), at: now)
        _ = hear(.stream(try SyncStream(stream: second, first: 1)), 2)
        let effects = hear(try text(1, 2), 2) + hear(try text(2, 3), 2)
        let stored = effects.compactMap { if case .store(let arrival) = $0 { arrival } else { nil } }
        #expect(try stored.map(\.message.id) == [id(2), id(3)])
        #expect(stored.map(\.arrival) == [2, 3])
    }

    @Test func `stored fields that do not fit each other are no state`() {
        #expect(SyncState.Outgoing(base: 1, next: 1, byteCount: 0) == nil)
        #expect(SyncState.Outgoing(base: 0, next: 1 << 63, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 1, taken: 0, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 0, taken: 1, byteCount: 0) == nil)
    }
}
