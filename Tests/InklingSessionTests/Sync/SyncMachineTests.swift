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
        var machine = SyncMachine(SyncState(stream: stream))
        let first = try id(1)
        #expect(machine.handle(.queued(first, byteCount: 5), at: now) == [.enqueue(number: 1, first)])
        #expect(machine.handle(.enqueued(through: 1), at: now) == [])
        #expect(machine.handle(.withdrawn(through: 1, id: first), at: now) == [.forget(through: 1, first)])
        #expect(machine.handle(.dropped(byteCount: 5), at: now) == [])
        #expect(machine.state.outgoing.count == 0)
        #expect(machine.state.outgoing.byteCount == 0)
    }

    /// Covers INK-SYN-004.
    @Test func `a queue that is restored again and again remembers four streams`() throws {
        let streams = try (1...7).map { try #require(StreamID(rawValue: $0)) }
        var queue = SyncState.Outgoing(stream: streams[0])
        for stream in streams.dropFirst() { queue.restored(as: stream) }
        #expect(queue.stream == streams[6])
        #expect(queue.ancestors.map(\.stream) == [streams[5], streams[4], streams[3], streams[2]])
    }

    @Test func `stored fields that do not fit each other are no state`() throws {
        let stream = try #require(StreamID(rawValue: 5))
        let known = SyncState.Outgoing.Ancestor(stream: stream, limit: 1)
        #expect(SyncState.Outgoing(stream: stream, ancestors: [], base: 1, baseID: nil, next: 1, byteCount: 0) == nil)
        #expect(
            SyncState.Outgoing(stream: stream, ancestors: [known], base: 0, baseID: nil, next: 1, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 1, taken: 0, byteCount: 0) == nil)
        #expect(SyncState.Incoming(last: nil, arrivals: 0, taken: 1, byteCount: 0) == nil)
    }
}
