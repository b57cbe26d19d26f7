import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@testable import InklingPlatforms

private let tick = Tick(milliseconds: 5)

/// The values that a caller stores or logs.
@Suite struct `Public values of the platforms` {
    private static let phone = AppCircumstances(
        DevicePlatform(.iOS, PlatformVersion(18, 2)), .foreground,
        met: Set(ProfileNeed.allCases).subtracting([.lowPower]))

    @Test(arguments: TransportPurpose.allCases, TransportRelation.allCases)
    func `a plan returns from its JSON`(purpose: TransportPurpose, relation: TransportRelation) throws {
        var situation = TransportSituation(own: Self.phone, peer: Self.phone, relation: relation, purpose: purpose)
        situation.isOnSameNetwork = true
        let plan = TransportPolicy().plan(for: situation)
        #expect(try CodedValue(plan).returns())
    }

    @Test func `a plan is coded in the words of the vectors`() throws {
        let fact = try #require(PlatformProfiles.known.facts.first)
        let plan = TransportPlan(
            steps: [
                TransportPlan.Step(
                    transport: .beacon, direction: .we, next: .init(transport: .gatt, direction: .they),
                    begins: .zero, completes: .milliseconds(1500), energy: 3, exposure: 2, cost: 1, lasts: nil,
                    facts: [fact])
            ], refusals: [TransportPlan.Refusal(transport: .relay, reason: .thirdParty, facts: [])])
        let steps =
            #"[{"begins":0,"completes":1500,"cost":1,"direction":"we","energy":3,"exposure":2,"facts":["\#(fact.id)"],"#
            + #""next":{"direction":"they","transport":"gatt"},"transport":"beacon"}]"#
        let refusals = #"[{"facts":[],"reason":"third-party","transport":"relay"}]"#
        #expect(try CodedValue(plan).encoded() == #"{"refusals":\#(refusals),"steps":\#(steps)}"#)
        #expect(throws: DecodingError.self) {
            try decode(
                TransportPlan.Refusal.self, from: #"{"facts":["no-fact"],"reason":"purpose","transport":"ble"}"#)
        }
    }

    @Test func `a version is written without a patch of 0, and ordered by its numbers`() {
        #expect(PlatformVersion(18, 2).description == "18.2")
        #expect(PlatformVersion(18, 2, 1).description == "18.2.1")
        #expect(PlatformVersion(26).description == "26.0")
        let sorted = [
            PlatformVersion(17, 9, 9), PlatformVersion(18, 1, 9), PlatformVersion(18, 2), PlatformVersion(18, 2, 1),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }

    static let effects: [(any CustomStringConvertible & Sendable, String)] = [
        (TransportRace.Effect.cancel(.awareBulk), "cancel aware-bulk"),
        (TransportRace.Effect.wake(at: tick), "wake at 5 ms"),
        (TransportRace.Effect.ended(.gatt), "ended: gatt connected"),
        (TransportRace.Effect.ended(nil), "ended: no transport is left"),
        (RegionWake.Effect.openWindow, "open a window of execution"),
        (RegionWake.Effect.startRanging(3), "start ranging in region 3"),
        (RegionWake.Effect.stopRanging(3), "stop ranging in region 3"),
        (RegionWake.Effect.identify(3, minors: [4711, 4712]), "identify 2 minors of region 3"),
        (RegionWake.Effect.left(3), "region 3 was left"), (RegionWake.Effect.wake(at: tick), "wake at 5 ms"),
        (Checkpoint.Effect.write(8), "write record 8"),
        (Checkpoint.Effect.replay(after: 8), "ask for the records after 8"),
        (Checkpoint.Effect.giveUp(after: 8, before: 10), "give up the records after 8 and before 10"),
        (Checkpoint.Effect.beginTask, "begin a background task"), (Checkpoint.Effect.flush, "flush the journal"),
        (Checkpoint.Effect.writeMarker(8), "write a marker for record 8"),
        (Checkpoint.Effect.endTask, "end the background task"), (Checkpoint.Verdict.empty, "no previous run"),
        (Checkpoint.Verdict.complete(last: 8), "complete up to record 8"),
        (Checkpoint.Verdict.incomplete(resumeAfter: 8), "incomplete after record 8"),
        (Restoration<Int>.Effect.refuseIdentifier("a.b"), "refuse the restoration identifier a.b"),
        (Restoration<Int>.Effect.storeIdentifier("a.b"), "store the restoration identifier a.b"),
        (Restoration<Int>.Effect.createManager("a.b"), "create the manager a.b"),
        (Restoration<Int>.Effect.openWindow, "open a window of execution"),
        (Restoration<Int>.Effect.adopt(1), "adopt 1"),
        (Restoration<Int>.Effect.resume(1, isLinked: true), "renew the subscriptions of 1"),
        (Restoration<Int>.Effect.resume(1, isLinked: false), "connect 1"),
        (Restoration<Int>.Effect.scan(["a", "b"]), "scan for a, b"),
        (Restoration<Int>.Effect.addService("a"), "publish a"),
        (Restoration<Int>.Effect.removeService("a"), "withdraw a"),
        (Restoration<Int>.Effect.advertise(["a"]), "advertise a"),
        (Restoration<Int>.Effect.ready, "commands can be given"),
        (Restoration<Int>.Effect.unready, "links, scans and published services are void"),
        (Restoration<Int>.Effect.ignore(.repeated), "ignored: repeated"),
        (Reconnection<Int, String>.Effect.lookUp(1, "r"), "1: look up r"),
        (Reconnection<Int, String>.Effect.lookUpAttached(1), "1: look up a link that another program holds"),
        (Reconnection<Int, String>.Effect.beginSearch(["a", "b"]), "search for a, b"),
        (Reconnection<Int, String>.Effect.endSearch, "end the search"),
        (Reconnection<Int, String>.Effect.adopt(1, "r"), "1: adopt r"),
        (Reconnection<Int, String>.Effect.call(1, "r"), "1: connect to r"),
        (Reconnection<Int, String>.Effect.cancel(1, "r"), "1: cancel r"),
        (Reconnection<Int, String>.Effect.remember(1, "r"), "1: remember r"),
        (Reconnection<Int, String>.Effect.perform(1, "r", .status, lastReceived: nil), "1: carry out status"),
        (Reconnection<Int, String>.Effect.overdue(1, .status), "1: status is late"),
        (
            Reconnection<Int, String>.Effect.reconnected(1, "r", waited: .seconds(2), took: .milliseconds(500)),
            "1: connected after 2.0 seconds, ready after 0.5 seconds"
        ), (Reconnection<Int, String>.Effect.wake(at: tick), "wake at 5 ms"),
        (RestorationIdentifiers.Fault.tooLong, "a restoration identifier is longer than 128 bytes"),
    ]

    @Test func `an effect, a verdict and a fault have descriptions`() {
        for (value, text) in Self.effects { #expect(value.description == text) }
    }
}
