import InklingKeys
import InklingWire
import Testing

@Suite struct `The machine of first contacts` {
    /// Covers INK-FCT-022.
    @Test func `stores the end of a grant of a new generation, also when it is that of the generation before`() throws {
        let (now, start) = (try #require(Period(496_000)), Tick(milliseconds: 0))
        let key = PairwiseKeyNumber(rawValue: 1)
        let end = FirstContactMachine.Span.full.end(from: now)
        let agreement = try #require(
            Agreement(standing: .complete, keys: [key], shared: key, turn: 0, grantedUntil: end))
        let comparison = FirstContactMachine.Event.compared(
            session: 1, namesOurs: false, holdsTheirs: true, isLacking: true, now: now)
        var machine = FirstContactMachine(agreement)
        #expect(machine.handle(comparison, at: start) == [.grant(session: 1, .full)])
        machine.generationsBegan()
        #expect(machine.agreement.grantedUntil == nil)
        #expect(machine.handle(comparison, at: start) == [.save(agreement)])
        // An agreement that is being stored is not changed.
        machine.generationsBegan()
        #expect(machine.handle(.saved, at: start) == [.grant(session: 1, .full)])
        #expect(machine.stored == agreement)
    }
}
