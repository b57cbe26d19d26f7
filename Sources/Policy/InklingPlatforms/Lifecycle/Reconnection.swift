public import InklingKeys

/// A machine that restores the links to wanted peers after a loss, a suspension or a relaunch (`Specs/lifecycle.md`).
///
/// A peer can be found in several ways: by a restored link, a known route, a link that another program holds, an
/// announcement, or a new search. The order in which they succeed is not known, so one pipeline handles them all, and
/// an event that reports nothing new has no effect. On an iPhone, a route is the identifier that the system gives to a
/// peripheral; on Linux, it is an endpoint or a device address.
public struct Reconnection<Peer: Hashable & Comparable & Sendable, Route: Hashable & Sendable>: Sendable {
    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// A link to the peer is wanted.
        ///
        /// `known` is the route of the last link; it is stable if a bond keeps it valid when the peer changes its
        /// address. `lastReceived` is the number up to which no record is missing.
        case wanted(Peer, known: Route?, isStable: Bool, lastReceived: UInt64?)
        /// A link to the peer is no longer wanted, so that calls and links are cancelled.
        case unwanted(Peer)
        /// The radio is on, or the network is up, so that commands can be given.
        case ready
        /// The radio or the network is gone, so that all links and requests are void.
        case unready
        /// The system restored this route or link from the previous process; report it before `ready`.
        case restored(Peer, Route, isLinked: Bool)
        /// The result of `lookUp`: the route if the system still knows it, else nil.
        case lookedUp(Peer, Route?)
        /// The result of `lookUpAttached`: the route of the link if there is one, else nil.
        case lookedUpAttached(Peer, Route?)
        /// The search or an announcement found the peer on this route.
        case found(Peer, Route)
        /// A link was established.
        case linked(Peer, Route)
        /// A call failed.
        case callFailed(Peer, Route)
        /// A link was lost.
        case unlinked(Peer, Route)
        /// A step succeeded.
        case stepDone(Peer, ReconnectionStep)
        /// The step `status` succeeded, and showed whether the peer needs `initialisation`.
        case statusKnown(Peer, needsInitialisation: Bool)
        /// A step failed.
        case stepFailed(Peer, ReconnectionStep)
        /// No record up to this number is missing: `Checkpoint.through`, not the greatest number that was received.
        case received(Peer, through: UInt64)
        /// The moment of the latest `wake` has come.
        case timerFired
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Ask the system whether it still knows the route.
        case lookUp(Peer, Route)
        /// Ask the system whether it or another program has a link to the peer.
        case lookUpAttached(Peer)
        /// Search for all these services, in one search, until `endSearch`.
        case beginSearch([String])
        /// End the search, which no peer needs any longer.
        case endSearch
        /// Adopt the route before any other use of it; on an iPhone, this means setting the delegate.
        case adopt(Peer, Route)
        /// Request a link on this route, without a time limit.
        case call(Peer, Route)
        /// Cancel the call or the link.
        case cancel(Peer, Route)
        /// Store the route for the next run, in place of the previous one.
        case remember(Peer, Route)
        /// Carry out a step on the link; only `resumption` needs `lastReceived`.
        case perform(Peer, Route, ReconnectionStep, lastReceived: UInt64?)
        /// The step did not end before the deadline.
        case overdue(Peer, ReconnectionStep)
        /// The peer is connected: `waited` is how long the link took, and `took` how long the steps took.
        case reconnected(Peer, Route, waited: Duration, took: Duration)
        /// Report `timerFired` at this moment; replaces any earlier `wake`.
        case wake(at: Tick)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .lookUp(let peer, let route): "\(peer): look up \(route)"
            case .lookUpAttached(let peer): "\(peer): look up a link that another program holds"
            case .beginSearch(let services): "search for \(services.joined(separator: ", "))"
            case .endSearch: "end the search"
            case .adopt(let peer, let route): "\(peer): adopt \(route)"
            case .call(let peer, let route): "\(peer): connect to \(route)"
            case .cancel(let peer, let route): "\(peer): cancel \(route)"
            case .remember(let peer, let route): "\(peer): remember \(route)"
            case .perform(let peer, _, let step, _): "\(peer): carry out \(step.rawValue)"
            case .overdue(let peer, let step): "\(peer): \(step.rawValue) is late"
            case .reconnected(let peer, _, let waited, let took):
                "\(peer): connected after \(waited), ready after \(took)"
            case .wake(let tick): "wake at \(tick)"
            }
        }
    }

    private let policy: ReconnectionPolicy
    private var courses = Courses()
    private var isReady = false
    private var isSearching = false
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// Creates a machine without wanted peers.
    public init(policy: ReconnectionPolicy) { self.policy = policy }

    /// Handles one event and returns the effects to carry out, in order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        latest = max(latest, now)
        // Every event first gives up overdue steps, so that no `wake` lies in the past.
        var effects = event == .unready ? [] : giveUpOverdue()
        effects += apply(event)
        let needsSearch = isReady && courses.needsSearch
        if needsSearch != isSearching {
            isSearching = needsSearch
            effects.append(needsSearch ? .beginSearch(policy.services) : .endSearch)
        }
        let next = courses.oldestPreparation.map { deadline(ofStepsSince: $0) }
        if let next, next != scheduled { effects.append(.wake(at: next)) }
        scheduled = next
        return effects
    }

    /// Returns the route on which a peer is linked; nil if it is not.
    public func link(to peer: Peer) -> Route? { courses[peer]?.link }

    /// The peers that are connected, in ascending order.
    public var connected: [Peer] {
        courses.peers.filter { if case .connected = courses[$0]?.phase { true } else { false } }.sorted()
    }

    /// The number of peers that are wanted.
    public var count: Int { courses.count }
}

// MARK: One event

extension Reconnection {
    private mutating func apply(_ event: Event) -> [Effect] {
        switch event {
        case .wanted(let peer, let known, let isStable, let lastReceived):
            guard courses[peer] == nil, courses.count < policy.peerLimit else { return [] }
            courses[peer] = Course(known: known, isStable: isStable, lastReceived: lastReceived)
            return isReady ? start(peer) : []
        case .unwanted(let peer): return release(peer)
        case .ready:
            guard !isReady else { return [] }
            isReady = true
            return courses.peers.sorted().flatMap { start($0) }
        case .unready:
            isReady = false
            isSearching = false
            for peer in courses.peers {
                courses[peer]?.phase = .resting
                courses[peer]?.restored = nil
                courses[peer]?.hasStumbled = false
            }
            return []
        case .restored(let peer, let route, let isLinked): return restore(peer, route, isLinked)
        case .lookedUp(let peer, let route):
            guard courses[peer]?.phase == .asking else { return [] }
            if let route { return call(peer, route, adopting: true) }
            courses[peer]?.phase = .askingAttached
            return [.lookUpAttached(peer)]
        case .lookedUpAttached(let peer, let route):
            guard courses[peer]?.phase == .askingAttached else { return [] }
            if let route { return call(peer, route, adopting: true) }
            courses[peer]?.phase = .calling([])
            return []
        case .found(let peer, let route):
            guard isWaiting(peer) else { return [] }
            return call(peer, route, adopting: true)
        case .linked(let peer, let route): return link(peer, route)
        case .callFailed(let peer, let route):
            guard case .calling(let routes) = courses[peer]?.phase else { return [] }
            courses[peer]?.phase = .calling(routes.filter { $0 != route })
            return []
        case .unlinked(let peer, let route): return unlink(peer, route)
        case .stepDone(let peer, let step): return finish(peer, step, then: [])
        case .statusKnown(let peer, let needsInitialisation):
            return finish(peer, .status, then: needsInitialisation ? [.initialisation] : [])
        case .stepFailed(let peer, let step):
            guard case .preparing(let route, let steps, _) = courses[peer]?.phase, steps.first == step else {
                return []
            }
            return [.cancel(peer, route)] + stumble(peer, route)
        case .received(let peer, let through):
            guard let course = courses[peer], course.link != nil else { return [] }
            courses[peer]?.lastReceived = max(course.lastReceived ?? through, through)
            return []
        case .timerFired: return []
        }
    }

    private mutating func start(_ peer: Peer) -> [Effect] {
        guard let course = courses[peer], course.phase == .resting else { return [] }
        courses[peer]?.since = latest
        courses[peer]?.restored = nil
        if let (route, isLinked) = course.restored {
            return isLinked ? prepare(peer, route) : call(peer, route, adopting: false)
        }
        guard let known = course.known else {
            courses[peer]?.phase = .askingAttached
            return [.lookUpAttached(peer)]
        }
        courses[peer]?.phase = .asking
        return [.lookUp(peer, known)]
    }

    private mutating func restore(_ peer: Peer, _ route: Route, _ isLinked: Bool) -> [Effect] {
        guard let course = courses[peer] else { return [] }
        if isReady {
            guard isWaiting(peer) else { return [] }
            return isLinked ? link(peer, route) : call(peer, route, adopting: true)
        }
        if let restored = course.restored, restored.route == route, restored.isLinked == isLinked { return [] }
        let isNew = course.restored?.route != route
        courses[peer]?.restored = (route, isLinked)
        return isNew ? [.adopt(peer, route)] : []
    }

    private mutating func release(_ peer: Peer) -> [Effect] {
        guard let course = courses[peer] else { return [] }
        courses[peer] = nil
        if case .calling(let routes) = course.phase { return routes.map { .cancel(peer, $0) } }
        return course.link.map { [.cancel(peer, $0)] } ?? []
    }

    private mutating func call(_ peer: Peer, _ route: Route, adopting: Bool) -> [Effect] {
        var routes: [Route] = []
        if case .calling(let called) = courses[peer]?.phase { routes = called }
        guard !routes.contains(route) else { return [] }
        var effects: [Effect] = []
        if routes.count >= policy.routeLimit { effects.append(.cancel(peer, routes.removeFirst())) }
        courses[peer]?.phase = .calling(routes + [route])
        if adopting { effects.append(.adopt(peer, route)) }
        return effects + [.call(peer, route)]
    }

    private mutating func link(_ peer: Peer, _ route: Route) -> [Effect] {
        guard let course = courses[peer] else { return isReady ? [.cancel(peer, route)] : [] }
        if let link = course.link { return link == route ? [] : [.cancel(peer, route)] }
        guard isWaiting(peer) else { return [] }
        var effects: [Effect] = []
        if case .calling(let routes) = course.phase {
            effects = routes.filter { $0 != route }.map { .cancel(peer, $0) }
            if !routes.contains(route) { effects.append(.adopt(peer, route)) }
        } else {
            effects = [.adopt(peer, route)]
        }
        return effects + prepare(peer, route)
    }

    private mutating func unlink(_ peer: Peer, _ route: Route) -> [Effect] {
        guard let course = courses[peer], course.link == route else { return [] }
        if case .preparing = course.phase { return stumble(peer, route) }
        return callAgain(peer, route)
    }

    // MARK: The pipeline

    private mutating func prepare(_ peer: Peer, _ route: Route) -> [Effect] {
        guard let course = courses[peer] else { return [] }
        courses[peer]?.waited = latest.milliseconds(since: course.since)
        courses[peer]?.known = route
        courses[peer]?.phase = .preparing(route, policy.steps, since: latest)
        return (course.known == route ? [] : [.remember(peer, route)]) + proceed(peer)
    }

    private mutating func finish(
        _ peer: Peer, _ step: ReconnectionStep, then more: [ReconnectionStep]
    ) -> [Effect] {
        guard case .preparing(let route, let steps, let since) = courses[peer]?.phase, steps.first == step else {
            return []
        }
        courses[peer]?.phase = .preparing(route, more + steps.dropFirst(), since: since)
        return proceed(peer)
    }

    private mutating func proceed(_ peer: Peer) -> [Effect] {
        guard let course = courses[peer], case .preparing(let route, let steps, let since) = course.phase else {
            return []
        }
        if let step = steps.first {
            return [
                .perform(peer, route, step, lastReceived: step == .resumption ? course.lastReceived : nil)
            ]
        }
        courses[peer]?.phase = .connected(route)
        courses[peer]?.hasStumbled = false
        let took = Duration.milliseconds(latest.milliseconds(since: since))
        return [.reconnected(peer, route, waited: .milliseconds(course.waited), took: took)]
    }

    /// Handles the loss of a link before its steps were done. The first time, its route is called again; after that,
    /// the peer must be found again first.
    private mutating func stumble(_ peer: Peer, _ route: Route) -> [Effect] {
        guard courses[peer]?.hasStumbled == true else {
            courses[peer]?.hasStumbled = true
            return callAgain(peer, route)
        }
        courses[peer]?.since = latest
        courses[peer]?.phase = .calling([])
        return []
    }

    private mutating func callAgain(_ peer: Peer, _ route: Route) -> [Effect] {
        courses[peer]?.since = latest
        courses[peer]?.phase = .calling([route])
        return [.call(peer, route)]
    }

    private mutating func giveUpOverdue() -> [Effect] {
        var effects: [Effect] = []
        for peer in courses.preparations(while: { deadline(ofStepsSince: $0) <= latest }).sorted() {
            guard case .preparing(let route, let steps, _) = courses[peer]?.phase, let step = steps.first else {
                continue
            }
            effects += [.overdue(peer, step), .cancel(peer, route)] + stumble(peer, route)
        }
        return effects
    }

    // MARK: Judgements

    /// Whether the peer waits for a route.
    private func isWaiting(_ peer: Peer) -> Bool {
        switch courses[peer]?.phase {
        case .asking, .askingAttached, .calling: true
        case .resting, .preparing, .connected, nil: false
        }
    }

    private func deadline(ofStepsSince since: Tick) -> Tick {
        since.advanced(byMilliseconds: policy.deadline.wholeMilliseconds)
    }
}
