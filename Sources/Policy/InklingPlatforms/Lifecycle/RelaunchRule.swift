/// A rule that decides whether the system relaunches an app (`Specs/lifecycle.md`, relaunch).
public enum RelaunchRule: Hashable, Sendable {
    /// A row of Apple's tables.
    case row(RelaunchTable.Row)
    /// The system reset Bluetooth and lost what it kept for the app.
    case bluetoothReset
    /// The passcode has not been entered since the restart.
    case locked
    /// The app does not declare the background mode that the event needs.
    case modeMissing
    /// According to all sources, the event never causes a relaunch.
    case eventNever
    /// Sources contradict each other about the event.
    case eventDisputed
    /// The app did not wait for this event.
    case notPending
    /// The app creates its managers without a restoration identifier.
    case identifierMissing
    /// Three hours or more passed since the app last ran.
    case hours
    /// The user has not allowed location at all times.
    case regionPermission
    /// The user removed the app, which stops its regions according to one of two sources.
    case regionForceQuit
    /// The passcode has not been entered since the restart; no source says what then happens with regions.
    case regionLocked
    /// The app is in memory and is activated for the region.
    case regionSuspended
    /// The app is launched for the region.
    case regionWake

    /// The name of the rule in vectors and logs.
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

    /// Returns the source of the rule for the systems of a column.
    public func source(in column: RelaunchTable.Column) -> FactSource {
        switch self {
        case .row(let row): RelaunchTable.source(row, in: column)
        case .locked: RelaunchTable.source(.restarted, in: column)
        case .bluetoothReset, .hours: FactSource(.reconnection, "Common Mistakes")
        case .modeMissing: FactSource(.deepDive, "§3")
        case .eventNever, .eventDisputed: FactSource(.deepDive, "§4, events that do not trigger a relaunch")
        case .notPending:
            column == .current
                ? FactSource(.tn3115, "if and only if it is waiting")
                : FactSource(.qa1962, "if and only if it is pending")
        case .identifierMissing: FactSource(.deepDive, "§4")
        case .regionPermission: FactSource(.deepDive, "§5, permissions")
        case .regionForceQuit: FactSource(.deepDive, "§9, test scenarios")
        case .regionLocked: RelaunchTable.source(.restarted, in: column)
        case .regionSuspended, .regionWake: FactSource(.deepDive, "§5, app relaunch")
        }
    }

    /// The reliability of the rule.
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

/// The answer whether the system runs an app for an event, the deciding rule, and the app's next action.
public struct RelaunchAnswer: Hashable, Sendable {
    /// The reaction of the system.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It starts a new process in the background.
        case relaunched
        /// It lets the process in memory continue.
        case activated
        /// It does nothing, and the app does not learn of the event.
        case no
    }

    /// The app's next action, or the event that must come first.
    public enum Next: String, Hashable, Sendable, CaseIterable {
        /// Create the managers under the same identifiers and handle what the system restores.
        case restore
        /// Create the location manager, which then reports the region.
        case takeRegion = "take-region"
        /// Handle the event.
        case handleEvent = "handle-event"
        /// The user must start the app.
        case waitForUser = "wait-for-user"
        /// The user must unlock the device.
        case waitForUnlock = "wait-for-unlock"
        /// Another event must occur.
        case waitForEvent = "wait-for-event"
        /// The app must make a request while it runs.
        case request
        /// The app lacks a declaration, an identifier or a permission.
        case configure
    }

    /// The reaction of the system.
    public let outcome: Outcome
    /// The first rule that applies.
    public let rule: RelaunchRule
    /// The app's next action, or the event that must come first.
    public let next: Next
    /// The column of Apple's tables for the version of the system.
    public let column: RelaunchTable.Column
    /// The note of the table row that decided; nil if another rule did or the row has no note.
    public let note: RelaunchTable.Note?

    /// The source of the rule.
    public var source: FactSource { rule.source(in: column) }
    /// The reliability of the rule.
    public var confidence: Confidence { rule.confidence }
}

extension RelaunchSituation {
    /// The number of hours after which an app must not expect a relaunch. The source says "more than a few hours".
    public static let hourLimit = 3

    /// The outcome by the first rule that applies.
    ///
    /// `relaunched` means that the system tries to; under memory pressure or in low power mode it may fail to.
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
