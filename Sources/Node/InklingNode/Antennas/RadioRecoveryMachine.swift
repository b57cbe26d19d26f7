package import InklingKeys

/// A machine for a radio that hears nothing: scan again, twice; switch the adapter off and on; then wait, and start
/// over.
///
/// The BlueZ scanner uses it, and so does every antenna, which cannot be switched off and on.
///
/// A place without devices looks like a deaf adapter. So the adapter is switched only if something was heard in the
/// last hour, and each time the wait before the next switching doubles.
package struct RadioRecoveryMachine: Sendable {
    /// The intervals, in milliseconds.
    package struct Times: Hashable, Sendable {
        /// The silence before each step.
        package var patience: UInt64 = 5 * 60_000
        /// The time from the last step to the first one again.
        package var rest: UInt64 = 15 * 60_000
        /// The minimum time between two switchings; it doubles up to `longestSwitching`.
        package var switching: UInt64 = 30 * 60_000
        package var longestSwitching: UInt64 = 24 * 60 * 60_000
        /// The maximum time since a device was heard for the adapter to be switched.
        package var memory: UInt64 = 60 * 60_000

        /// Creates the times of a Bluetooth adapter.
        package init() {}
    }

    package enum Event: Hashable, Sendable {
        /// The radio has begun to scan.
        case started
        /// The radio has stopped scanning.
        case stopped
        /// Any device was heard.
        case heard
        case timerFired
    }

    package enum Effect: Hashable, Sendable {
        /// A recovery step to report and carry out.
        case recover(RadioRecovery)
        /// The radio hears again: report it.
        case hearing
    }

    private let times: Times
    private var isScanning = false
    /// The beginning of the silence or of the last step, moved by each pause in scanning, because pauses do not count.
    private var waiting: Tick?
    private var stopped: Tick?
    private var lastHeard: Tick?
    /// The number of steps taken in this silence.
    private var steps = 0
    private var mayCycle = Tick(milliseconds: 0)
    private var nextWait: UInt64

    /// Creates a machine.
    package init(times: Times = Times()) {
        self.times = times
        nextWait = times.switching
    }

    /// Handles one event and returns what to do, in order.
    package mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        switch event {
        case .started:
            // A pause neither counts as silence nor ends it.
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
            // Switching has helped, so the wait starts over.
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
