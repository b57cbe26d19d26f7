import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private func entry(_ number: UInt64, epoch: UInt32 = 5) throws -> ReplayCache.Entry {
    ReplayCache.Entry(
        epoch: try #require(Epoch(epoch)),
        ephemeral: Octets32(first: Octets16(high: 0, low: 0), second: Octets16(high: 0, low: number)))
}

@Suite struct `The replay cache` {
    @Test func `detects a replayed message, in its epoch only`() throws {
        var cache = ReplayCache()
        try cache.insert(entry(1))
        #expect(refusal { try cache.insert(entry(1)) } == .replayed)
        try cache.insert(entry(1, epoch: 6))
        #expect(try cache.count(in: entry(1).epoch) == 1)
    }

    /// Covers INK-HSK-024.
    @Test func `removes the oldest message that has not authenticated when it is full`() throws {
        var cache = ReplayCache()
        for number in UInt64(0)..<4096 { try cache.insert(entry(number)) }
        try cache.markAuthenticated(entry(0))
        try cache.markAuthenticated(entry(2))
        try cache.insert(entry(5000))
        try cache.insert(entry(5001))
        #expect(try cache.count(in: entry(0).epoch) == 4096)
        for number in [UInt64(0), 2, 4, 5000, 5001] {
            #expect(refusal { try cache.insert(entry(number)) } == .replayed)
        }
        // Only 1 and 3 were removed, so only they can be inserted again.
        try cache.insert(entry(1))
        #expect(refusal { try cache.insert(entry(1)) } == .replayed)
        #expect(try cache.authenticatedEntries == [entry(0), entry(2)])
    }

    /// Covers INK-HSK-024.
    @Test func `refuses further messages when all messages of an epoch have authenticated`() throws {
        var cache = ReplayCache()
        for number in UInt64(0)..<4096 {
            try cache.insert(entry(number))
            try cache.markAuthenticated(entry(number))
        }
        #expect(refusal { try cache.insert(entry(9999)) } == .replayCacheFull)
        #expect(refusal { try cache.insert(entry(7)) } == .replayed)
        try cache.insert(entry(9999, epoch: 6))
    }

    /// Covers INK-HSK-024.
    @Test func `holds a limited number of messages`() throws {
        var cache = ReplayCache()
        for number in UInt64(0)..<20_000 {
            try cache.insert(entry(number))
            if number % 1000 == 0 { try cache.markAuthenticated(entry(number)) }
        }
        #expect(try cache.count(in: entry(0).epoch) == 4096)
        #expect(cache.authenticatedEntries.count == 20)
    }

    @Test func `keeps authenticated messages across a restart and removes old epochs`() throws {
        var cache = ReplayCache()
        for epoch in UInt32(5)...7 {
            try cache.insert(entry(1, epoch: epoch))
            try cache.insert(entry(2, epoch: epoch))
            try cache.markAuthenticated(entry(2, epoch: epoch))
        }
        cache.forget(before: try #require(Epoch(6)))
        #expect(try cache.authenticatedEntries == [entry(2, epoch: 6), entry(2, epoch: 7)])
        var restored = ReplayCache(restoring: cache.authenticatedEntries)
        #expect(refusal { try restored.insert(entry(2, epoch: 7)) } == .replayed)
        try restored.insert(entry(1, epoch: 7))
        #expect(restored.authenticatedEntries == cache.authenticatedEntries)
    }

    @Test func `does not mark an unknown message as authenticated`() throws {
        var cache = ReplayCache()
        try cache.markAuthenticated(entry(1))
        #expect(cache.authenticatedEntries.isEmpty)
    }
}

@Suite struct `An attempt budget` {
    @Test func `allows a burst and is restored at its rate`() {
        var budget = FirstMessageBudget(burst: 3, interval: .milliseconds(100))
        #expect((0..<4).map { _ in budget.spend(at: 1000) } == [true, true, true, false])
        #expect(budget.spend(at: 1099) == false)
        #expect((0..<2).map { _ in budget.spend(at: 1100) } == [true, false])
        #expect(budget.isWhole(at: 1399) == false)
        #expect(budget.isWhole(at: 1400))
        #expect((0..<4).map { _ in budget.spend(at: 50_000) } == [true, true, true, false])
    }

    @Test func `allows 20 attempts a second for a node and 6 a minute for a device of a contact`() {
        var node = FirstMessageBudget.node
        #expect((0..<10_000).filter { node.spend(at: UInt64($0)) }.count == 40 + 199)
        var device = FirstMessageBudget.contactDevice
        #expect((0..<600).filter { device.spend(at: UInt64($0) * 1000) }.count == 6 + 59)
    }

    @Test func `does not wrap at the end of the clock`() {
        var budget = FirstMessageBudget.node
        #expect(budget.spend(at: .max) == false)
        #expect(budget.spend(at: .max - 50) == true)
    }
}
