import InklingEngine
import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode

private typealias Bench = LANTechnologyBench

private func inviting(_ byte: UInt64 = 1) -> FirstContactNeeds {
    FirstContactNeeds(
        isInviting: true,
        answered: FirstContactNeeds.Answered(
            name: OpaqueServiceName(Octets16(high: 1, low: byte)), host: OpaqueHostName(Octets16(high: 2, low: byte))))
}

@Suite struct LANInvitationTests {
    /// Covers INK-ROT-011.
    @Test func `an invisible node opens a server only for an invitation, after a silent gap`() {
        var bench = Bench(isVisible: false)
        bench.advance(bySeconds: 200)
        expectEqual(bench.log, [])
        bench.tell(.firstContactNeeds(inviting()))
        expectEqual(bench.log, [])
        bench.advance(bySeconds: 11)
        expectEqual(bench.log, ["table", "store", "listen", "listens on 4001", "open server"])
        expectEqual(bench.opened.last?.answered.map(\.port), [4001])
        expectEqual(bench.opened.last?.browses, false)
        expectEqual(bench.lan.shown, nil)
        expectEqual(bench.lan.silence, .invisible)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        expectEqual(bench.log, ["answer 1"])
        bench.log = []
        bench.tell(.firstContactNeeds(FirstContactNeeds()))
        expectEqual(bench.log, ["close server", "close links", "stop listening"])
        bench.log = []
        bench.advance(bySeconds: 2000)
        expectEqual(bench.log, [])
    }

    /// Covers INK-ROT-011.
    @Test func `the invitation of an invisible node keeps the silence at a boundary and gets another port`() throws {
        var bench = Bench(isVisible: false)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        expectEqual(bench.opened.count, 1)
        let epoch = bench.epoch
        bench.log = []
        bench.advance(until: { $0.log.contains("stop listening") })
        // Before the boundary, and silent until after it.
        expectEqual(bench.log, ["close server", "close links", "stop listening"])
        expectEqual(bench.epoch, epoch)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        expectEqual(bench.log, [])
        bench.advance(until: { $0.opened.count == 2 })
        expectEqual(bench.epoch, epoch?.next)
        expectEqual(bench.log, ["table", "store", "listen", "listens on 4002", "open server"])
        expectEqual(bench.opened.last?.answered.map(\.port), [4002])
        expectEqual(bench.opened.last?.answered.map(\.name), [OpaqueServiceName(Octets16(high: 1, low: 2))])
    }

    /// Covers INK-ROT-011, INK-ROT-040.
    @Test(arguments: [true, false])
    func `while time is refused nothing is opened, not even for a first contact`(isVisible: Bool) {
        var bench = Bench(isVisible: isVisible)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.timeRefused(.unsupported))
        #expect(bench.log.contains("stop listening"))
        #expect(bench.log.contains("close server"))
        bench.log = []
        bench.tell(.firstContactNeeds(inviting(2)))
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        let search = Reply<SearchReadiness>()
        bench.tell(.prepareSearch(search, mayWait: false))
        expectEqual(search.sent, .unavailable)
        bench.advance(bySeconds: 2000)
        #expect(!bench.log.contains { $0.hasPrefix("open server") || $0 == "listen" })
        bench.tell(.firstContactNeeds(inviting(3)))
        expectEqual(bench.log.last, "cannot listen")
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        expectEqual(bench.opened.last?.answered.count, 1)
    }

    /// Covers INK-ROT-011.
    @Test func `the invitation of an invisible node has another port and a gap in the next epoch`() {
        var bench = Bench(isVisible: false)
        bench.advance(bySeconds: 200)
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.advance(until: { !$0.lan.isLooking })
        expectEqual(bench.log, ["close server", "close links", "stop listening"])
        // The new name is not answered in the gap.
        bench.tell(.firstContactNeeds(inviting(2)))
        expectEqual(bench.log, ["close server", "close links", "stop listening"])
        bench.advance(until: { $0.lan.isLooking })
        expectEqual(bench.opened.map { $0.answered.map(\.port) }, [[4001], [4002]])
        expectEqual(bench.opened.map(\.announced), [nil, nil])
    }

    /// Covers INK-ROT-011.
    @Test func `nothing is opened for an invitation while time is not accepted`() {
        var bench = Bench(isVisible: false)
        bench.tell(.timeRefused(.unsupported))
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 100)
        // The inviter learns that there will be no port.
        expectEqual(bench.log, ["cannot listen"])
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        expectEqual(bench.log.last, "open server")
        bench.log = []
        bench.tell(.timeRefused(.unsupported))
        expectEqual(bench.log, ["close server", "close links", "stop listening", "cannot listen"])
    }

    @Test func `an inviter who waits for the end of the gap learns that time is refused`() {
        var bench = Bench(isVisible: false)
        bench.tell(.firstContactNeeds(inviting()))
        expectEqual(bench.log, [])
        bench.tell(.timeRefused(.unsupported))
        expectEqual(bench.log, ["cannot listen"])
    }

    /// Covers INK-PAIR-011.
    @Test
    func `a withdrawn audience is followed by none before every technology is silent, also not for an invitation`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.audienceWithdrawn)
        expectEqual(bench.log, ["silent: between two epochs", "close server", "close links", "stop listening"])
        bench.tell(.firstContactNeeds(inviting()))
        bench.advance(bySeconds: 30)
        expectEqual(bench.log.count, 4)
        #expect(bench.lan.ownEpochs.isEmpty)
        bench.tell(.visibilityChanged(true))
        bench.advance(bySeconds: 11)
        expectEqual(bench.log.suffix(2), ["open server, announced", "showing"])
    }

    @Test func `an invitation in the silent gap waits for its end`() {
        var bench = Bench()
        bench.tell(.firstContactNeeds(inviting()))
        expectEqual(bench.log, [])
        bench.advance(bySeconds: 11)
        expectEqual(bench.log.suffix(2), ["open server, announced", "showing"])
        expectEqual(bench.opened.count, 1)
        expectEqual(bench.opened.first?.answered.count, 1)
    }

    @Test func `an invitation while an epoch is shown uses the open server`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.firstContactNeeds(inviting()))
        expectEqual(bench.log, ["listens on 4001", "answer 1"])
        bench.log = []
        bench.tell(.firstContactNeeds(FirstContactNeeds()))
        expectEqual(bench.log, ["answer 0"])
    }

    @Test func `every search gets a reply, at the latest when the server closes`() {
        var bench = Bench()
        let name = OpaqueServiceName(Octets16(high: 5, low: 5))
        let endpoint = Endpoint(address: .v4(1), port: 2)
        let (early, found, lost) = (Reply<[Endpoint]>(), Reply<[Endpoint]>(), Reply<[Endpoint]>())
        bench.tell(.search(name, nil, early))
        expectEqual(early.sent, [])
        bench.advance(bySeconds: 11)
        bench.tell(.search(name, nil, found))
        expectEqual(found.sent, nil)
        bench.tell(.ports(.lan(.event(1, .found(name, [endpoint])))))
        expectEqual(found.sent, [endpoint])
        bench.tell(.search(name, nil, lost))
        bench.tell(.networkChanged)
        expectEqual(lost.sent, [])
    }

    @Test func `a search for an inviter waits for the end of the gap unless it must not wait`() {
        var bench = Bench()
        let (first, second, forced) = (
            Reply<SearchReadiness>(), Reply<SearchReadiness>(), Reply<SearchReadiness>()
        )
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        bench.tell(.prepareSearch(first, mayWait: true))
        expectEqual(first.sent, .wait)
        bench.tell(.prepareSearch(forced, mayWait: false))
        expectEqual(forced.sent, .unavailable)
        bench.advance(bySeconds: 11)
        bench.tell(.prepareSearch(second, mayWait: true))
        expectEqual(second.sent, .ready)
    }

    /// Covers INK-ROT-013.
    @Test func `connections may begin only while something is shown`() {
        var bench = Bench()
        #expect(!bench.lan.mayConnect)
        bench.areOutcomesHeld = true
        bench.advance(bySeconds: 11)
        // The gap is over, and the port is not open yet.
        #expect(!bench.lan.mayConnect)
        bench.releaseOutcomes()
        #expect(bench.lan.mayConnect)
        bench.tell(.networkChanged)
        #expect(!bench.lan.mayConnect)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect)
        bench.tell(.timeRefused(.unsupported))
        #expect(!bench.lan.mayConnect)
        bench.tell(.timeAccepted)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect)
        bench.tell(.visibilityChanged(false))
        #expect(!bench.lan.mayConnect)
        // Discovery that fails does not keep a joiner from an inviter whose address is known.
        bench.openError = .noNetwork
        bench.tell(.firstContactNeeds(FirstContactNeeds(isSearching: true)))
        #expect(!bench.lan.mayConnect)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.mayConnect && !bench.lan.isLooking)
    }

    @Test func `stopping closes everything and replies to every search`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let search = Reply<[Endpoint]>()
        bench.tell(.search(OpaqueServiceName(Octets16(high: 5, low: 5)), nil, search))
        bench.log = []
        bench.tell(.stop)
        expectEqual(bench.log, ["silent: stopped", "close server", "stop listening"])
        expectEqual(search.sent, [])
    }
}
