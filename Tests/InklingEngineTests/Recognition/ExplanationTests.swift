import InklingEngine
import InklingKeys
import Testing

@Suite struct `What the engine says of itself` {
    @Test func `a moment to wake is named once, until another one takes its place`() {
        var engine = Observer([person(ada)]).engine
        var generator = ConstantGenerator(value: 0)
        func wakes(_ event: RecognitionEngine.Event, _ milliseconds: Int) -> Int {
            engine.handle(event, at: reading(milliseconds), using: &generator).count {
                if case .wake = $0 { true } else { false }
            }
        }
        #expect(wakes(.confirmed(ada, .first, .responder), 1000) == 1)
        #expect(wakes(.confirmed(bo, .first, .responder), 1001) == 0)
        #expect(wakes(.confirmed(bo, .first, .responder), 1002) == 0)
        #expect(wakes(.confirmed(ada, .first, .responder), 5000) == 1)
    }

    @Test func `a tag is a sight at one address, which is not contested`() throws {
        let shown = values(ada, minor: 7)
        var observer = RadioObserver([shown])
        observer.hearTwice(500, from: 1, 2000)
        observer.send(.tagRead(shown.tag, address(1), observed: ObservedTime(at: reading(2100))), 2100)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(2100)))
        let sight = try #require(explanation.sights.first)
        #expect(explanation.sights.count == 1)
        #expect(sight.value == .tag(shown.tag))
        #expect(sight.isCounting && !sight.isContested)
        #expect(sight.sharers == 1 && sight.addresses == 1)
    }

    @Test func `a value outside its window is explained by its epoch and time`() throws {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epoch(-1)), 120_000)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(130_000)))
        #expect(explanation.outsideWindow?.epoch == epoch(-1))
        #expect(explanation.outsideWindow?.at == tick(120_000))
    }

    @Test func `a contact of which nothing was seen has no session, no plan and no attempt`() throws {
        let observer = Observer([person(ada)])
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(0)))
        #expect(!explanation.hasSession)
        #expect(!explanation.isTrying)
        #expect(explanation.state == .unseen)
        #expect(explanation.sights.isEmpty)
        #expect(explanation.planned == nil && explanation.attempted == nil && explanation.failure == nil)
        #expect(explanation.presentSince == nil && explanation.lastHeard == nil && explanation.leaves == nil)
        #expect(explanation == Explanation(), "the explanation of a contact that an engine never had")
        #expect(observer.engine.explanation(of: bo, at: reading(0)) == nil)
    }
}
