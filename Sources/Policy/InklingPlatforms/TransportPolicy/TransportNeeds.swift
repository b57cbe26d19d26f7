/// A test of the needs of a transport in one direction, in order, against the facts.
struct TransportNeeds {
    /// A side of the situation.
    enum Side { case own, peer }

    /// A missing requirement, and the facts that show it.
    struct Lack {
        let reason: TransportRefusal
        let facts: [ProfileFact]
    }

    private let profiles: PlatformProfiles
    private let situation: TransportSituation
    /// The facts by which the requirements tested so far are met.
    private(set) var facts: [ProfileFact] = []
    /// The first requirement that is not met.
    private(set) var lack: Lack?

    init(_ profiles: PlatformProfiles, _ situation: TransportSituation) {
        self.profiles = profiles
        self.situation = situation
    }

    /// Tests one requirement and returns its value.
    @discardableResult
    mutating func test(_ subject: ProfileSubject, of side: Side) -> ProfileValue {
        let answer = profiles.answer(subject, in: app(side))
        guard lack == nil else { return answer.value }
        if answer.value.isPossible {
            facts += answer.facts
        } else {
            let reason = cause(side) { profiles.answer(subject, in: $0).value.isPossible }
            lack = Lack(reason: reason, facts: answer.facts)
        }
        return answer.value
    }

    /// Tests whether the active side can see the passive one.
    mutating func test(visibilityOf passive: Side, to active: Side) {
        guard lack == nil else { return }
        let shown = profiles.answer(.advertise, in: app(passive))
        let read = profiles.answer(.overflow, in: app(active))
        switch shown.value {
        case .yes: facts += shown.facts
        case .overflow where read.value.isPossible: facts += shown.facts + read.facts
        default:
            let isReading = read.value.isPossible
            let reason = cause(passive) { app in
                let value = profiles.answer(.advertise, in: app).value
                return value == .yes || value == .overflow && isReading
            }
            lack = Lack(reason: reason, facts: shown.facts + (shown.value == .overflow ? read.facts : []))
        }
    }

    /// Returns the value of a subject that is no requirement, and adds its facts.
    mutating func note(_ subject: ProfileSubject, of side: Side) -> ProfileValue {
        let answer = profiles.answer(subject, in: app(side))
        facts += answer.facts
        return answer.value
    }

    func app(_ side: Side) -> AppCircumstances { side == .own ? situation.own : situation.peer }

    /// Returns the refusal that names the change this side needs: a permission, the state of the app, or the platform.
    private func cause(_ side: Side, _ isPossible: (AppCircumstances) -> Bool) -> TransportRefusal {
        var app = app(side)
        app.met.formUnion([.bluetooth, .central, .peripheral, .whenInUse, .always, .localNetwork])
        app.met.remove(.lowPower)
        if isPossible(app) { return side == .own ? .ownPermission : .peerPermission }
        app.state = .foreground
        if isPossible(app) { return side == .own ? .ownState : .peerState }
        return side == .own ? .ownPlatform : .peerPlatform
    }
}
