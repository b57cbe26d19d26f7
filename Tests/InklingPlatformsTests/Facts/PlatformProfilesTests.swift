import InklingEngine
import InklingPlatforms
import Testing

@Suite struct `What is known of platforms` {
    private let known = PlatformProfiles.known

    /// Covers INK-PLT-006.
    @Test func `every disputed fact stands in a contradiction, and every contradiction has its resolution`() {
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

    @Test func `every fact has a name of its own, a row, a state and a source`() {
        #expect(Set(known.facts.map(\.id)).count == known.facts.count)
        for fact in known.facts {
            #expect(!fact.rows.isEmpty && !fact.states.isEmpty && !fact.source.place.isEmpty, "\(fact.id)")
        }
        #expect(Set(known.facts.flatMap(\.rows)) == Set(ProfileRow.allCases))
        #expect(Set(known.facts.map(\.subject)) == Set(ProfileSubject.allCases))
    }

    @Test func `the worst of the facts that apply holds, and all are named`() {
        let phone = AppCircumstances(
            Platform(.iOS, PlatformVersion(18, 1)), .background, met: [.bluetooth, .central, .lowPower])
        let answer = known.answer(.scan, in: phone)
        #expect(answer.value == .within(20_000, 600_000))
        #expect(answer.facts.map(\.id) == ["ios-18.1/scan/background", "ios/scan/low-power"])
        let usual = AppCircumstances(phone.platform, .background, met: [.bluetooth, .central])
        #expect(known.answer(.scan, in: usual).value == .within(5000, 60_000))
    }

    @Test func `reports that go on for a shorter time are the worse`() {
        let short = ProfileFact.iOSScanningLimit(minutes: 5)
        let long = ProfileFact.iOSScanningLimit(minutes: 10)
        let phone = AppCircumstances(Platform(.iOS, PlatformVersion(18)), .background, met: [.bluetooth, .central])
        let answer = PlatformProfiles([long, short]).answer(.callbacks, in: phone)
        #expect(answer.value.worst == 300_000)
    }

    @Test func `for every state it is said what can be promised, and every declaration tells what its absence causes`()
    {
        let promises = Set(Guidance.known.filter { $0.kind == .promise }.map(\.id))
        #expect(promises.isSuperset(of: AppState.allCases.map { "promise/\($0.rawValue)" }))
        #expect(Guidance.known.filter { $0.kind == .key }.allSatisfy { $0.otherwise != nil })
        #expect(Set(Guidance.known.map(\.kind)) == Set(Guidance.Kind.allCases))
        #expect(Set(Guidance.known.map(\.id)).count == Guidance.known.count)
        #expect(SourceGap.known.count == 4)
    }

    @Test func `what no fact says is not promised`() {
        let phone = AppCircumstances(Platform(.iOS, PlatformVersion(15)), .background, met: [.bluetooth])
        let answer = known.answer(.scan, in: phone)
        #expect(answer.value == .no)
        #expect(answer.facts.isEmpty)
    }

    @Test(arguments: [
        ("18.0.2", ProfileRow.iOS18_0, Platform.Coverage.older), ("17.7", .iOS17_3, .older), ("19", .iOS18_2, .older),
        ("27.1", .iOS26, .older), ("18.0.1", .iOS18_0, .exact), ("12.5.7", .iOS11, .exact),
    ]) func `a version between the rows falls to the nearest older one and says so`(
        text: String, row: ProfileRow, coverage: Platform.Coverage
    ) throws {
        let platform = Platform(.iOS, try #require(PlatformVersion(text)))
        #expect(platform.rowOfVersion == row)
        #expect(platform.coverage == coverage)
    }

    @Test func `a version older than all rows has none`() {
        let platform = Platform(.iOS, PlatformVersion(9, 3))
        #expect(platform.rowOfVersion == nil)
        #expect(platform.coverage == .none)
        #expect(platform.rows == [.iOS])
    }

    @Test(arguments: ["", "18.", ".1", "18.0.1.1", "18.01", "18a", "-1", "99999", "１８", "18 "])
    func `a version that is none is refused`(text: String) {
        #expect(PlatformVersion(text) == nil)
    }
}

extension ProfileFact {
    fileprivate static func iOSScanningLimit(minutes: UInt64) -> ProfileFact {
        ProfileFact(
            "planted/\(minutes)", [.iOS], [.background], needs: [.bluetooth], .callbacks,
            .within(minutes * 60_000, minutes * 60_000), Source(.deepDive, "planted"), .assumed)
    }
}
