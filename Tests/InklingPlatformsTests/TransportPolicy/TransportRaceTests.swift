import InklingEngine
import InklingKeys
import InklingPlatforms
import Testing

@Suite struct `Race of transports` {
    private let plan: TransportPlan = {
        let phone = AppCircumstances(
            DevicePlatform(.iOS, PlatformVersion(26), traits: [.iPhone12]), .foreground,
            met: [.bluetooth, .central, .localNetwork])
        var situation = TransportSituation(own: phone, peer: phone, relation: .confirmed, purpose: .bulk)
        situation.payload = 10_000_000
        situation.isPaired = true
        return TransportPolicy().plan(for: situation)
    }()

    /// Covers INK-TPT-008.
    @Test func `a transport that hangs does not delay another`() throws {
        #expect(plan.steps.map(\.transport) == [.awareBulk, .awdl, .gatt])
        var race = TransportRace(plan, at: Tick(milliseconds: 500))
        #expect(
            race.handle(.timerFired, at: Tick(milliseconds: 500)) == [
                .begin(plan.steps[0]), .wake(at: Tick(milliseconds: 500 + plan.steps[1].begins.wholeMilliseconds)),
            ])
        let second = race.handle(.timerFired, at: Tick(milliseconds: 500 + plan.steps[1].begins.wholeMilliseconds))
        #expect(second.first == .begin(plan.steps[1]))
        let third = race.handle(.timerFired, at: Tick(milliseconds: 500 + plan.steps[2].begins.wholeMilliseconds))
        #expect(third == [.begin(plan.steps[2])])
        #expect(plan.steps[2].begins <= .seconds(20))
    }

    @Test func `the first transport that connects ends the others`() {
        var race = TransportRace(plan, at: Tick(milliseconds: 0))
        _ = race.handle(.timerFired, at: Tick(milliseconds: 0))
        _ = race.handle(.timerFired, at: Tick(milliseconds: plan.steps[1].begins.wholeMilliseconds))
        #expect(
            race.handle(.connected(.awdl), at: Tick(milliseconds: 5000)) == [.cancel(.awareBulk), .ended(.awdl)])
        #expect(race.handle(.timerFired, at: Tick(milliseconds: 60_000)) == [])
    }

    @Test func `ends without a transport if all have failed`() {
        var race = TransportRace(plan, at: Tick(milliseconds: 0))
        let end = Tick(milliseconds: plan.steps[2].begins.wholeMilliseconds)
        #expect(race.handle(.timerFired, at: end).count == 3)
        #expect(race.handle(.failed(.awareBulk), at: end) == [])
        #expect(race.handle(.failed(.awdl), at: end) == [])
        #expect(race.handle(.failed(.gatt), at: end) == [.ended(nil)])
    }

    @Test func `a plan without steps ends at once`() {
        let phone = AppCircumstances(DevicePlatform(.iOS, PlatformVersion(26)), .forceQuit, met: [.bluetooth])
        let plan = TransportPolicy().plan(
            for: TransportSituation(own: phone, peer: nil, relation: .contact, purpose: .message))
        var race = TransportRace(plan, at: Tick(milliseconds: 0))
        #expect(race.handle(.timerFired, at: Tick(milliseconds: 0)) == [.ended(nil)])
    }
}
