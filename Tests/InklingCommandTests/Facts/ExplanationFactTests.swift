import InklingAccess
import InklingJSON
import InklingKeys
import InklingTesting
import InklingWire
import Testing

@testable import InklingCommand
@testable import InklingEngine
@testable import InklingNode
@testable import InklingVault

@Suite struct `An explanation` {
    @Test func `does not contradict itself about a confirmed contact of which nothing is seen`() throws {
        let fact = try fact(sights: [])
        #expect(fact.why.hasSuffix("40 s ago, and nothing of it was seen since"))
        #expect(text(fact).contains("\nseen         nothing\n"))
    }

    @Test func `does not contradict itself about a confirmed contact that is still seen`() throws {
        let fact = try fact(sights: [try sight(isCounting: true)])
        #expect(fact.why.hasSuffix("40 s ago, and it is still seen"))
        let text = text(fact)
        #expect(text.contains("\nseen         minor 7 for 2026-08-01T16:00:00Z, device 0\n"))
        #expect(!text.contains("seen         nothing"))
    }

    @Test func `says of a value outside its window that it does not count`() throws {
        let fact = try fact(sights: [try sight(isCounting: false)])
        #expect(fact.why.hasSuffix("and nothing that counts was seen since"))
        #expect(
            text(fact).contains("\nseen         minor 7 for 2026-08-01T16:00:00Z, device 0, outside its window\n"))
    }

    @Test func `counts the same strangers in its text and in its JSON`() throws {
        // The engine counts one stranger more than it has heard.
        for (expected, words) in [(1, "0 strangers"), (2, "1 stranger"), (6, "5 strangers")] as [(UInt64, String)] {
            let fact = try fact(sights: [], strangers: expected)
            #expect(fact.strangers == expected - 1)
            #expect(text(fact).contains("with \(words) heard\n"))
        }
    }

    @Test func `says when the contact has said that it leaves, and which delays it has`() throws {
        let fact = try fact(sights: [], goodbye: Tick(milliseconds: 90_000))
        #expect(fact.why.hasSuffix("40 s ago, and it said goodbye 10 s ago"))
        #expect(
            text(fact).hasSuffix(
                "\ndelays       arrives after 7 s; leaves after 2 min of silence, or 30 s after a goodbye\n"))
        #expect(fact.delays.chosen == ["arrive"])
    }

    // The options are not read while a node looks for the contact.
    private func text(_ fact: ExplanationFact) -> String { fact.text(for: HomeOptions()) }

    /// Explains a contact that a handshake confirmed 40 s ago and that has no open session.
    private func fact(
        sights: [Explanation.Sight], strangers: UInt64 = 1, goodbye: Tick? = nil
    ) throws -> ExplanationFact {
        let confirmed = Tick(milliseconds: 60_000)
        let engine = Explanation(
            state: .confirmed(at: confirmed), sights: sights, outsideWindow: nil, posterior: 0, prior: 0,
            strangers: strangers, confirmed: confirmed, presentSince: confirmed, lastHeard: nil, leaves: nil,
            goodbye: goodbye, hasSession: false, planned: nil, isTrying: false, attempted: nil, failure: nil)
        let now = ClockReading(tick: Tick(milliseconds: 100_000), unixMilliseconds: 1_785_600_000_000)
        let explanation = ContactExplanation(
            engine: engine, expected: [], nearMiss: nil, clockOffset: nil, visibility: .all, isLooking: true, room: nil,
            rooms: [:], now: now)
        let contact = ContactSummary(
            user: UserID(Octets16(high: 0, low: 7)), name: "Bo", cardName: "Bo", devices: [], recognisedUntil: nil,
            recognisesUsUntil: nil, standing: .complete, hasMet: true, needsReview: false, restoredFrom: nil,
            isBlocked: false, chosenDelays: ContactDelays(arrive: .seconds(7)),
            delays: ContactDelays(arrive: .seconds(7), leave: .seconds(120), goodbye: .seconds(30)),
            presence: engine.state,
            reachableOver: [])
        return ExplanationFact(explanation, of: contact, to: VisibilityFact(.all) { _ in "" })
    }

    private func sight(isCounting: Bool) throws -> Explanation.Sight {
        let epoch = try unwrap(Epoch(1_984_000))
        return Explanation.Sight(
            value: .minor(BeaconMinor(7)),
            prediction: Prediction(
                contact: ContactID(rawValue: 0), device: .first, audience: .granted(0), epoch: epoch),
            first: Tick(milliseconds: 60_000), last: Tick(milliseconds: 90_000), isCounting: isCounting, sharers: 1,
            addresses: 1, isContested: false)
    }
}
