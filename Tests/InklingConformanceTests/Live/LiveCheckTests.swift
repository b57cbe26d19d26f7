import InklingConformance
import InklingJSON
import InklingKeys
import InklingNode
import InklingTesting
import InklingWire
import Testing

@Suite struct `Live checks` {
    private var good: [LiveVerdict] {
        LiveFixtures.discovery().verdicts + LiveFixtures.silence.verdicts + LiveFixtures.contact.verdicts
            + LiveFixtures.rotation.verdicts
    }

    private func failed(_ verdicts: [LiveVerdict]) -> Set<String> {
        Set(
            verdicts.compactMap { verdict in
                if case .failed = verdict.outcome { verdict.check } else { nil }
            })
    }

    @Test func `pass for a node without a fault`() {
        expectEqual(good.map(\.check), LiveCheck.all.map(\.id))
        for verdict in good {
            guard case .passed = verdict.outcome else {
                Issue.record("\(verdict)")
                continue
            }
        }
    }

    /// Covers INK-CNF-041.
    @Test func `fail for a node with exactly the fault that they detect`() {
        let faultyNodes =
            LiveFixtures.discoveryFaults + LiveFixtures.silenceFaults + LiveFixtures.contactFaults
            + LiveFixtures.rotationFaults
        expectEqual(Set(faultyNodes.map(\.check)), Set(LiveCheck.all.map(\.id)))
        for faulty in faultyNodes {
            expectEqual(
                failed(faulty.verdicts), faulty.also.union([faulty.check]), "\(faulty.check): \(faulty.verdicts)")
        }
    }

    @Test func `have unique ids and name requirements`() {
        expectEqual(Set(LiveCheck.all.map(\.id)).count, LiveCheck.all.count)
        for check in LiveCheck.all {
            #expect(!check.requirements.isEmpty && check.id.hasPrefix("\(check.part.rawValue)-"), "\(check)")
            expectEqual(LiveCheck.named(check.id), check)
        }
    }

    @Test func `have a stranger's probe for each check that needs only an address`() {
        var generator = SeededGenerator(seed: 3)
        let probes = StrangerProbe.all(using: &generator)
        let wanted = LiveCheck.all.filter { $0.part == .silence && $0.need == .address }.map(\.id)
        expectEqual(probes.map(\.check), wanted.filter { $0 != "live-silence-alike" })
        let first = probes.first { $0.check == "live-silence-gate" }
        #expect(first?.bytes.count == 131 && first?.bytes.prefix(3) == [0, 129, 0x10])
        expectEqual(probes.first { $0.check == "live-silence-again" }?.bytes, first?.bytes)
        expectEqual(probes.filter(\.endsStream).map(\.check), ["live-silence-half-closed"])
    }

    /// Covers INK-CNF-040.
    @Test func `do not judge what was not observed`() {
        var silence = SilenceEvidence()
        expectEqual(
            silence.verdicts, [LiveVerdict("live-silence-alike", .skipped("fewer than two connections were refused"))])
        silence.skipped["live-silence-old-epoch"] = "the new epoch was too short for this check"
        expectEqual(silence.verdicts.last?.outcome, .skipped("the new epoch was too short for this check"))
        var contact = LiveFixtures.contact
        contact.call = nil
        #expect(failed(contact.verdicts).isEmpty && contact.verdicts.count == 5)
        var rotation = LiveFixtures.rotation
        rotation.predicted = nil
        rotation.askedAt = nil
        rotation.isOldPortOpen = nil
        rotation.strangerEnd = nil
        rotation.sessionEnd = nil
        rotation.call = nil
        let skipped = rotation.verdicts.filter { if case .skipped = $0.outcome { true } else { false } }
        expectEqual(
            skipped.map(\.check).map { $0.dropFirst("live-rotation-".count) },
            [
                "old-name", "old-port", "strangers", "sessions", "predicted", "confirm",
            ])
        expectEqual(rotation.after?.name, LiveFixtures.newName)
    }

    /// Covers INK-CNF-042.
    @Test func `report the times of silence with their spread and the tolerance`() {
        var silence = SilenceEvidence(tolerance: 40)
        silence.outcomes["live-silence-gate"] = ConnectionOutcome(.reset, after: 4_980)
        silence.outcomes["live-silence-http"] = ConnectionOutcome(.reset, after: 5_010)
        // The node may wait for the rest of an incomplete message, which is therefore not compared with others.
        silence.outcomes["live-silence-nothing"] = ConnectionOutcome(.reset, after: 10_000)
        expectEqual(
            silence.verdicts,
            [
                LiveVerdict("live-silence-nothing", .passed("reset after 10.000 s")),
                LiveVerdict("live-silence-http", .passed("reset after 5.010 s")),
                LiveVerdict("live-silence-gate", .passed("reset after 4.980 s")),
                LiveVerdict(
                    "live-silence-alike",
                    .passed("2 reasons: 4.980 s to 5.010 s, spread 30 ms, tolerance 40 ms")),
            ])
        silence.outcomes["live-silence-http"] = ConnectionOutcome(.reset, after: 5_021)
        expectEqual(failed(silence.verdicts), ["live-silence-alike"])
    }

    /// Covers INK-CNF-044.
    @Test func `judge the end of an epoch by the node's clock, within the uncertainty`() {
        var rotation = LiveFixtures.rotation
        rotation.boundary += 700
        expectEqual(failed(rotation.verdicts), ["live-rotation-goodbye"])
        rotation.uncertainty = 700
        #expect(failed(rotation.verdicts).isEmpty)
        rotation.boundary = LiveFixtures.boundary - 1_400
        rotation.uncertainty = 300
        expectEqual(
            failed(rotation.verdicts),
            [
                "live-rotation-goodbye", "live-rotation-strangers", "live-rotation-sessions", "live-rotation-silence",
            ])
    }

    @Test func `do not confuse the node with another node on its machine that returns first`() {
        var rotation = LiveFixtures.rotation
        let other = LiveFixtures.response(
            LiveFixtures.records(String(repeating: "b", count: 32), host: String(repeating: "c", count: 32)),
            at: LiveFixtures.boundary + 1_000)
        rotation.packets = [rotation.packets[0], rotation.packets[1], other]
        #expect(!rotation.isSettled)
        rotation.packets = LiveFixtures.rotation.packets
        rotation.packets.insert(other, at: 2)
        #expect(rotation.isSettled && rotation.after?.name == LiveFixtures.newName)
        #expect(failed(rotation.verdicts).isEmpty)
        rotation.predicted = nil
        #expect(rotation.isSettled)
    }

    @Test func `allow a node to leave without a goodbye, but require that it returns`() {
        var rotation = LiveFixtures.rotation
        rotation.packets.remove(at: 1)
        #expect(failed(rotation.verdicts).isEmpty)
        rotation.packets.removeLast()
        #expect(failed(rotation.verdicts).contains("live-rotation-name"))
    }

    @Test func `do not blame a node for other packets of the observer's own machine`() {
        let stray = LiveFixtures.response(
            [
                DNSMessage.Record(
                    DNSName("laptop.local"), isUnique: true, timeToLive: 120, .address4([10, 77, 0, 1]))
            ], at: LiveFixtures.boundary - 58_000)
        var evidence = LiveFixtures.discovery(and: [stray])
        expectEqual(failed(evidence.verdicts), ["live-discovery-machine"])
        evidence.ownAddresses = [LiveFixtures.source]
        #expect(failed(evidence.verdicts).isEmpty)
    }

    @Test func `do not mistake random digits that spell the name of a person for that name`() {
        var evidence = LiveFixtures.discovery()
        evidence.words = ["EE86", "f289"]
        #expect(failed(evidence.verdicts).isEmpty)
        evidence.words = ["v=1"]
        expectEqual(failed(evidence.verdicts), ["live-discovery-machine"])
    }

    @Test func `recognise an address of the observer's machine with the scope of any interface`() {
        let octets = Octets16(high: 0xfe80_0000_0000_0000, low: 10)
        let heard = Endpoint.Address.v6(octets, scope: 3)
        let asked = LiveFixtures.question(
            ServiceNames.instance(LiveFixtures.name), DNSMessage.RecordType.txt, at: LiveFixtures.boundary - 58_000,
            from: heard)
        var evidence = LiveFixtures.discovery(
            and: [
                LiveFixtures.response(LiveFixtures.records(), at: LiveFixtures.boundary - 58_500, from: heard), asked,
            ])
        expectEqual(failed(evidence.verdicts), ["live-discovery-questions"])
        evidence.ownAddresses = [.v6(octets, scope: 2)]
        let shared = "not judged: the node shares an address with this program"
        for check in ["questions", "machine", "meta"] {
            #expect(evidence.verdicts.contains(LiveVerdict("live-discovery-\(check)", .skipped(shared))), "\(check)")
        }
        #expect(failed(evidence.verdicts).isEmpty)
    }

    // MARK: Reports

    /// Covers INK-CNF-040.
    @Test func `all appear in a live report, which is partial when one could not be made`() {
        expectEqual(ConformanceReport(implementation: "a node", live: good).verdict, .conforms)
        let partial = ConformanceReport(implementation: "a node", live: Array(good.dropLast()))
        expectEqual(partial.verdict, .partial)
        #expect(partial.counts.notRun == 1 && partial.counts.passed == LiveCheck.all.count - 1)
        #expect(partial.tree(shown: 5).contains("live-rotation-confirm  not run: the run ended before this check"))
        #expect(partial.junit.contains("<skipped message=\"the run ended before this check\"/>"))
        #expect(partial.html(shown: 5).contains("the run ended before"))
        #expect(partial.markdown(shown: 5).contains("the run ended before"))
    }

    @Test func `produce a report about a node even when the first one failed`() throws {
        let faulty = try #require(LiveFixtures.discoveryFaults.first { $0.check == LiveCheck.all[0].id })
        let report = ConformanceReport(implementation: "a node", live: faulty.verdicts)
        for text in [report.tree(shown: 5), report.html(shown: 5)] {
            #expect(text.contains("live-discovery-name") && text.contains("the name is"))
            #expect(!text.contains("Not a shim") && !text.contains("conform explain") && !text.contains("<h4>Request"))
        }
    }

    @Test func `produce a report with requirements and observations that merges with other reports`() throws {
        let faulty = try #require(LiveFixtures.discoveryFaults.first { $0.check == "live-discovery-text" })
        let report = ConformanceReport(implementation: "a <node>", live: faulty.verdicts)
        expectEqual(report.verdict, .differs)
        #expect(report.tree(shown: 5).contains("live-discovery-text  INK-MDN-003  TXT is 05753d626f62"))
        #expect(report.html(shown: 5).contains("TXT is 05753d626f62"))
        #expect(report.junit.contains("message=\"TXT is 05753d626f62\""))
        var lines = [ReportLines.start(implementation: report.implementation, caseCount: report.entries.count)]
        lines += report.entries.map(ReportLines.line)
        lines.append(ReportLines.end(report))
        #expect(lines.contains { $0["broken"] == .list(["INK-MDN-003"]) && $0["message"] == "TXT is 05753d626f62" })
        let text = lines.map { JSON.object($0).compact + "\n" }.joined()
        let matrix = try ConformanceMatrix(parsing: [Array(text.utf8)])
        #expect(matrix.markdown.contains("breaks: INK-MDN-003."))
    }
}
