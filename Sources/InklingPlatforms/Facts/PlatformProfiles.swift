/// An app on a device at a moment: all that facts about platforms depend on.
public struct AppCircumstances: Hashable, Sendable {
    /// The device.
    public var platform: Platform
    /// The state of the app.
    public var state: AppState
    /// The needs of facts that are met; `always` includes `whenInUse`.
    public var met: Set<ProfileNeed>

    /// An app; `always` among the needs met brings `whenInUse` along.
    public init(_ platform: Platform, _ state: AppState, met: Set<ProfileNeed>) {
        self.platform = platform
        self.state = state
        self.met = met.contains(.always) ? met.union([.whenInUse]) : met
    }
}

/// What the facts say about a subject.
public struct ProfileAnswer: Hashable, Sendable {
    /// The worst value of the facts that apply; `no` when none does.
    public let value: ProfileValue
    /// The facts that apply, in their order; empty when nothing is promised.
    public let facts: [ProfileFact]
}

/// All that is known about platforms (`Specs/platforms.md`).
public struct PlatformProfiles: Sendable {
    /// What this version of the library knows.
    public static let known = PlatformProfiles(ProfileFact.iOSScanning + ProfileFact.iOS + ProfileFact.others)

    /// The facts, in the order in which answers name them.
    public let facts: [ProfileFact]

    /// Other knowledge, for instance without a fact, to see what rests on it.
    public init(_ facts: [ProfileFact]) { self.facts = facts }

    /// What holds of a subject: where several facts apply, the worst.
    public func answer(_ subject: ProfileSubject, in app: AppCircumstances) -> ProfileAnswer {
        let rows = app.platform.rows
        let applying = facts.filter { fact in
            fact.subject == subject && fact.states.contains(app.state) && !fact.rows.isDisjoint(with: rows)
                && fact.needs.isSubset(of: app.met)
        }
        guard let first = applying.first else { return ProfileAnswer(value: .no, facts: []) }
        let worst = applying.reduce(first.value) { $1.value.isWorse(than: $0, for: subject) ? $1.value : $0 }
        return ProfileAnswer(value: worst, facts: applying)
    }
}
