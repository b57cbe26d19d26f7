import InklingEngine
import InklingPlatforms
import Testing

/// An app that scans for a peripheral, which is discovered.
private func waiting(_ version: Int = 18, _ fate: RelaunchSituation.Fate = .removed) -> RelaunchSituation {
    RelaunchSituation(version: version, fate: fate, pending: [.scanning], event: .matchDiscovered)
}

@Suite struct `Relaunch rules` {
    @Test(arguments: [
        (RelaunchSituation.Fate.suspended, RelaunchAnswer.Outcome.activated), (.removed, .relaunched),
        (.crashed, .relaunched),
        (.forceQuit, .no),
    ])
    func `activates a suspended app, relaunches a removed one, and does neither after a force-quit`(
        fate: RelaunchSituation.Fate, outcome: RelaunchAnswer.Outcome
    ) {
        for version in [10, 11, 15, 26] { #expect(waiting(version, fate).answer.outcome == outcome) }
    }

    @Test(arguments: RelaunchSituation.Change.allCases)
    func `iOS 10 does not relaunch after any change of the device`(change: RelaunchSituation.Change) {
        var situation = waiting(10)
        situation.changes = [change]
        #expect(situation.answer.outcome == .no)
    }

    @Test func `after a restart, an app is relaunched only after the first unlock`() {
        var situation = waiting()
        situation.changes = [.restartedLocked]
        #expect(situation.answer.next == .waitForUnlock)
        #expect(situation.answer.note == .firstUnlock)
        #expect(situation.answer.source == FactSource(.tn3115, "restarted"))
        situation.changes = [.restarted]
        #expect(situation.answer.outcome == .relaunched)
    }

    @Test func `an app that waits for nothing is never relaunched`() {
        for event in RelaunchSituation.Event.allCases {
            var situation = waiting()
            (situation.pending, situation.event) = ([], event)
            #expect(situation.answer.outcome == .no)
        }
    }

    @Test func `reads and the passing of time never relaunch an app`() {
        for event: RelaunchSituation.Event in [
            .centralRead, .centralWrote, .readAnswered, .otherAdvertising, .timePassed,
        ] {
            for version in [10, 12, 18] {
                var situation = waiting(version)
                (situation.pending, situation.event) = (Set(RelaunchSituation.Pending.allCases), event)
                #expect(situation.answer.outcome == .no)
                #expect(situation.answer.next == .waitForEvent)
            }
        }
    }

    @Test func `advertising counts as pending only in the column of TN3115`() {
        for (version, outcome) in [(14, RelaunchAnswer.Outcome.no), (15, .relaunched)] {
            var situation = waiting(version)
            (situation.pending, situation.event) = ([.advertising], .centralSubscribed)
            #expect(situation.answer.outcome == outcome)
        }
    }

    @Test func `a region wakes an app without Bluetooth modes, but not after a force-quit`() {
        var situation = RelaunchSituation(version: 18, fate: .removed, pending: [.monitoring], event: .regionEntered)
        situation.modes = []
        situation.changes = [.bluetoothBySettings]
        #expect(situation.answer.next == .takeRegion)
        situation.fate = .forceQuit
        #expect(situation.answer.rule == .regionForceQuit)
        #expect(situation.answer.confidence == .disputed)
    }

    @Test func `a worse fate or a change of the device never turns a no into a yes`() {
        func isRun(_ situation: RelaunchSituation) -> Bool { situation.answer.outcome != .no }
        for event in RelaunchSituation.Event.allCases {
            for version in [10, 14, 18] {
                for fate in RelaunchSituation.Fate.allCases {
                    for hours in [0, 5] {
                        var situation = waiting(version, fate)
                        (situation.pending, situation.event) = (Set(RelaunchSituation.Pending.allCases), event)
                        situation.hours = hours
                        let isRunWithoutChange = isRun(situation)
                        for change in RelaunchSituation.Change.allCases {
                            situation.changes = [change]
                            // A restart removes a suspended app from memory, so that it can be relaunched; no other
                            // change improves anything.
                            #expect(!isRun(situation) || isRunWithoutChange)
                        }
                        situation.changes = []
                        situation.fate = .forceQuit
                        #expect(!isRun(situation))
                    }
                }
            }
        }
    }

    @Test func `creates a situation from each state in which the app does not run`() {
        let outcomes = AppState.allCases.map { state in
            RelaunchSituation(version: 18, state: state, pending: [.scanning], event: .matchDiscovered)?.answer.outcome
        }
        #expect(outcomes == [nil, nil, nil, .activated, .relaunched, .no, .no])
    }

    @Test func `every rule decides some situation`() {
        var met: Set<String> = []
        for version in [10, 18] {
            for fate in RelaunchSituation.Fate.allCases {
                for event in RelaunchSituation.Event.allCases {
                    for change in [nil] + RelaunchSituation.Change.allCases.map(Optional.some) {
                        for lack in 0..<5 {
                            var situation = waiting(version, fate)
                            situation.pending = lack == 1 ? [] : Set(RelaunchSituation.Pending.allCases)
                            situation.event = event
                            situation.changes = change.map { [$0] } ?? []
                            situation.hasIdentifier = lack != 2
                            situation.mayAlwaysLocate = lack != 2
                            situation.hours = lack == 3 ? 3 : 0
                            situation.modes = lack == 4 ? [] : [.central, .peripheral]
                            met.insert(situation.answer.rule.code)
                        }
                    }
                }
            }
        }
        let rows = RelaunchTable.Row.allCases.map(\.rawValue)
        #expect(
            met.sorted()
                == (rows + [
                    "bluetooth-reset", "locked", "mode-missing", "event-never", "event-disputed", "not-pending",
                    "identifier-missing", "hours", "region-permission", "region-force-quit", "region-locked",
                    "region-suspended", "region-wake",
                ]).sorted())
    }
}
