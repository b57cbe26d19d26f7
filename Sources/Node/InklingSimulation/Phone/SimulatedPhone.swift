internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// A phone with an app, and a peripheral that comes and goes. The system is simulated; the app's decisions are made by
/// the state machines of the lifecycle.
///
/// The system suspends and terminates the app, keeps its pending operations, and relaunches it by the rules of
/// `RelaunchSituation`. All randomness comes from the seed: the same script and settings give the same events.
public struct SimulatedPhone: ~Copyable {
    enum PlannedEvent {
        case script(PhoneEvent)
        case callback(PhoneCallback, process: Int)
        case timer(process: Int)
        case mayBeSuspended(process: Int)
        case linkMade(UInt32), linkDies(UInt32), found(UInt32)
        case record, burst
        case regionEdge(isInside: Bool, visit: Int)
    }

    /// The operations that the system keeps for the app while it is not running.
    struct Kept {
        var calls: Set<UInt32> = []
        var link: UInt32?
        /// A link that was lost while the app was not running.
        var lost: UInt32?
        var isScanning = false, isSubscribed = false

        var routes: [UInt32] { calls.union([link, lost].compactMap { $0 }).sorted() }
    }

    let settings: PhoneSettings
    var permissions: Permissions
    var agenda = Agenda<PlannedEvent>()
    var generator: SimulationGenerator
    var now: UInt64 = 0
    var report = PhoneReport()
    var peripheral: PhonePeripheral

    // The device.
    var isBluetoothOn = true, isLowPower = false, isLocked = false
    var changes: Set<RelaunchSituation.Change> = []
    var kept = Kept()
    var isInRegion = false
    var visit = 0
    var cameAt: UInt64?

    // The app, and its files.
    var app: PhoneApp?
    var processes = 0
    var fate = RelaunchSituation.Fate.removed
    var lastRun: UInt64 = 0
    var journal: [Checkpoint.Entry] = []
    var identifier: String?
    var route: UInt32?

    private init(settings: PhoneSettings) {
        self.settings = settings
        permissions = settings.permissions
        generator = SimulationGenerator(seed: settings.seed)
        peripheral = PhonePeripheral(limit: settings.recordLimit)
    }

    /// Runs a script.
    ///
    /// - Parameters:
    ///   - script: the events, each with its time since the beginning.
    ///   - duration: the duration of the run.
    ///   - settings: the settings of the phone, its system and the peripheral.
    /// - Returns: a report of the run.
    public static func run(
        _ script: [(at: Duration, event: PhoneEvent)], lasting duration: Duration, settings: PhoneSettings
    ) -> PhoneReport {
        var phone = SimulatedPhone(settings: settings)
        for (at, event) in script { phone.agenda.plan(.script(event), at: at.wholeMilliseconds) }
        phone.agenda.plan(.record, at: settings.recordInterval.wholeMilliseconds)
        phone.agenda.plan(.burst, at: settings.burst.wholeMilliseconds)
        let end = duration.wholeMilliseconds
        while let (at, what) = phone.agenda.next(), at <= end {
            phone.now = at
            phone.handle(what)
        }
        phone.now = end
        return phone.finish()
    }

    private mutating func handle(_ what: PlannedEvent) {
        switch what {
        case .script(let event): take(event)
        case .callback(let callback, let process): if app?.number == process { deliver(callback) }
        case .timer(let process):
            // A suspended app has no timers; its state machines learn the time from the next event.
            if app?.number == process, app?.isSuspended == false { fireTimers() }
        case .mayBeSuspended(let process): if app?.number == process { suspendIfIdle() }
        case .linkMade(let route): makeLink(route)
        case .linkDies(let route): if !isReachable(route) { loseLink(route) }
        case .found(let route): find(route)
        case .record:
            peripheral.makeRecord()
            agenda.plan(.record, at: now + settings.recordInterval.wholeMilliseconds)
        case .burst:
            deliverRecords()
            let isSeen = app?.isForeground == true
            agenda.plan(.burst, at: now + (isSeen ? settings.burst : settings.backgroundBurst).wholeMilliseconds)
        case .regionEdge(let isInside, let visit): crossEdge(isInside, visit)
        }
    }

    // MARK: Events of the script

    private mutating func take(_ event: PhoneEvent) {
        switch event {
        case .opened: open()
        case .left: leave()
        case .memoryPressure: if app?.isForeground == false { end(.removed, as: .terminated) }
        case .crashed: end(.crashed, as: .crashed)
        case .forceQuit: end(.forceQuit, as: .forceQuit)
        case .bluetoothOff: switchBluetooth(off: .bluetoothBySettings)
        case .bluetoothOn: switchBluetoothOn()
        case .airplaneMode(let takesBluetooth):
            changes.insert(takesBluetooth ? .bluetoothByAirplaneMode : .airplaneMode)
            if takesBluetooth { switchBluetooth(off: .bluetoothByAirplaneMode) }
        case .restarted(let hasPasscode):
            // A force-quit stays in effect across a restart.
            end(fate == .forceQuit && app == nil ? .forceQuit : .removed, as: .restarted)
            changes.insert(hasPasscode ? .restartedLocked : .restarted)
            isLocked = hasPasscode
            if let route = kept.link {
                kept.link = nil
                kept.calls.insert(route)
                peripheral.unlink()
                reach()
            }
        case .unlocked:
            isLocked = false
            if changes.remove(.restartedLocked) != nil { changes.insert(.restarted) }
            reach()
            if isInRegion { tellRegion(entered: true) }
        case .lowPower(let isOn): isLowPower = isOn
        case .displayWoke: if isInRegion, wake(.regionEntered) { tell(.displayWoke) }
        case .permitted(let permissions):
            self.permissions = permissions
            note(.permissionsChanged)
            if permissions.bluetooth != .allowed { switchBluetooth(off: nil) } else { switchBluetoothOn() }
        case .peripheralCame: arrive()
        case .peripheralWent: depart()
        case .peripheralReset:
            peripheral.reset()
            if let route = kept.link { loseLink(route) }
            reach()
        case .peripheralChangedIdentity:
            if let route = kept.link { loseLink(route) }
            peripheral.changeIdentity()
            reach()
        }
    }

    private mutating func switchBluetooth(off change: RelaunchSituation.Change?) {
        if let change { changes.insert(change) }
        isBluetoothOn = false
        kept = Kept()
        peripheral.unlink()
        note(.radioOff)
        tellRadio()
    }

    private mutating func switchBluetoothOn() {
        guard !isBluetoothOn else { return }
        isBluetoothOn = true
        note(.radioOn)
        tellRadio()
    }

    // MARK: The peripheral and the radio

    func isReachable(_ route: UInt32) -> Bool { isBluetoothOn && peripheral.isNear && peripheral.route == route }

    private mutating func arrive() {
        guard !peripheral.isNear else { return }
        peripheral.isNear = true
        visit += 1
        cameAt = now
        report.detections.append(nil)
        if settings.showsBeacon {
            agenda.plan(.regionEdge(isInside: true, visit: visit), at: now + draw(settings.regionEntry))
        }
        reach()
    }

    private mutating func depart() {
        guard peripheral.isNear else { return }
        peripheral.isNear = false
        visit += 1
        cameAt = nil
        agenda.plan(.regionEdge(isInside: false, visit: visit), at: now + draw(settings.regionExit))
        if let route = kept.link { agenda.plan(.linkDies(route), at: now + draw(settings.supervision)) }
    }

    /// Plans when pending calls and the search reach the peripheral, with the latencies of the app's current state.
    mutating func reach() {
        let route = peripheral.route
        guard isReachable(route) else { return }
        let isSeen = app?.isForeground == true
        if kept.calls.contains(route) {
            agenda.plan(
                .linkMade(route), at: now + draw(isSeen ? settings.callLatency : settings.backgroundCallLatency))
        }
        if kept.isScanning, isSeen || settings.scansInBackground {
            let latency = draw(isSeen ? settings.scanLatency : settings.backgroundScanLatency)
            agenda.plan(.found(route), at: now + (isLowPower ? 10 * latency : latency))
        }
    }

    private mutating func makeLink(_ route: UInt32) {
        guard isReachable(route), kept.calls.contains(route) else { return }
        let isRunning = app != nil
        guard wake(.peerReachable) else { return }
        kept.calls.remove(route)
        kept.link = route
        detect()
        // A process that was launched for the link receives it with the restored state.
        if isRunning { tell(.linked(route)) }
    }

    private mutating func loseLink(_ route: UInt32) {
        guard kept.link == route else { return }
        peripheral.unlink()
        (kept.link, kept.isSubscribed) = (nil, false)
        note(.disconnected)
        let isRunning = app != nil
        if isRunning {
            if wake(.connectionChanged) { tell(.unlinked(route)) }
        } else {
            // The link still counts as pending while the system decides about a relaunch.
            kept.link = route
            let isTold = wake(.connectionChanged)
            kept.link = nil
            if isTold { kept.lost = route }
        }
    }

    private mutating func find(_ route: UInt32) {
        guard isReachable(route), kept.isScanning else { return }
        guard app?.isForeground == true || settings.scansInBackground else { return }
        guard wake(.matchDiscovered) else { return }
        detect()
        tell(.found(route))
    }

    private mutating func deliverRecords() {
        guard let route = kept.link, isReachable(route), peripheral.hasRecords else { return }
        let isRunning = app != nil
        guard wake(.notified) else { return }
        // A process that was launched for the records has no delegate yet, so they are lost.
        let records = peripheral.send()
        if isRunning { receive(records, on: route) }
    }

    private mutating func crossEdge(_ isInside: Bool, _ visit: Int) {
        // The peripheral has come back or gone before the system reported the edge.
        guard visit == self.visit || isInside == peripheral.isNear, isInside != isInRegion, isBluetoothOn else {
            return
        }
        isInRegion = isInside
        tellRegion(entered: isInside)
    }

    private mutating func tellRegion(entered isEntered: Bool) {
        guard permissions.capabilities.contains(.regions) else { return }
        if wake(isEntered ? .regionEntered : .regionExited) { tell(isEntered ? .entered : .exited) }
    }

    /// Records that the app has detected the peripheral.
    mutating func detect() {
        guard let cameAt, !report.detections.isEmpty else { return }
        report.detections[report.detections.count - 1] = .milliseconds(now - cameAt)
        self.cameAt = nil
    }

    // MARK: Time and randomness

    /// Draws a duration in whole milliseconds.
    mutating func draw(_ range: ClosedRange<Duration>) -> UInt64 {
        UInt64.random(in: range.lowerBound.wholeMilliseconds...range.upperBound.wholeMilliseconds, using: &generator)
    }

    var tick: Tick { Tick(milliseconds: now) }

    mutating func note(_ kind: TransitionLog.Kind, took: Duration? = nil) {
        report.log.add(
            kind, at: ClockReading(tick: tick, unixMilliseconds: settings.start + now), took: took)
    }

    private consuming func finish() -> PhoneReport {
        let unflushed = app?.unflushed ?? []
        var seen: Set<UInt64> = []
        for entry in journal + unflushed {
            guard case .record(let number) = entry else { continue }
            if !seen.insert(number).inserted { report.doubled += 1 }
        }
        report.produced = peripheral.produced
        report.stored = UInt64(seen.count)
        report.last = seen.max()
        if let first = report.first, let last = report.last, first <= last {
            report.missing = (first...last).filter { !seen.contains($0) }
        }
        report.isRunning = app != nil
        report.isLinked = app?.pipeline.connected.isEmpty == false
        return report
    }
}
