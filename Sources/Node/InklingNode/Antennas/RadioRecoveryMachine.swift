package import InklingKeys

/// Decides what to do when a radio hears nothing: it scans again, twice; then it switches the adapter off and on; then
/// it goes on without hearing, and begins again later.
///
/// The BlueZ scanner uses it, and every antenna, which cannot be switched off and on.
///
/// A place without any device looks the same as a deaf adapter. So the adapter is only switched when something was
/// heard in the last hour, and each time the wait until it may be switched again is twice as long.
package struct RadioRecoveryMachine: Sendable {
    /// The times, in milliseconds.
    package struct Times: Hashable, Sendable {
        /// The silence before each step.
        package var patience: UInt64 = 5 * 60_000
        /// From the last step to the first one again.
        package var rest: UInt64 = 15 * 60_000
        /// The shortest time from one switching to the next; it doubles up to `longestSwitching`.
        package var switching: UInt64 = 30 * 60_000
        package var longestSwitching: UInt64 = 24 * 60 * 60_000
        /// How recently a device must have been heard, for the adapter to be switched.
        package var memory: UInt64 = 60 * 60_000

        /// Creates the times of a Bluetooth adapter.
        package init() {}
    }

    package enum Event: Hashable, Sendable {
        /// The radio has begun to scan.
        case started
        /// The radio no longer scans.
        case stopped
        /// Any device was heard.
        case heard
        case timerFired
    }

    package enum Effect: Hashable, Sendable {
        /// Report this step and take it.
        case recover(RadioRecovery)
        /// Report that the radio hears again.
        case hearing
    }

    private let times: Times
    private var isScanning = false
    /// When the silence or the last step began. Gaps without a scan are left out, so it moves with each of them.
    private var waiting: Tick?
    private var stopped: Tick?
    private var lastHeard: Tick?
    /// How many steps were taken in this silence.
    private var steps = 0
    private var mayCycle = Tick(milliseconds: 0)
    private var nextWait: UInt64

    /// Creates a machine.
    package init(times: Times = Times()) {
        self.times = times
        nextWait = times.switching
    }

    /// Takes one event and returns what to do, in order.
    package mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        switch event {
        case .started:
            // A gap neither counts as silence nor ends it.
            let pause = stopped.map { now.milliseconds(since: $0) } ?? 0
            waiting = waiting?.advanced(byMilliseconds: pause) ?? now
            stopped = nil
            isScanning = true
            return []
        case .stopped:
            if isScanning { stopped = now }
            isScanning = false
            return []
        case .heard:
            lastHeard = now
            waiting = now
            if !isScanning { stopped = now }
            // Switching has helped, so it is worth as much as before.
            if steps == 3 { nextWait = times.switching }
            defer { steps = 0 }
            return steps > 0 ? [.hearing] : []
        case .timerFired:
            guard isScanning, let since = waiting else { return [] }
            let patience = steps >= 4 ? times.rest : times.patience
            guard now.milliseconds(since: since) >= patience else { return [] }
            if steps >= 4 { steps = 0 }
            waiting = now
            steps += 1
            return [.recover(step(at: now))]
        }
    }

    private mutating func step(at now: Tick) -> RadioRecovery {
        if steps <= 2 { return .scanAgain }
        let hasHeard = lastHeard.map { now.milliseconds(since: $0) <= times.memory } ?? false
        guard steps == 3, hasHeard, now >= mayCycle else {
            steps = 4
            return .none
        }
        mayCycle = now.advanced(byMilliseconds: nextWait)
        nextWait = min(nextWait * 2, times.longestSwitching)
        return .powerCycle
    }
}
