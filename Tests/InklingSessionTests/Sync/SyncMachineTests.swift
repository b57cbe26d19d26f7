import InklingKeys
import InklingSession
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

    @Test func `stored fields that do not fit each other are no state`() {
        #expect(SyncState.Outgoing(base: 1, next: 1, byteCount: 0) == nil)
        #expect(SyncState.Outgoing(base: 0, next: 1 << 63, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 1, taken: 0, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 0, taken: 1, byteCount: 0) == nil)
    }
}
