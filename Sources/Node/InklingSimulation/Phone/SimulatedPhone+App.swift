internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

/// A callback of the system to the app.
enum PhoneCallback {
    case restored(routes: [UInt32], link: UInt32?, scanning: Bool)
    case radio
    case lookedUp(UInt32?), lookedUpAttached
    case linked(UInt32), unlinked(UInt32), found(UInt32)
    case stepDone(ReconnectionStep, UInt32)
    case flushed, marked
    case entered, exited, displayWoke
    case ranged

    /// Whether it completes work of the process, which stops while the process is suspended.
    var isOfProcess: Bool {
        switch self {
        case .flushed, .marked, .ranged: true
        default: false
        }
    }
}

/// One process of the app: its state machines, and its state that is only in memory.
struct PhoneApp {
    let number: Int
    var restoration: Restoration<UInt32>
    var pipeline: Reconnection<Int, UInt32>
    var checkpoint: Checkpoint
    var regions: RegionWake
    var isForeground: Bool
    var isSuspended = false
    var awakeUntil: UInt64 = 0
    /// Whether the background task of a flush is running.
    var isFlushing = false
    var adopted: Set<UInt32> = []
    /// Entries that have been written but may be lost with the process.
    var unflushed: [Checkpoint.Entry] = []
    /// The state of Bluetooth that was last reported to the process.
    var radio: RadioState = .unknown
}

// The life of one process, from launch to end, and the effects of its state machines.
extension SimulatedPhone {
    private static let peer = 1
    private static let region: UInt16 = 1
    private static let minor: UInt16 = 4711

    // MARK: Life

    mutating func open() {
        if app == nil { launch(.user) }
        activate()
        app?.isForeground = true
        note(.foreground)
        look(.foreground(true))
        // Pending calls and searches now have the foreground latencies.
        reach()
    }

    mutating func leave() {
        guard app?.isForeground == true else { return }
        app?.isForeground = false
        note(.background)
        look(.foreground(false))
        stayAwake(ExecutionWindow(.leavingForeground, opened: tick))
        if settings.hasCheckpoint { save(.leftForeground) }
    }

    /// Ends the process, if there is one, and drops everything that the system does not keep.
    mutating func end(_ fate: RelaunchSituation.Fate, as kind: TransitionLog.Kind) {
        note(kind)
        if let app {
            // Some of the unflushed entries may have reached the disk anyway.
            let count = Int.random(in: 0...app.unflushed.count, using: &generator)
            journal += app.unflushed.prefix(count)
        }
        if app != nil || fate == .forceQuit {
            self.fate = fate
            lastRun = now
        }
        app = nil
        guard !settings.hasRestoration || fate == .forceQuit || !settings.keepsLinks else { return }
        if kept.link != nil { peripheral.unlink() }
        if !settings.hasRestoration || fate == .forceQuit {
            kept = Kept()
        } else if let route = kept.link {
            (kept.link, kept.isSubscribed) = (nil, false)
            kept.calls.insert(route)
            reach()
        }
    }

    /// Delivers an event of the system, resuming or relaunching the app if the rules allow it, and returns whether a
    /// process is running.
    mutating func wake(_ event: RelaunchSituation.Event) -> Bool {
        if app?.isSuspended == false { return true }
        var situation = RelaunchSituation(
            version: settings.version, fate: app == nil ? fate : .suspended, pending: pending, event: event)
        situation.changes = changes
        situation.modes = permissions.modes
        situation.hasIdentifier = settings.hasRestoration
        situation.mayAlwaysLocate = permissions.location == .always
        situation.hours = app == nil ? Int((now - lastRun) / 3_600_000) : 0
        let answer = situation.answer
        switch answer.outcome {
        case .no:
            report.refusals[answer.rule.code, default: 0] += 1
            return false
        case .activated: activate()
        case .relaunched:
            if app == nil {
                launch([.regionEntered, .regionExited].contains(event) ? .location : .bluetoothCentral)
            } else {
                activate()
            }
        }
        return true
    }

    private var pending: Set<RelaunchSituation.Pending> {
        var pending: Set<RelaunchSituation.Pending> = []
        if kept.isScanning { pending.insert(.scanning) }
        if !kept.calls.isEmpty { pending.insert(.connecting) }
        if kept.link != nil || app != nil { pending.insert(.connected) }
        if kept.isSubscribed { pending.insert(.subscribed) }
        if permissions.capabilities.contains(.regions) { pending.insert(.monitoring) }
        return pending
    }

    private mutating func activate() {
        guard app?.isSuspended == true else { return }
        app?.isSuspended = false
        note(.resumed)
        stayAwake(ExecutionWindow(.relaunch, opened: tick))
        fireTimers()
        tellRadio()
    }

    mutating func suspendIfIdle() {
        guard let app, !app.isForeground, !app.isSuspended, now >= app.awakeUntil else { return }
        look(.windowEnded)
        save(.expired)
        // The end of the checkpoint's task may have suspended the app already.
        guard self.app?.isSuspended == false else { return }
        self.app?.isSuspended = true
        note(.suspended)
    }

    /// Ends the execution window early when its work is done.
    private mutating func rest() {
        guard let app, !app.isForeground, !app.isFlushing, !app.pipeline.connected.isEmpty else { return }
        let end = now + settings.mark.wholeMilliseconds
        self.app?.awakeUntil = min(app.awakeUntil, end)
        agenda.plan(.mayBeSuspended(process: app.number), at: end)
    }

    private mutating func stayAwake(_ window: ExecutionWindow) {
        guard let app else { return }
        let end = now + window.remaining(at: tick).wholeMilliseconds
        self.app?.awakeUntil = end
        note(.windowOpened)
        agenda.plan(.mayBeSuspended(process: app.number), at: end)
    }

    private mutating func launch(_ cause: LaunchCause) {
        guard
            let identifiers = try? RestorationIdentifiers(
                central: "example.inkling.central", peripheral: "example.inkling.peripheral")
        else { return }
        processes += 1
        report.launches.append(cause)
        note(.launched)
        changes = []
        lastRun = now
        // Without a checkpoint the app does not know which records it has stored.
        let checkpoint = Checkpoint(journal: settings.hasCheckpoint ? journal : [])
        if case .incomplete = checkpoint.verdict {
            report.incompleteSessions += 1
            note(.incomplete)
        }
        app = PhoneApp(
            number: processes,
            restoration: Restoration(.central, identifiers: identifiers, lastIdentifier: identifier),
            pipeline: Reconnection(policy: ReconnectionPolicy(services: [["data"], ["pairing"]])),
            checkpoint: checkpoint, regions: RegionWake(regions: [RegionWake.Region(Self.region)]),
            isForeground: cause == .user)
        pipe(.wanted(Self.peer, known: route, isStable: settings.isBonded, lastReceived: checkpoint.through))
        restore(.launched(cause))
        if cause != .user { stayAwake(ExecutionWindow(.relaunch, opened: tick)) }
        if settings.hasRestoration, !kept.routes.isEmpty || kept.isScanning {
            callBack(.restored(routes: kept.routes, link: kept.link, scanning: kept.isScanning), after: 20)
        }
        kept.lost = nil
        callBack(.radio, after: 50)
    }

    // MARK: Callbacks

    mutating func tell(_ callback: PhoneCallback) { callBack(callback, after: 60) }

    private mutating func callBack(_ callback: PhoneCallback, after milliseconds: UInt64) {
        guard let app else { return }
        agenda.plan(.callback(callback, process: app.number), at: now + milliseconds)
    }

    mutating func tellRadio() {
        guard let app, !app.isSuspended, app.radio != .unknown else { return }
        deliver(.radio)
    }

    mutating func deliver(_ callback: PhoneCallback) {
        guard let app else { return }
        // Ranging and file operations stop with the process; every other callback resumes it.
        if app.isSuspended, callback.isOfProcess { return }
        activate()
        switch callback {
        case .restored(let routes, let link, let scanning):
            note(.restored)
            restore(
                .restoredCentral(
                    routes.map { Restoration.RestoredPeripheral($0, isLinked: $0 == link) },
                    scanning: scanning ? ["data", "pairing"] : []))
        case .radio:
            let state: RadioState =
                permissions.bluetooth == .allowed ? (isBluetoothOn ? .on : .off) : .unauthorized
            guard app.radio != state else { return }
            self.app?.radio = state
            restore(.radio(state))
        case .lookedUp(let route): pipe(.lookedUp(Self.peer, route))
        case .lookedUpAttached: pipe(.lookedUpAttached(Self.peer, nil))
        case .linked(let route): if kept.link == route { pipe(.linked(Self.peer, route)) }
        case .unlinked(let route): pipe(.unlinked(Self.peer, route))
        case .found(let route): pipe(.found(Self.peer, route))
        case .stepDone(let step, let route):
            guard kept.link == route, isReachable(route) else { return }
            finish(step)
        case .flushed: save(.flushed)
        case .marked: save(.markerWritten)
        case .entered:
            note(.regionEntered)
            look(.entered(Self.region))
        case .exited:
            note(.regionLeft)
            look(.exited(Self.region))
        case .displayWoke: look(.displayWoke([Self.region]))
        case .ranged:
            guard isBluetoothOn, peripheral.isNear else { return }
            look(.ranged(Self.region, minors: [Self.minor]))
        }
    }

    private mutating func finish(_ step: ReconnectionStep) {
        switch step {
        case .status: pipe(.statusKnown(Self.peer, needsInitialisation: peripheral.needsInitialisation))
        case .initialisation:
            peripheral.needsInitialisation = false
            pipe(.stepDone(Self.peer, step))
        case .subscription:
            kept.isSubscribed = true
            pipe(.stepDone(Self.peer, step))
        default: pipe(.stepDone(Self.peer, step))
        }
    }

    mutating func receive(_ records: [UInt64], on route: UInt32) {
        guard app?.adopted.contains(route) == true else { return }
        for record in records {
            if report.first == nil { report.first = record }
            save(.received(record))
        }
        if let through = app?.checkpoint.through { pipe(.received(Self.peer, through: through)) }
        rest()
    }

    mutating func fireTimers() {
        pipe(.timerFired)
        look(.timerFired)
    }

    // MARK: Effects of the state machines

    private mutating func restore(_ event: Restoration<UInt32>.Event) {
        guard let effects = app?.restoration.handle(event) else { return }
        for effect in effects {
            switch effect {
            case .storeIdentifier(let identifier): self.identifier = identifier
            case .adopt(let route):
                app?.adopted.insert(route)
                pipe(.restored(Self.peer, route, isLinked: route == kept.link))
            case .ready: pipe(.ready)
            case .unready: pipe(.unready)
            case .ignore: report.ignored += 1
            // The reconnection pipeline does these for its own peers.
            case .resume, .scan: break
            case .refuseIdentifier, .createManager, .openWindow, .addService, .removeService, .advertise: break
            }
        }
    }

    private mutating func pipe(_ event: Reconnection<Int, UInt32>.Event) {
        let tick = tick
        guard let effects = app?.pipeline.handle(event, at: tick) else { return }
        for effect in effects {
            switch effect {
            case .lookUp(_, let route): callBack(.lookedUp(route), after: 5)
            case .lookUpAttached: callBack(.lookedUpAttached, after: 5)
            case .beginSearch:
                kept.isScanning = true
                reach()
            case .endSearch: kept.isScanning = false
            case .adopt(_, let route): app?.adopted.insert(route)
            case .call(_, let route):
                kept.calls.insert(route)
                reach()
            case .cancel(_, let route):
                kept.calls.remove(route)
                if kept.link == route {
                    (kept.link, kept.isSubscribed) = (nil, false)
                    peripheral.unlink()
                }
            case .remember(_, let route): self.route = route
            case .perform(_, let route, let step, let last):
                if step == .resumption, kept.link == route { peripheral.stream(after: settings.hasReplay ? last : nil) }
                let isSeen = app?.isForeground == true
                callBack(
                    .stepDone(step, route), after: draw(isSeen ? settings.stepLatency : settings.backgroundStepLatency))
            case .overdue:
                report.overdue += 1
                note(.overdue)
            case .reconnected(_, _, let waited, let took):
                report.reconnections.append(
                    .init(at: .milliseconds(now), waited: waited, took: took))
                note(.reconnected, took: took)
            case .wake(let tick): planTimer(at: tick)
            }
        }
    }

    private mutating func save(_ event: Checkpoint.Event) {
        guard let effects = app?.checkpoint.handle(event) else { return }
        for effect in effects {
            switch effect {
            case .write(let number): app?.unflushed.append(.record(number))
            case .replay(let after): if settings.hasReplay { peripheral.stream(after: after) }
            case .giveUp: report.gapsGivenUp += 1
            case .flush: callBack(.flushed, after: settings.flush.wholeMilliseconds)
            case .writeMarker(let number):
                note(.flushed)
                journal += app?.unflushed ?? []
                app?.unflushed = [.marker(number)]
                callBack(.marked, after: settings.mark.wholeMilliseconds)
            case .endTask:
                note(.marked)
                journal += app?.unflushed ?? []
                app?.unflushed = []
                app?.isFlushing = false
                app?.awakeUntil = now
                suspendIfIdle()
            case .beginTask: app?.isFlushing = true
            }
        }
    }

    private mutating func look(_ event: RegionWake.Event) {
        let tick = tick
        guard let effects = app?.regions.handle(event, at: tick) else { return }
        for effect in effects {
            switch effect {
            case .startRanging: callBack(.ranged, after: 1000)
            case .identify:
                detect()
                pipe(.found(Self.peer, peripheral.route))
            case .wake(let tick): planTimer(at: tick)
            case .openWindow, .stopRanging, .left: break
            }
        }
    }

    private mutating func planTimer(at tick: Tick) {
        guard let app else { return }
        agenda.plan(.timer(process: app.number), at: tick.milliseconds)
    }
}
