import InklingConformance
import InklingKeys
import InklingNode
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct `A live run` {
    private let questions = "live-discovery-questions"
    private let shared = "not judged: the node shares an address with this program"

    /// Runs all checks and returns the verdicts by check.
    private func examine(
        _ network: SimulatedNetwork, _ change: (inout LiveRun.Settings) -> Void = { _ in }
    ) throws(LiveError) -> [String: LiveVerdict.Outcome] {
        var settings = LiveRun.Settings()
        change(&settings)
        let verdicts = try LiveRun(settings, contact: nil, network: network).verdicts()
        return Dictionary(verdicts.map { ($0.check, $0.outcome) }) { first, _ in first }
    }

    private func failed(_ verdicts: [String: LiveVerdict.Outcome]) -> Set<String> {
        Set(verdicts.compactMap { if case .failed = $1 { $0 } else { nil } })
    }

    @Test func `passes every check that needs no grant on a node without a fault`() throws {
        let verdicts = try examine(SimulatedNetwork())
        #expect(Set(verdicts.keys) == Set(LiveCheck.all.map(\.id)))
        for check in LiveCheck.all {
            switch verdicts[check.id] {
            case .passed: #expect(!check.need.isGrant, "\(check)")
            case .skipped: #expect(check.need.isGrant, "\(check)")
            case let outcome: Issue.record("\(check.id): \(String(describing: outcome))")
            }
        }
        #expect(verdicts["live-contact-hello"] == .skipped("no grant was given: --accept or --home"))
    }

    @Test func `combines the observations before, at and after the boundary`() throws {
        let verdicts = try examine(SimulatedNetwork())
        #expect(verdicts["live-rotation-gap"] == .passed("the new name appeared 3.000 s after the boundary"))
        #expect(verdicts["live-rotation-goodbye"] == .passed("0.900 s before the boundary"))
        #expect(verdicts["live-rotation-strangers"] == .passed("it ended 0.900 s before the boundary"))
        #expect(verdicts["live-rotation-old-port"] == .passed(nil))
        #expect(verdicts["live-silence-gate"] == .passed("reset after 5.000 s"))
    }

    @Test func `detects a node that keeps its identifiers and its links past the boundary`() throws {
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.rotates = false
        behaviour.endsLinks = false
        let failed = failed(try examine(SimulatedNetwork(behaviour)))
        for name in ["name", "gap", "old-name", "strangers"] {
            #expect(failed.contains("live-rotation-\(name)"), "\(failed)")
        }
    }

    @Test func `stops waiting for connections that stay open`() throws {
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.silence = nil
        behaviour.endsLinks = false
        let network = SimulatedNetwork(behaviour)
        let verdicts = try examine(network) { $0.maximumWait = 0 }
        #expect(verdicts["live-silence-gate"] == .failed("the connection was still open after 12.000 s"))
        #expect(network.now < LiveFixtures.boundary)
    }

    @Test func `does not wait longer than allowed for the end of the epoch`() throws {
        let network = SimulatedNetwork(before: 400_000)
        let verdicts = try examine(network) { $0.maximumWait = 300 }
        #expect(
            verdicts["live-rotation-name"] == .skipped("the run did not wait for the end of an epoch: --max-wait"))
        #expect(network.now < LiveFixtures.boundary - 300_000)
    }

    @Test func `starts in the next epoch when the current one is about to end`() throws {
        let network = SimulatedNetwork(before: 8_000)
        let verdicts = try examine(network) { $0.maximumWait = 0 }
        #expect(verdicts["live-silence-gate"] == .passed("reset after 5.000 s"))
        #expect(network.now > LiveFixtures.boundary)
    }

    @Test func `gives up when the search time is over`() {
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.isVisible = false
        let network = SimulatedNetwork(behaviour)
        let start = network.now
        #expect(throws: LiveError.noNode(seconds: 7)) { try examine(network) { $0.search = 7 } }
        #expect((7_000..<7_500).contains(network.now - start))
    }

    @Test func `uses the given address when multicast DNS shows nothing`() throws {
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.isVisible = false
        let verdicts = try examine(SimulatedNetwork(behaviour)) {
            $0.search = 2
            $0.address = Endpoint(address: LiveFixtures.source, port: 4_000)
        }
        #expect(verdicts["live-discovery-name"] == .skipped("no record was received"))
        #expect(verdicts["live-silence-gate"] == .failed("no connection was made (error 111)"))
    }

    @Test func `requires a name when several nodes are present, and then examines that node`() throws {
        let other = String(repeating: "b", count: 32)
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.others = [other]
        #expect(throws: LiveError.severalNodes([other, LiveFixtures.name])) { try examine(SimulatedNetwork(behaviour)) }
        let verdicts = try examine(SimulatedNetwork(behaviour)) { $0.node = LiveFixtures.name }
        #expect(failed(verdicts).isEmpty, "\(failed(verdicts))")
    }

    // A machine with two interfaces on one link receives its own packets, with its own address and either scope.
    @Test func `does not blame a node on its own machine for the questions of the run`() throws {
        let octets = Octets16(high: 0xfe80_0000_0000_0000, low: 10)
        let addresses = [2, 3].map { Endpoint.Address.v6(octets, scope: $0) }
        var behaviour = SimulatedNetwork.Behaviour()
        behaviour.sources = addresses
        behaviour.echoes = addresses
        let network = SimulatedNetwork(behaviour, ownAddresses: [addresses[0]])
        let verdicts = try examine(network)
        #expect(failed(verdicts).isEmpty, "\(verdicts)")
        #expect(verdicts[questions] == .skipped(shared))
        #expect(verdicts["live-rotation-silence"] == .passed("its questions are \(shared)"))
    }

    @Test func `reports what it waits for, and for how long`() throws {
        var seen: [String: Int64] = [:]
        let run = LiveRun(LiveRun.Settings(), contact: nil, network: SimulatedNetwork()) { text, milliseconds in
            seen[text] = max(seen[text] ?? 0, milliseconds ?? 0)
        }
        _ = try run.verdicts()
        #expect(seen["searching for the node"] == 30_000)
        #expect(seen["waiting for the end of 7 connections"] == 12_000)
        #expect((20_000..<60_000).contains(seen["waiting for the end of the epoch"] ?? 0))
    }
}

@Suite struct `A contact of a live run` {
    @Test func `is the only one in the vault, or the one with the given name`() throws {
        var generator = SeededGenerator(seed: 5)
        let now = try #require(Epoch(containing: UInt64(LiveFixtures.boundary / 1000))?.period)
        let contents = try NodeIdentity.makeContents(name: "Bob", now: now, using: &generator)
        #expect(throws: LiveError.contacts(0, named: nil)) { try LiveContact(contents, named: nil, now: now) }
        #expect(throws: LiveError.contacts(0, named: "Ada")) { try LiveContact(contents, named: "Ada", now: now) }
    }
}

@Suite struct `The sockets of a live run` {
    @Test func `have the addresses of this machine`() throws {
        let sockets = try LiveSockets(interface: "lo")
        #expect(sockets.ownAddresses.contains(.v4(0x7f00_0001)))
        #expect(!sockets.ownAddresses.contains(.v4(0xc000_0201)))
    }

    @Test func `require an interface that exists`() {
        #expect(throws: LiveError.noInterface("none0")) { try LiveSockets(interface: "none0") }
    }
}
