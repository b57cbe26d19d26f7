import InklingAccess
import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingPredictions
import InklingProgramTesting
import InklingTerminal
import InklingTesting
import InklingVault
import Testing

@testable import InklingCommand

@Suite(.runsPrograms) struct `inkling scan` {
    private let epoch: Epoch

    init() throws { epoch = try #require(Epoch(1_984_000)) }

    /// The audience of a person, by one byte of its root.
    private func source(_ people: [(String, UInt8)]) -> PredictionSource {
        PredictionSource(
            people.map { name, byte in
                let root = SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
                let tree = SecretBox(AudienceTree(root: root))
                return (name, [HeldGrant(audience: .granted(0), devices: [.first], tree: tree)])
            })
    }

    private func minor(of byte: UInt8, in epoch: Epoch) throws -> BeaconMinor {
        let tree = AudienceTree(root: SecretBytes(copying: [UInt8](repeating: byte, count: 32).span))
        guard let period = tree.periodKey(epoch.period) else { throw NoKey() }
        return period.deviceKeys(.first).beacon.minor(epoch)
    }

    private struct NoKey: Error {}

    private func heard(
        _ minor: BeaconMinor, from address: UInt64 = 1, rssi: Int8 = -60, at seconds: UInt64 = 0
    ) throws -> BeaconSighting {
        BeaconSighting(
            minor, from: try #require(DeviceAddress(address)), rssi: rssi,
            observed: ObservedTime(unixMilliseconds: (epoch.start + seconds) * 1000))
    }

    @Test func `a beacon is of this node, of a contact or of a stranger`() throws {
        let judge = BeaconJudge(contacts: source([("Bo", 1), ("Cy", 2)]), own: source([("", 3)]))
        let bo = try judge.judge(try heard(try minor(of: 1, in: epoch)))
        #expect(bo.kind == .contacts(["Bo"]))
        // Two minors of 65,536 count in the middle of an epoch, and none by chance for this node itself.
        #expect(try judge.judge(try heard(try minor(of: 2, in: epoch), at: 450)).byChance == 2.0 / 65_536)
        #expect(try judge.judge(try heard(try minor(of: 3, in: epoch))).kind == .own)
        #expect(try judge.judge(try heard(try minor(of: 4, in: epoch))).kind == .stranger)
        // A value that a contact showed an hour ago does not count.
        #expect(try judge.judge(try heard(try minor(of: 1, in: epoch), at: 3600)).kind == .stranger)
    }

    @Test func `without a home everyone is a stranger`() throws {
        let judge = BeaconJudge()
        let bo = try judge.judge(try heard(try minor(of: 1, in: epoch)))
        #expect(bo == BeaconJudge.Judgement(kind: .stranger, byChance: 0))
    }

    @Test func `two contacts that show one minor are both named`() throws {
        let judge = BeaconJudge(contacts: source([("Bo", 1), ("Bo again", 1)]))
        #expect(try judge.judge(try heard(try minor(of: 1, in: epoch))).kind == .contacts(["Bo", "Bo again"]))
    }

    @Test func `a beacon is counted once, with its strongest power`() throws {
        var tally = ScanTally()
        let stranger = BeaconJudge.Judgement(kind: .stranger, byChance: 0.5)
        for (address, rssi) in [(1, -70), (1, -50), (1, 127), (2, -127), (1, -90)] as [(UInt64, Int8)] {
            _ = try tally.take(try heard(BeaconMinor(7), from: address, rssi: rssi)) { _ in stranger }
        }
        #expect(tally.beacons.map(\.sightings) == [4, 1])
        #expect(tally.beacons.map(\.rssi) == [-50, nil])
        let fact = ScanFact(tally, seconds: 10, active: false, recognises: true)
        #expect(fact.strangers == 2)
        #expect(fact.expectedByChance == 1)
    }

    @Test func `the table of beacons and that of phones have a bound`() throws {
        var tally = ScanTally()
        let stranger = BeaconJudge.Judgement(kind: .stranger, byChance: 0)
        for number in 0..<UInt64(ScanTally.limit + 10) {
            _ = try tally.take(try heard(BeaconMinor(7), from: number)) { _ in stranger }
            tally.takePhone(try #require(DeviceAddress(number)))
        }
        #expect(tally.beacons.count == ScanTally.limit)
        #expect(tally.unlisted == 10)
        #expect(tally.phoneCount == ScanTally.limit)
    }

    @Test func `the summary names contacts as possible, and shows no address`() throws {
        var tally = ScanTally()
        let contact = BeaconJudge.Judgement(kind: .contacts(["Bo"]), byChance: 0.001)
        let stranger = BeaconJudge.Judgement(kind: .stranger, byChance: 0.001)
        let own = BeaconJudge.Judgement(kind: .own, byChance: 0)
        for (address, judgement) in [(0xabcdef, contact), (0xabcdef, contact), (2, stranger), (3, own)]
            as [(UInt64, BeaconJudge.Judgement)]
        {
            _ = try tally.take(try heard(BeaconMinor(4711), from: address, rssi: -61)) { _ in judgement }
        }
        tally.takePhone(try #require(DeviceAddress(9)))
        let fact = ScanFact(tally, seconds: 10, active: false, recognises: true)
        #expect(
            fact.text == """
                scanned    10 s, passively
                contacts   1 may be near; 0.0020 expected to look like one by chance
                  Bo                      -61 dBm   2 sightings
                strangers  1
                own        1
                iPhones    1 with an Inkling app, or another app that sets the same bit

                """)
        #expect(
            JSON(encoding: fact).compact
                == #"{"seconds":10,"active":false,"recognises":true,"contacts":[{"contact":"Bo","rssi":-61,"#
                + #""sightings":2,"beacons":1}],"strangers":1,"own":1,"phones":1,"expectedByChance":0.002,"unlisted":0}"#
        )
        #expect(fact.progress == "1 contact may be near, 1 stranger")
        #expect(ScanFact(ScanTally(), seconds: 1, active: true, recognises: false).text.contains("not recognised"))
    }

    @Test func `addresses and minors are shown only when they are asked for`() throws {
        var tally = ScanTally()
        let new = try tally.take(try heard(BeaconMinor(4711), from: 0xabcdef, rssi: -61)) { _ in
            BeaconJudge.Judgement(kind: .stranger, byChance: 0)
        }
        let beacon = try #require(new)
        let hidden = BeaconFact(beacon, withAddress: false)
        #expect(!hidden.text.contains("4711"))
        #expect(!JSON(encoding: hidden).compact.contains("abcdef"))
        #expect(
            JSON(encoding: hidden).compact.hasSuffix(
                #""rssi":-61,"time":"2026-08-01T16:00:00Z","minor":null,"address":null}"#))
        let shown = BeaconFact(beacon, withAddress: true)
        #expect(shown.text.contains("minor 4711   address 000000abcdef  a stranger"))
        #expect(shown.minor == 4711)
    }

    @Test(arguments: [("10", 10), ("10s", 10), ("2m", 120), ("1h", 3600), ("24h", 86_400)] as [(String, UInt64)])
    func `a length of time is read`(text: String, seconds: UInt64) {
        #expect(ScanDuration(argument: text)?.seconds == seconds)
    }

    @Test(arguments: ["", "s", "0", "-1", "25h", "1d", "1.5m", "10 s", "99999999999999999999s", "٣s"])
    func `other lengths of time are rejected`(text: String) {
        #expect(ScanDuration(argument: text) == nil)
    }

    @Test func `the reports of a radio become one line for each beacon, and a summary`() async throws {
        let (reports, feed) = AsyncStream<RadioReport>.makeStream()
        feed.yield(.heard(try heard(BeaconMinor(1))))
        feed.yield(.failed(.poweredOff))
        feed.finish()
        var run = ScanRun(
            for: ScanDuration(seconds: 1), isActive: false, recognises: false, showsAddresses: false, asJSON: false,
            judge: BeaconJudge())
        await #expect(throws: Failure(.poweredOff)) { try await run.take(reports) }
    }

    @Test func `a failure of the radio has its exit code and a remedy`() {
        #expect(Failure(RadioError.notPermitted).status == .noPermission)
        #expect(Failure(RadioError.noDaemon).status == .unavailable)
        #expect(Failure(RadioError.noDaemon).remedy == .command("See what to fix with", "doctor"))
        #expect(Failure(RadioError.exposed(.name)).status == .configuration)
    }

    @Test func `what a node says of itself is what its contact predicts of it`() async throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        let predicted = try bo.kit("predict", "--hours", "1", "--from", "\(folder.clock.seconds)").facts().compactMap {
            fact in
            fact["epoch"]?.integer.flatMap { epoch in fact["minor"]?.integer.map { [epoch, $0] } }
        }
        let opened = try await OpenedNode(home: ada.path, isVisible: false, trustsClock: false) { _ throws(Failure) in
            try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: ada.keyFile) }
        }
        let own = try #require(await opened.node.ownPrediction())
        let first = try #require(predicted.first?.first.flatMap { Epoch(UInt32($0)) })
        let last = try #require(predicted.last?.first.flatMap { Epoch(UInt32($0)) })
        let shown = Forecast(of: [own]).epochs(first...last).flatMap { epoch, entries in
            entries.map { [Int64(epoch.number), Int64($0.minor.value)] }
        }
        #expect(shown.count >= 4)
        #expect(shown == predicted)
    }

    @Test func `a request for the values of the node itself is told from one for its contacts`() throws {
        for own in [false, true] {
            let request = PredictionRequest(epoch...epoch, own: own)
            let message = ControlMessage.request(request.json, secret: nil)
            let read = message.bytes.withBytes { bytes in
                ControlMessage(line: SecretBytes(copying: bytes.extracting(0..<bytes.count - 1)))
            }
            guard case .request(let json, _)? = read, let said = try? Request.decoded(from: json) as? PredictionRequest
            else {
                Issue.record("not read: \(request.json.compact)")
                return
            }
            #expect((said.own ?? false) == own)
        }
        let entry = Forecast.Entry(
            prediction: Prediction(
                contact: ContactID(rawValue: 0), device: .first, audience: .granted(0), epoch: epoch),
            name: OpaqueServiceName(Octets16(high: 1, low: 2)), minor: BeaconMinor(7))
        #expect(JSON(encoding: PredictionFact(entry, of: "", own: true)).compact.hasSuffix(#""minor":7,"own":true}"#))
        #expect(JSON(encoding: PredictionFact(entry, of: "Bo")).compact.hasSuffix(#""minor":7,"own":false}"#))
    }

    @Test func `a named home must exist, and a machine without Bluetooth is not available`() throws {
        let folder = try Folder()
        let missing = try Program.run("scan", "--for", "1s", "--home", "\(folder.path)/none")
        #expect(missing.status == 78, "\(missing)")
        let home = try Home("Ada", in: folder)
        let locked = try Program.run("scan", "--for", "1s", "--home", home.path)
        #expect(locked.status == 78, "\(locked)")
        #expect(locked.errors.contains("--key-file"))
    }
}

@Suite struct `inkling scan --strangers` {
    private let epoch: Epoch

    init() throws { epoch = try #require(Epoch(1_984_000)) }

    /// Runs over reports of a beacon that stays in some epochs, and returns the failure.
    private func run(staying epochs: Range<UInt64>, through last: UInt64) async throws -> Failure? {
        let (reports, feed) = AsyncStream<RadioReport>.makeStream(bufferingPolicy: .unbounded)
        func report(_ number: UInt64, at time: UInt64) throws {
            feed.yield(
                .heard(
                    BeaconSighting(
                        BeaconMinor(UInt16(number)), from: try #require(DeviceAddress(number)), rssi: -60,
                        observed: ObservedTime(unixMilliseconds: (epoch.start + time) * 1000))))
        }
        for number in 0..<last {
            for time in stride(from: 900 * number, to: 900 * (number + 1), by: 60) where epochs.contains(number) {
                try report(number, at: time)
            }
            // Another beacon, heard then, shows that the epoch has ended.
            try report(1000 + number, at: 900 * (number + 1))
        }
        feed.finish()
        let start = epoch.start
        var run = CompanionRun(
            for: ScanDuration(seconds: 3600), isActive: false, recognises: false, asJSON: true, judge: BeaconJudge(),
            now: { start })
        do throws(Failure) {
            try await run.take(reports)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the exit code says whether a beacon travels along`() async throws {
        #expect(try await run(staying: 0..<3, through: 3)?.status == .finding)
        #expect(try await run(staying: 0..<0, through: 3) == nil)
        #expect(try await run(staying: 0..<2, through: 2)?.status == .unavailable)
    }

    @Test func `the words say what was seen and what it is worth`() throws {
        var watch = CompanionWatch(at: epoch.start)
        #expect(
            CompanionFact.progress(of: watch)
                == "0 strangers here since this quarter of an hour began; 0 of 3 quarters observed")
        #expect(
            CompanionFact.progress(of: CompanionWatch(at: epoch.start + 400))
                == "waiting for the next quarter of an hour"
        )
        for number in 0..<3 as Range<UInt64> {
            let beacon = CompanionWatch.Beacon(
                minor: BeaconMinor(7), address: try #require(DeviceAddress(0xabcdef + number)))
            for time in stride(from: 900 * number, to: 900 * (number + 1), by: 60) {
                watch.heard(beacon, at: epoch.start + time) { true }
            }
        }
        watch.advance(to: epoch.start + 2700)
        let fact = CompanionFact(watch, seconds: 2700, active: false, recognises: false)
        #expect(
            fact.text.hasPrefix(
                """
                scanned    2700 s, passively
                2026-08-01T16:00:00Z  1 stranger at the beginning, 1 after 5 minutes, 1 after 10, 1 at the end
                """))
        #expect(fact.text.contains("contacts   not told from strangers without a home\n"))
        #expect(fact.text.contains("look through your things"))
        let json = JSON(encoding: fact).compact
        #expect(
            json.hasPrefix(
                #"{"verdict":"companion","epochs":[{"epoch":1984000,"from":"2026-08-01T16:00:00Z","strangers":1,"third":1,"#
                    + #""twoThirds":1,"stayed":1},"#))
        #expect(json.hasSuffix(#"],"seconds":2700,"active":false,"recognises":false}"#))
        #expect(!json.contains("abcdef"))
    }
}
