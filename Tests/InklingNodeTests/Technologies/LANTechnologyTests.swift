import InklingEngine
import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

private typealias Bench = LANTechnologyBench

@Suite struct LANTechnologyTests {
    @Test func `publishing an epoch takes a table, a stored high-water mark, a port and a server, in this order`() {
        var bench = Bench()
        #expect(bench.log == [])
        bench.advance(bySeconds: 11)
        #expect(
            bench.log == [
                "table", "store", "listen", "listens on 4001", "open server, announced", "showing",
            ])
        #expect(bench.lan.shown == bench.epoch)
        #expect(bench.lan.silence == nil)
        #expect(bench.lan.isLooking)
        #expect(bench.opened.first?.announced?.port == 4001)
    }

    @Test func `at a boundary everything is closed, and the next epoch has another port and another name`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let first = bench.opened.last?.announced
        bench.log = []
        bench.advance(until: { $0.lan.shown == nil })
        #expect(bench.log == ["silent: between two epochs", "close server, goodbye", "close links", "stop listening"])
        bench.log = []
        bench.advance(until: { $0.lan.shown != nil })
        #expect(
            bench.log == [
                "table", "store", "listen", "listens on 4002", "open server, announced", "showing",
            ])
        #expect(bench.opened.last?.announced?.port == 4002)
        #expect(bench.opened.last?.announced?.name != first?.name)
    }

    @Test func `an epoch is not shown until its high-water mark is stored`() {
        var bench = Bench()
        bench.saveError = VaultError(.diskFull, "vault")
        bench.advance(bySeconds: 100)
        #expect(!bench.log.contains("listen"))
        #expect(bench.lan.silence == .vault(VaultError(.diskFull, "vault")))
        bench.saveError = nil
        bench.advance(bySeconds: 26)
        #expect(bench.lan.shown == bench.epoch)
    }

    @Test func `a port or a server that cannot be opened is tried again after 15 seconds`() {
        var bench = Bench()
        bench.listenError = .unreachable(code: 24)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.silence == .links(.unreachable(code: 24)))
        bench.listenError = nil
        bench.openError = .noNetwork
        bench.advance(bySeconds: 26)
        #expect(bench.lan.silence == .discovery(.noNetwork))
        #expect(!bench.log.contains("showing"))
        bench.openError = nil
        bench.advance(bySeconds: 26)
        #expect(bench.log.last == "showing")
    }

    @Test func `ignores reports of a server that has been closed`() {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.areOutcomesHeld = true
        bench.tell(.networkChanged)
        bench.advance(bySeconds: 11)
        // The network changes again while the port for the new publication is being opened.
        bench.tell(.networkChanged)
        bench.releaseOutcomes()
        #expect(bench.lan.shown == nil)
        #expect(bench.log.last == "stop listening")
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "showing")
        #expect(bench.lan.shown == bench.epoch)
    }

    /// Covers INK-MDN-014.
    @Test func `a node whose name another device shows stays visible and reports it`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let shown = try #require(bench.lan.shown)
        bench.log = []
        bench.tell(.ports(.lan(.event(1, .imitated))))
        #expect(bench.log == ["imitated"])
        #expect(bench.lan.shown == shown)
    }

    /// Covers INK-ROT-002.
    @Test func `an outcome that comes after the end of an epoch opens nothing for it`() {
        var bench = Bench()
        bench.areOutcomesHeld = true
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "listen")
        bench.log = []
        // The program was stopped and continues in the next epoch; the outcome is processed before any timer.
        bench.leap(bySeconds: 1000)
        bench.releaseOutcomes()
        #expect(!bench.log.contains { $0.hasPrefix("open server") }, "\(bench.log)")
        #expect(bench.lan.shown == nil)
        bench.advance(bySeconds: 11)
        #expect(bench.lan.shown == bench.epoch)
        #expect(bench.opened.count == 1)
    }

    @Test func `new generations are shown under another name, after a gap`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        bench.log = []
        bench.tell(.audienceWithdrawn)
        bench.tell(.visibilityChanged(true))
        #expect(bench.log == ["silent: between two epochs", "close server", "close links", "stop listening"])
        #expect(bench.lan.ownEpochs.count == 1)
        bench.advance(bySeconds: 11)
        #expect(bench.log.last == "showing")
    }

    /// Covers INK-HSK-036, INK-MDN-013.
    @Test func `what is answered without announcement is tried at the gate when it was asked for`() throws {
        var bench = Bench()
        bench.advance(bySeconds: 11)
        let epoch = try #require(bench.epoch)
        let tree = AudienceTree(root: SecretBytes(copying: [UInt8](repeating: 8, count: 32).span))
        let reader = UserID(Octets16(high: 0, low: 1))
        let own = try unwrap(OwnEpoch(epoch, device: .first, of: tree, transport: .tcp, reader: reader))
        bench.log = []
        bench.tell(.unannounced([own], in: epoch))
        #expect(bench.log == ["answer 1"])
        #expect(bench.lan.answered.map(\.reader) == [nil])
        bench.tell(.ports(.lan(.event(1, .asked(OpaqueServiceName(Octets16(high: 0, low: 0)))))))
        #expect(bench.lan.answered.count == 1)
        bench.tell(.ports(.lan(.event(1, .asked(own.name)))))
        #expect(bench.lan.answered.map(\.reader) == [nil, reader])
        bench.tell(.unannounced([], in: epoch))
        #expect(bench.lan.answered.count == 1)
        bench.tell(.unannounced([own], in: epoch))
        #expect(bench.lan.answered.count == 1)
        // The withdrawal of an audience also ends the answers beside it.
        bench.tell(.ports(.lan(.event(1, .asked(own.name)))))
        bench.tell(.audienceWithdrawn)
        #expect(bench.lan.answered.isEmpty)
    }
}
