/// An app on a device at one moment, described by everything on which facts about platforms depend.
public struct AppCircumstances: Hashable, Sendable {
    /// The device on which the app runs.
    public var platform: DevicePlatform
    /// The state of the app.
    public var state: AppState
    /// The needs of facts that are met; `always` includes `whenInUse`.
    public var met: Set<ProfileNeed>

    /// Creates the circumstances of an app; `always` in `met` also adds `whenInUse`.
    public init(_ platform: DevicePlatform, _ state: AppState, met: Set<ProfileNeed>) {
        self.platform = platform
        self.state = state
        self.met = met.contains(.always) ? met.union([.whenInUse]) : met
    }
}

/// The value of a subject for an app, and the facts that give it.
public struct ProfileAnswer: Hashable, Sendable {
    /// The worst value of the facts that apply; `no` if none applies.
    public let value: ProfileValue
    /// The facts that apply, in the order of the profiles.
    public let facts: [ProfileFact]
}

/// The facts about platforms (`Specs/platforms.md`).
public struct PlatformProfiles: Sendable {
    /// The facts of this version of the library.
    public static let known = PlatformProfiles(ProfileFact.iOSScanning + ProfileFact.iOS + ProfileFact.others)

    /// The facts, in the order in which results list them.
    public let facts: [ProfileFact]

    /// Creates profiles of other facts, for instance of all known facts but one, to see what depends on that one.
    public init(_ facts: [ProfileFact]) { self.facts = facts }

    /// Returns the worst value of the facts about a subject that apply to an app, and those facts.
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
