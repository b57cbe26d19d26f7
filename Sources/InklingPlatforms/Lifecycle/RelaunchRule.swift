/// The rule that decides about a relaunch, in the order in which rules are tried (`Specs/lifecycle.md`).
public enum RelaunchRule: Hashable, Sendable {
    /// A row of Apple's tables.
    case row(RelaunchTable.Row)
    /// The system started its Bluetooth anew, which voids what it kept for the app.
    case bluetoothReset
    /// The passcode has not been entered since the restart.
    case locked
    /// The app does not declare the background mode that the event needs.
    case modeMissing
    /// An event that no source calls a reason for a relaunch.
    case eventNever
    /// An event about which sources contradict each other.
    case eventDisputed
    /// The app did not wait for this event.
    case notPending
    /// The app makes its managers without a restoration identifier.
    case identifierMissing
    /// More than a few hours passed since the app ran last.
    case hours
    /// The app may not use the location at all times.
    case regionPermission
    /// The user removed the app, which stops its regions by one of two sources.
    case regionForceQuit
    /// The passcode has not been entered since the restart; no source speaks of regions then.
    case regionLocked
    /// The app is in memory, and is activated for the region.
    case regionSuspended
    /// The app is launched for the region.
    case regionWake

    /// Its name in vectors and logs.
    public var code: String {
        switch self {
        case .row(let row): row.rawValue
        case .bluetoothReset: "bluetooth-reset"
        case .locked: "locked"
        case .modeMissing: "mode-missing"
        case .eventNever: "event-never"
        case .eventDisputed: "event-disputed"
        case .notPending: "not-pending"
        case .identifierMissing: "identifier-missing"
        case .hours: "hours"
        case .regionPermission: "region-permission"
        case .regionForceQuit: "region-force-quit"
        case .regionLocked: "region-locked"
        case .regionSuspended: "region-suspended"
        case .regionWake: "region-wake"
        }
    }

    /// Where it stands.
    public func source(in column: RelaunchTable.Column) -> Source {
        switch self {
        case .row(let row): RelaunchTable.source(row, in: column)
        case .locked: RelaunchTable.source(.restarted, in: column)
        case .bluetoothReset, .hours: Source(.reconnection, "Common Mistakes")
        case .modeMissing: Source(.deepDive, "§3")
        case .eventNever, .eventDisputed: Source(.deepDive, "§4, events that do not trigger a relaunch")
        case .notPending:
            column == .current
                ? Source(.tn3115, "if and only if it is waiting") : Source(.qa1962, "if and only if it is pending")
        case .identifierMissing: Source(.deepDive, "§4")
        case .regionPermission: Source(.deepDive, "§5, permissions")
        case .regionForceQuit: Source(.deepDive, "§9, test scenarios")
        case .regionLocked: RelaunchTable.source(.restarted, in: column)
        case .regionSuspended, .regionWake: Source(.deepDive, "§5, app relaunch")
        }
    }

    /// How far it can be relied on.
    public var confidence: Confidence {
        switch self {
        case .row, .locked, .notPending: .documented
        case .bluetoothReset, .modeMissing, .eventNever, .identifierMissing, .regionPermission: .reported
        case .regionSuspended, .regionWake: .reported
        case .eventDisputed, .hours, .regionForceQuit: .disputed
        case .regionLocked: .assumed
        }
    }
}

/// Whether an app runs for an event, why, and what it may do next.
public struct RelaunchAnswer: Hashable, Sendable {
    /// What the system does.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// A new process, in the background.
        case relaunched
        /// The process in memory runs on.
        case activated
        /// Nothing: the app does not learn of the event.
        case no
    }

    /// What the app may do next, or what has to happen for it.
    public enum Next: String, Hashable, Sendable, CaseIterable {
        /// Create the managers under the same identifiers, and take what is restored.
        case restore
        /// Create the location manager, which then tells of the region.
        case takeRegion = "take-region"
        /// Handle the event.
        case handleEvent = "handle-event"
        /// The user must start the app.
        case waitForUser = "wait-for-user"
        /// The user must unlock the device.
        case waitForUnlock = "wait-for-unlock"
        /// Another event must come.
        case waitForEvent = "wait-for-event"
        /// A request must be made while the app runs.
        case request
        /// The app itself lacks something.
        case configure
    }

    /// What the system does.
    public let outcome: Outcome
    /// The rule that decided.
    public let rule: RelaunchRule
    /// What follows for the app.
    public let next: Next
    /// The column of Apple's tables that holds for the version.
    public let column: RelaunchTable.Column
    /// The note at the row, if a row decided and it has one.
    public let note: RelaunchTable.Note?

    /// Where the rule stands.
    public var source: Source { rule.source(in: column) }
    /// How far the rule can be relied on.
    public var confidence: Confidence { rule.confidence }
}

extension RelaunchSituation {
    /// From how many hours on nothing is counted on: "more than a few" in the words of the source, which has no figure.
    public static let hourLimit = 3

    /// The answer by the first rule that applies.
    ///
    /// "Relaunched" is the best that the system attempts; under memory pressure or in deep power saving it may not.
    public var answer: RelaunchAnswer { event.isOfRegion ? regionAnswer : bluetoothAnswer }

    private var column: RelaunchTable.Column { RelaunchTable.Column(version: version) }

    private var bluetoothAnswer: RelaunchAnswer {
        if fate == .forceQuit { return row(.forceQuit) }
        if !changes.isDisjoint(with: [.bluetoothBySettings, .bluetoothByControlCenter, .bluetoothByAirplaneMode]) {
            return row(.bluetoothToggled)
        }
        if changes.contains(.bluetoothReset) { return refused(.bluetoothReset, .waitForUser) }
        let isRestarted = !changes.isDisjoint(with: [.restarted, .restartedLocked])
        if isRestarted, RelaunchTable.answer(.restarted, in: column) == .no { return row(.restarted) }
        if changes.contains(.restartedLocked) {
            return refused(.locked, .waitForUnlock, note: RelaunchTable.note(.restarted, in: column))
        }
        let isFlown = changes.contains(.airplaneMode)
        if isFlown, RelaunchTable.answer(.airplaneMode, in: column) == .no { return row(.airplaneMode) }
        let awaited = event.awaited(in: column)
        if awaited.isEmpty {
            let isDisputed = [.centralRead, .centralWrote, .centralSubscribed].contains(event)
            return refused(isDisputed ? .eventDisputed : .eventNever, .waitForEvent)
        }
        if !modes.contains(awaited.contains(.advertising) ? .peripheral : .central) {
            return refused(.modeMissing, .configure)
        }
        if awaited.isDisjoint(with: pending) { return refused(.notPending, .request) }
        if fate == .suspended, !isRestarted { return row(.suspended) }
        if !hasIdentifier { return refused(.identifierMissing, .configure) }
        if hours >= Self.hourLimit { return refused(.hours, .waitForUser) }
        if isRestarted { return row(.restarted) }
        if isFlown { return row(.airplaneMode) }
        return row(fate == .crashed ? .crashed : .removed)
    }

    private var regionAnswer: RelaunchAnswer {
        if !mayAlwaysLocate { return refused(.regionPermission, .configure) }
        if fate == .forceQuit { return refused(.regionForceQuit, .waitForUser) }
        if changes.contains(.restartedLocked) { return refused(.regionLocked, .waitForUnlock) }
        if !pending.contains(.monitoring) { return refused(.notPending, .request) }
        if fate == .suspended, !changes.contains(.restarted) {
            return RelaunchAnswer(
                outcome: .activated, rule: .regionSuspended, next: .handleEvent, column: column, note: nil)
        }
        return RelaunchAnswer(outcome: .relaunched, rule: .regionWake, next: .takeRegion, column: column, note: nil)
    }

    private func row(_ row: RelaunchTable.Row) -> RelaunchAnswer {
        let note = RelaunchTable.note(row, in: column)
        return switch RelaunchTable.answer(row, in: column) {
        case .yes:
            RelaunchAnswer(outcome: .relaunched, rule: .row(row), next: .restore, column: column, note: note)
        case .needsNone:
            RelaunchAnswer(outcome: .activated, rule: .row(row), next: .handleEvent, column: column, note: note)
        case .no: refused(.row(row), .waitForUser, note: note)
        }
    }

    private func refused(
        _ rule: RelaunchRule, _ next: RelaunchAnswer.Next, note: RelaunchTable.Note? = nil
    ) -> RelaunchAnswer {
        RelaunchAnswer(outcome: .no, rule: rule, next: next, column: column, note: note)
    }
}
