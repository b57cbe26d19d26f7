/// An app on a device at a moment: everything on which facts about platforms depend.
public struct AppCircumstances: Hashable, Sendable {
    /// The device.
    public var platform: DevicePlatform
    /// The state of the app.
    public var state: AppState
    /// The needs of facts that are met; `always` includes `whenInUse`.
    public var met: Set<ProfileNeed>

    /// Creates an app; `always` in `met` also adds `whenInUse`.
    public init(_ platform: DevicePlatform, _ state: AppState, met: Set<ProfileNeed>) {
        self.platform = platform
        self.state = state
        self.met = met.contains(.always) ? met.union([.whenInUse]) : met
    }
}

/// What holds of a subject.
public struct ProfileAnswer: Hashable, Sendable {
    /// The worst value of the facts that apply; `no` when none does.
    public let value: ProfileValue
    /// The facts that apply, in their order; empty when nothing is promised.
    public let facts: [ProfileFact]
}

/// The facts about platforms (`Specs/platforms.md`).
public struct PlatformProfiles: Sendable {
    /// The facts of this version of the library.
    public static let known = PlatformProfiles(ProfileFact.iOSScanning + ProfileFact.iOS + ProfileFact.others)

    /// The facts, in the order in which results name them.
    public let facts: [ProfileFact]

    /// Creates profiles of other facts, for instance without one of the known ones, to see what rests on it.
    public init(_ facts: [ProfileFact]) { self.facts = facts }

    /// Returns the worst value of the facts that apply, and the facts.
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
