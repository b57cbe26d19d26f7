import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

/// Drives a machine with random events, and keeps a model of the system's links, calls and searches to compare with.
@Suite struct `Random walks of reconnection` {
    /// Covers INK-LIF-045.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `keeps one link per peer, one search, no request while the radio is off, and no overdue step`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var policy = ReconnectionPolicy(services: [["data"]], steps: [.services, .status, .resumption])
        policy.peerLimit = 3
        var machine = Pipeline(policy: policy)
        var history: [(UInt64, Pipeline.Event, [Pipeline.Effect])] = []
        var now: UInt64 = 0
        var isReady = false, isSearching = false
        var called: [Int: Set<String>] = [:]
        var linked: [Int: (route: String, since: UInt64)] = [:]
        var adopted: Set<String> = []
        var asked: [Int: ReconnectionStep] = [:]
        var wake: UInt64?

        func fail(_ what: String, _ place: SourceLocation = #_sourceLocation) {
            let lines = history.map { "\($0.0): \($0.1) -> \($0.2)" }
            Issue.record("seed \(seed): \(what)\n\(lines.joined(separator: "\n"))", sourceLocation: place)
        }

        for _ in 0..<1200 {
            now +=
                Int.random(in: 0..<40, using: &generator) == 0 ? 11_000 : UInt64.random(in: 0...300, using: &generator)
            if let due = wake, due <= now {
                now = due
                wake = nil
            }
            let peer = Int.random(in: 0..<4, using: &generator)
            let route = "\(peer)\("abc".randomElement(using: &generator) ?? "a")"
            let anyStep = policy.steps.randomElement(using: &generator) ?? .status
            let step = Int.random(in: 0..<5, using: &generator) > 0 ? asked[peer] ?? anyStep : anyStep
            let event: Pipeline.Event =
                switch Int.random(in: 0..<40, using: &generator) {
                case 0, 1:
                    .wanted(peer, known: route, isStable: Bool.random(using: &generator), lastReceived: nil)
                case 2: .unwanted(peer)
                case 3: Int.random(in: 0..<3, using: &generator) == 0 ? .unready : .timerFired
                case 4...7: .ready
                case 8: .restored(peer, route, isLinked: Bool.random(using: &generator))
                case 9, 10: .lookedUp(peer, Bool.random(using: &generator) ? route : nil)
                case 11, 12: .lookedUpAttached(peer, Bool.random(using: &generator) ? route : nil)
                case 13, 14: .found(peer, route)
                case 15...18: .linked(peer, called[peer]?.randomElement(using: &generator) ?? route)
                case 19: .callFailed(peer, route)
                case 20: .unlinked(peer, linked[peer]?.route ?? route)
                case 21: .stepFailed(peer, step)
                case 22, 23: .statusKnown(peer, needsInitialisation: Bool.random(using: &generator))
                case 24: .stepDone(peer, .initialisation)
                case 25: .received(peer, through: now)
                case 26...36: .stepDone(peer, step)
                default: .timerFired
                }
            let effects = machine.handle(event, at: Tick(milliseconds: now))
            history.append((now, event, effects))
            switch event {
            case .ready: isReady = true
            case .unready:
                (isReady, isSearching) = (false, false)
                (called, linked) = ([:], [:])
            case .callFailed(let peer, let route): called[peer]?.remove(route)
            case .unlinked(let peer, let route): if linked[peer]?.route == route { linked[peer] = nil }
            default: break
            }
            for effect in effects {
                switch effect {
                case .adopt(_, let route): adopted.insert(route)
                case .lookUp, .lookUpAttached: if !isReady { fail("a lookup while the radio is off") }
                case .beginSearch:
                    if !isReady || isSearching { fail("a second search, or one while the radio is off") }
                    isSearching = true
                case .endSearch:
                    if !isSearching { fail("the end of a search that had not begun") }
                    isSearching = false
                case .call(let peer, let route):
                    if !isReady { fail("a call while the radio is off") }
                    if linked[peer] != nil { fail("a call beside a link") }
                    if !adopted.contains(route) { fail("a call on a route that was not adopted") }
                    if called[peer, default: []].contains(route) { fail("a second call on a route") }
                    called[peer, default: []].insert(route)
                    if called[peer, default: []].count > policy.routeLimit { fail("too many calls") }
                case .cancel(let peer, let route):
                    called[peer]?.remove(route)
                    if linked[peer]?.route == route { linked[peer] = nil }
                case .perform(let peer, let route, let step, _):
                    if !adopted.contains(route) { fail("a step on a route that was not adopted") }
                    if let link = linked[peer] {
                        if link.route != route { fail("a step on another link") }
                        if now - link.since >= policy.deadline.wholeMilliseconds { fail("an overdue step") }
                    } else {
                        if step != .services { fail("the first step is not `services`") }
                        linked[peer] = (route, now)
                    }
                    called[peer] = nil
                    asked[peer] = step
                case .reconnected(let peer, let route, _, let took):
                    if linked[peer]?.route != route { fail("reconnected without a link") }
                    if took >= policy.deadline { fail("reconnected too late") }
                case .remember, .overdue: break
                case .wake(let tick):
                    if tick.milliseconds <= now { fail("a wake in the past") }
                    wake = tick.milliseconds
                }
            }
            for peer in 0..<4 where machine.link(to: peer) != linked[peer]?.route {
                fail("the machine reports another link")
            }
            if machine.count > policy.peerLimit { fail("too many peers") }
        }
        #expect(history.contains { $0.2.contains { if case .reconnected = $0 { true } else { false } } })
    }
}
