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
        // The grant that waits for the save will be of the newest generation.
        machine.generationsBegan()
        #expect(machine.handle(.saved, at: start) == [.grant(session: 1, .full)])
        #expect(machine.stored == agreement)
    }

    @Test(arguments: [true, false])
    func `forgets the end of a grant of an earlier generation, also while something else is being stored`(
        isSaved: Bool
    ) throws {
        let (now, start) = (try #require(Period(496_000)), Tick(milliseconds: 0))
        let (older, newer) = (PairwiseKeyNumber(rawValue: 1), PairwiseKeyNumber(rawValue: 2))
        let end = FirstContactMachine.Span.full.end(from: now)
        let both = try #require(
            Agreement(standing: .complete, keys: [older, newer], shared: older, turn: 0, grantedUntil: end))
        var alone = try #require(
            Agreement(standing: .complete, keys: [newer], shared: newer, turn: 0, grantedUntil: end))
        var machine = FirstContactMachine(both)
        #expect(machine.handle(.secondMessageOpened(session: 1, newer), at: start) == [.save(alone)])
        machine.generationsBegan()
        alone.grantedUntil = nil
        guard isSaved else {
            #expect(machine.handle(.notSaved, at: start) == [.drop(session: 1)])
            #expect(machine.agreement.grantedUntil == nil)
            return
        }
        #expect(machine.handle(.saved, at: start) == [.proceed(session: 1), .save(alone)])
        #expect(machine.handle(.saved, at: start).isEmpty)
        #expect(machine.stored == alone)
    }
}
