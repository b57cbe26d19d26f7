import InklingEngine
import InklingPlatforms
import Testing

@Suite struct `Facts about platforms` {
    private let known = PlatformProfiles.known

    /// Covers INK-PLT-006.
    @Test func `every disputed fact is in a contradiction, and every contradiction is resolved`() {
        let disputed = Set(known.facts.filter { $0.confidence == .disputed }.map(\.id))
        let named = Set(Contradiction.known.flatMap(\.facts))
        #expect(disputed.subtracting(named).isEmpty)
        #expect(named.subtracting(known.facts.map(\.id)).isEmpty)
        for contradiction in Contradiction.known {
            #expect(contradiction.statements.count >= 2)
            #expect(!contradiction.holds.isEmpty)
            #expect(contradiction.statements.allSatisfy { !$0.sources.isEmpty })
        }
        #expect(Set(Contradiction.known.map(\.id)).count == Contradiction.known.count)
    }

    /// Covers INK-PLT-006.
    @Test(arguments: [
        "regions-after-force-quit", "beacons-of-others", "wifi-direct-with-ios", "reconnection-time", "multipeer-range",
        "peer-to-peer-browsing", "cutoff-without-connections", "regions-in-low-power",
    ])
    func `lists the contradictions of the sources`(id: String) {
        #expect(Contradiction.known.contains { $0.id == id })
    }

    @Test func `only facts that a check in this repository measures are marked as measured`() {
        #expect(known.facts.contains { $0.confidence == .measured })
        for fact in known.facts {
            let isMeasured = fact.confidence == .measured
            #expect(isMeasured == (fact.source.document == .measured), "\(fact.id)")
            #expect(!isMeasured || fact.source.place.hasPrefix("Tests/"), "\(fact.id)")
        }
    }

    @Test func `computed values are marked as assumed, and of two ranges the shorter is used`() {
        #expect(known.facts.first { $0.id == "ios/scan/low-power" }?.confidence == .assumed)
        let phone = AppCircumstances(
            DevicePlatform(.iOS, PlatformVersion(18, 2)), .foreground, met: [.bluetooth, .localNetwork])
        #expect(known.answer(.multipeer, in: phone).value == .metres(1))
        #expect(known.answer(.bluetoothRange, in: phone).value == .metres(10))
        #expect(known.answer(.awdlRange, in: phone).value == .metres(10))
    }

    @Test func `every fact has a unique id, a row, a state and a source`() {
        #expect(Set(known.facts.map(\.id)).count == known.facts.count)
        for fact in known.facts {
            #expect(!fact.rows.isEmpty && !fact.states.isEmpty && !fact.source.place.isEmpty, "\(fact.id)")
        }
        #expect(Set(known.facts.flatMap(\.rows)) == Set(ProfileRow.allCases))
        #expect(Set(known.facts.map(\.subject)) == Set(ProfileSubject.allCases))
    }

    @Test func `returns the worst value of the facts that apply, and lists all of them`() {
        let phone = AppCircumstances(
            DevicePlatform(.iOS, PlatformVersion(18, 1)), .background, met: [.bluetooth, .central, .lowPower])
        let answer = known.answer(.scan, in: phone)
        #expect(answer.value == .within(.seconds(20)...(.seconds(600))))
        #expect(answer.facts.map(\.id) == ["ios-18.1/scan/background", "ios/scan/low-power"])
        let usual = AppCircumstances(phone.platform, .background, met: [.bluetooth, .central])
        #expect(known.answer(.scan, in: usual).value == .within(.seconds(5)...(.seconds(60))))
    }

    @Test func `of two durations of reporting, the shorter is worse`() {
        let short = ProfileFact.iOSScanningLimit(minutes: 5)
        let long = ProfileFact.iOSScanningLimit(minutes: 10)
        let phone = AppCircumstances(
            DevicePlatform(.iOS, PlatformVersion(18)), .background, met: [.bluetooth, .central])
        let answer = PlatformProfiles([long, short]).answer(.callbacks, in: phone)
        #expect(answer.value.worst == .seconds(300))
    }

    @Test func `guidance says what each state can promise and what the absence of each key causes`() {
        let promises = Set(Guidance.known.filter { $0.kind == .promise }.map(\.id))
        #expect(promises.isSuperset(of: AppState.allCases.map { "promise/\($0.rawValue)" }))
        #expect(Guidance.known.filter { $0.kind == .key }.allSatisfy { $0.otherwise != nil })
        #expect(Set(Guidance.known.map(\.kind)) == Set(Guidance.Kind.allCases))
        #expect(Set(Guidance.known.map(\.id)).count == Guidance.known.count)
        #expect(SourceGap.known.count == 4)
    }

    @Test func `promises nothing without a fact`() {
        let phone = AppCircumstances(DevicePlatform(.iOS, PlatformVersion(15)), .background, met: [.bluetooth])
        let answer = known.answer(.scan, in: phone)
        #expect(answer.value == .no)
        #expect(answer.facts.isEmpty)
    }

    @Test(arguments: [
        ("18.0.2", ProfileRow.iOS18_0, DevicePlatform.Coverage.older), ("17.7", .iOS17_3, .older),
        ("19", .iOS18_2, .older),
        ("27.1", .iOS26, .older), ("18.0.1", .iOS18_0, .exact), ("12.5.7", .iOS11, .exact),
    ]) func `a version between two rows has the older one, and the coverage shows that`(
        text: String, row: ProfileRow, coverage: DevicePlatform.Coverage
    ) throws {
        let platform = DevicePlatform(.iOS, try #require(PlatformVersion(text)))
        #expect(platform.rowOfVersion == row)
        #expect(platform.coverage == coverage)
    }

    @Test func `a version older than every row has none`() {
        let platform = DevicePlatform(.iOS, PlatformVersion(9, 3))
        #expect(platform.rowOfVersion == nil)
        #expect(platform.coverage == .none)
        #expect(platform.rows == [.iOS])
    }

    @Test(arguments: ["", "18.", ".1", "18.0.1.1", "18.01", "18a", "-1", "99999", "１８", "18 "])
    func `rejects text that is not a version`(text: String) {
        #expect(PlatformVersion(text) == nil)
    }
}

extension ProfileFact {
    fileprivate static func iOSScanningLimit(minutes: Int) -> ProfileFact {
        ProfileFact(
            "planted/\(minutes)", [.iOS], [.background], needs: [.bluetooth], .callbacks,
            .within(.seconds(minutes * 60)...(.seconds(minutes * 60))), FactSource(.deepDive, "planted"), .assumed)
    }
}
