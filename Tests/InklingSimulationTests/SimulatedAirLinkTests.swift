import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct SimulatedAirLinkTests {
    @Test func `a link carries packets in fragments, in both directions, and the capture has their sizes`() async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            simulation.air.conditions.mtu = 100
            let pair = try await Pair(in: simulation)
            let (link, accepted) = try await pair.connect()
            let first = [0x10] + (0..<128).map { UInt8($0) }
            try await link.send(first)
            #expect(try await accepted.receive(upTo: 129, within: .seconds(5)) == first)
            let second = [0x20] + [UInt8](repeating: 5, count: 112)
            try await accepted.send(second)
            #expect(try await link.receive(upTo: 113, within: .seconds(5)) == second)
            let seen = try #require(simulation.air.links.first)
            #expect(seen.exchanges.map { $0.fragment?.count } == [97, 33, 97, 17])
            #expect(seen.advertiser == pair.other.radio.address)
            #expect(seen.initiatorType == .resolvablePrivate)
            #expect(seen.initiator != pair.one.radio.address)
            #expect(link.route == .device(seen.advertiser))
            #expect(accepted.route == .device(seen.initiator))
            #expect(seen.last == nil)
            await link.close()
            await #expect(throws: LinkError.closed) { try await accepted.receive(upTo: 1, within: .seconds(5)) }
            #expect(simulation.air.links.first?.last != nil)
            #expect(simulation.air.linkCount == 0)
        }
    }

    @Test func `the tag is readable only until the session in which the link was made ends`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let pair = try await Pair(in: simulation)
            let (link, _) = try await pair.connect()
            #expect(try await link.readTag(within: .seconds(5)) == Air.publication(2).tag)
            await pair.theirs.close()
            await #expect(throws: LinkError.closed) { try await link.readTag(within: .seconds(5)) }
            _ = try await Air.open(pair.other, minor: 3)
            await #expect(throws: LinkError.closed) { try await link.readTag(within: .seconds(5)) }
        }
    }

    @Test func `an accepted link without a confirmed session ends after ten seconds`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let pair = try await Pair(in: simulation)
            var accepted: [any Link] = []
            var made: [any TaggedLink] = []
            for _ in 0..<4 {
                let (link, other) = try await pair.connect()
                made.append(link)
                accepted.append(other)
            }
            // Silent, mute, after a fragment that is refused, and authenticated.
            await accepted[1].mute()
            try (made[2] as? SimulatedAirLink)?.write([0x90, 1, 2, 3])
            await accepted[3].markAuthenticated()
            let begin = simulation.air.links.map(\.first)
            await simulation.advance(bySeconds: 30)
            let ends = simulation.air.links.map(\.last)
            for index in 0..<3 { #expect(ends[index] == begin[index] + 10_000) }
            #expect(ends[3] == nil)
        }
    }

    @Test func `values that are no first message are met with silence until the link is authenticated`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let pair = try await Pair(in: simulation)
            let record = [0x90] + [UInt8](repeating: 1, count: 112)
            let (link, accepted) = try await pair.connect()
            try await link.send(record)
            await #expect(throws: LinkError.closed) { try await accepted.receive(upTo: 1000, within: .seconds(5)) }
            let (second, welcomed) = try await pair.connect()
            await welcomed.markAuthenticated()
            try await second.send(record)
            #expect(try await welcomed.receive(upTo: 1000, within: .seconds(5)) == record)
            try await second.send(record)
            await #expect(throws: LinkError.oversized(announced: 113, limit: 112)) {
                try await welcomed.receive(upTo: 112, within: .seconds(5))
            }
        }
    }

    @Test func `a ninth unauthenticated link takes the place of the first, if that has had two seconds`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let pair = try await Pair(in: simulation)
            simulation.air.conditions.connectDelay = 100...100
            let stranger = simulation.air.addStranger()
            let target = try #require(pair.other.radio.address)
            var links: [SimulatedAirLink] = []
            for _ in 0..<9 { links.append(try await stranger.connect(to: target)) }
            await simulation.advance(byMilliseconds: 100)
            #expect(links.map(\.isClosed) == Array(repeating: false, count: 8) + [true])
            await simulation.advance(bySeconds: 2)
            links.append(try await stranger.connect(to: target))
            await simulation.advance(byMilliseconds: 100)
            #expect(links.map(\.isClosed) == [true] + Array(repeating: false, count: 7) + [true, false])
            #expect(simulation.air.linkCount == 8)
        }
    }

    @Test func `closing a session closes its links, and ends what waits for it`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let pair = try await Pair(in: simulation)
            let (link, accepted) = try await pair.connect()
            await accepted.markAuthenticated()
            let failed = Air.Heard()
            for _ in 0..<2 {
                simulation.start {
                    do {
                        _ = try await pair.one.radio.connect(to: .some(9), within: .seconds(60))
                    } catch LinkError.closed { failed.end() } catch { Issue.record("\(error)") }
                }
            }
            await simulation.advance(bySeconds: 1)
            #expect(!failed.hasEnded)
            let before = simulation.elapsed
            await pair.ours.close()
            await simulation.settle()
            #expect(failed.hasEnded)
            #expect(simulation.elapsed == before)
            await #expect(throws: LinkError.closed) { try await link.send([0x90]) }
            await #expect(throws: LinkError.closed) { try await accepted.receive(upTo: 1, within: .seconds(5)) }
            #expect(simulation.elapsed - before < 100)
        }
    }

    @Test func `a connection to an address that nobody shows ends at its deadline`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let pair = try await Pair(in: simulation)
            await #expect(throws: LinkError.timedOut) {
                try await pair.one.radio.connect(to: .some(9), within: .seconds(6))
            }
            #expect((6000...6200).contains(simulation.elapsed))
            #expect(simulation.air.links.isEmpty)
            #expect(simulation.air.calls(from: pair.one.radio).map(\.target) == [.some(9)])
            simulation.air.separate([[pair.one.radio], [pair.other.radio]])
            await #expect(throws: LinkError.timedOut) { try await pair.connect() }
        }
    }

    @Test func `a radio without links shows a beacon to which nobody connects, and connects to nobody`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (one, other) = (Air.host(simulation), Air.host(simulation))
            other.radio.carriesLinks = false
            let ours = try await Air.open(one, minor: 1)
            let theirs = try await Air.open(other, minor: 2)
            #expect(ours.carriesLinks)
            #expect(!theirs.carriesLinks)
            await #expect(throws: LinkError.timedOut) {
                try await one.radio.connect(to: try #require(other.radio.address), within: .seconds(5))
            }
            await #expect(throws: LinkError.closed) {
                try await other.radio.connect(to: try #require(one.radio.address), within: .seconds(5))
            }
            let broadcast = try #require(simulation.air.broadcasts(from: other.radio).first)
            #expect(!broadcast.isConnectable)
            #expect(broadcast.addressType == .nonResolvablePrivate)
        }
    }

    @Test func `connections fail or hang when a test asks for it`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let pair = try await Pair(in: simulation)
            pair.one.radio.faults.connecting = .fails(code: 16)
            await #expect(throws: LinkError.unreachable(code: 16)) { try await pair.connect() }
            pair.one.radio.faults.connecting = .hangs
            await #expect(throws: LinkError.timedOut) { try await pair.connect() }
            pair.one.radio.faults.connecting = nil
            _ = try await pair.connect()
        }
    }

    @Test func `links go mute or are reset when a test asks for it`() async throws {
        try await Simulation.run(seed: 10) { simulation in
            let pair = try await Pair(in: simulation)
            pair.other.radio.faults.links = .mute
            let (mute, deaf) = try await pair.connect()
            try await mute.send([0x10] + [UInt8](repeating: 0, count: 128))
            await #expect(throws: LinkError.timedOut) { try await deaf.receive(upTo: 129, within: .seconds(2)) }
            await #expect(throws: LinkError.timedOut) { try await mute.readTag(within: .seconds(2)) }
            pair.other.radio.faults.links = .reset(after: .milliseconds(700))
            let (broken, _) = try await pair.connect()
            let before = simulation.elapsed
            await #expect(throws: LinkError.closed) { try await broken.receive(upTo: 1, within: .seconds(5)) }
            #expect((600...700).contains(simulation.elapsed - before))
            pair.other.radio.faults.links = nil
            let (kept, _) = try await pair.connect()
            pair.one.radio.resetLinks()
            await #expect(throws: LinkError.closed) { try await kept.receive(upTo: 1, within: .seconds(5)) }
        }
    }

    @Test func `a link breaks five seconds after its sides went out of range`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let pair = try await Pair(in: simulation)
            let (link, accepted) = try await pair.connect()
            await accepted.markAuthenticated()
            let before = simulation.elapsed
            simulation.air.separate([[pair.one.radio], [pair.other.radio]])
            try await link.send([0x10] + [UInt8](repeating: 0, count: 128))
            await #expect(throws: LinkError.closed) { try await accepted.receive(upTo: 129, within: .seconds(60)) }
            #expect(simulation.elapsed - before == 5000)
        }
    }

    @Test func `a stranger connects without being on the air, and accepts links under an address of its choice`()
        async throws
    {
        try await Simulation.run(seed: 12) { simulation in
            let pair = try await Pair(in: simulation)
            let stranger = simulation.air.addStranger()
            let link = try await stranger.connect(to: try #require(pair.other.radio.address))
            #expect(try await link.readTag(within: .seconds(5)) == Air.publication(2).tag)
            #expect(simulation.air.broadcasts(from: stranger.radio).isEmpty)
            let copy = try stranger.open(Air.publication(2), at: .some(77))
            let lured = try await pair.one.radio.connect(to: .some(77), within: .seconds(5))
            #expect(try await lured.readTag(within: .seconds(5)) == Air.publication(2).tag)
            var links = copy.links.makeAsyncIterator()
            let accepted = try #require(await links.next())
            try await lured.send([0x10] + [UInt8](repeating: 3, count: 128))
            #expect(try await accepted.receive(upTo: 129, within: .seconds(5)).count == 129)
        }
    }
}

/// Two hosts whose radios are on the air.
private struct Pair {
    let one: SimulatedHost, other: SimulatedHost
    let ours: any RadioSession, theirs: any RadioSession

    init(in simulation: Simulation) async throws {
        one = Air.host(simulation)
        other = Air.host(simulation)
        ours = try await Air.open(one, minor: 1)
        theirs = try await Air.open(other, minor: 2)
    }

    /// Connects the first to the second, and returns both ends.
    func connect() async throws(LinkError) -> (any TaggedLink, any Link) {
        guard let address = other.radio.address else { throw .closed }
        let link = try await one.radio.connect(to: address, within: .seconds(10))
        var links = theirs.links.makeAsyncIterator()
        guard let accepted = await links.next() else { throw .closed }
        return (link, accepted)
    }
}
