public import InklingKeys

/// A race of the steps of a plan: it begins each at its time, whatever the outcome of the others, and cancels the rest
/// when one connects (`Specs/transport-policy.md`, INK-TPT-008).
public struct TransportRace: Sendable {
    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// The moment of the latest `wake` has come, or the race begins.
        case timerFired
        /// The transport connected, whether or not the race began it; of a chain, report the second transport.
        case connected(TransportOption)
        /// The transport failed; of a chain, report the first transport, whichever of the two failed.
        case failed(TransportOption)
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Begin the step.
        case begin(TransportPlan.Step)
        /// Cancel the transport, because another one connected.
        case cancel(TransportOption)
        /// Report `timerFired` at this moment; replaces any earlier `wake`.
        case wake(at: Tick)
        /// The race is over: the transport that connected, or nil if all failed.
        case ended(TransportOption?)

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .begin(let step): "begin \(step.transport.rawValue)"
            case .cancel(let transport): "cancel \(transport.rawValue)"
            case .wake(let tick): "wake at \(tick)"
            case .ended(let transport?): "ended: \(transport.rawValue) connected"
            case .ended(nil): "ended: no transport is left"
            }
        }
    }

    private let start: Tick
    private var waiting: [TransportPlan.Step]
    private var running: Set<TransportOption> = []
    private var hasEnded = false

    /// Creates a race of the steps of a plan that was made at this time.
    public init(_ plan: TransportPlan, at now: Tick) {
        start = now
        waiting = plan.steps.sorted { ($0.begins, $0.cost, $0.transport) < ($1.begins, $1.cost, $1.transport) }
    }

    /// Handles one event and returns the effects to carry out, in order. Begin the race with `timerFired`.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        guard !hasEnded else { return [] }
        switch event {
        case .timerFired: break
        case .failed(let transport): running.remove(transport)
        case .connected(let transport):
            // The transport need not be one that the race began: the peer can connect to this device over another one.
            hasEnded = true
            let others = running.subtracting([transport]).sorted()
            running = []
            waiting = []
            return others.map(Effect.cancel) + [.ended(transport)]
        }
        var effects: [Effect] = []
        while let next = waiting.first, due(next) <= now {
            waiting.removeFirst()
            running.insert(next.transport)
            effects.append(.begin(next))
        }
        if let next = waiting.first {
            effects.append(.wake(at: due(next)))
        } else if running.isEmpty {
            hasEnded = true
            effects.append(.ended(nil))
        }
        return effects
    }

    private func due(_ step: TransportPlan.Step) -> Tick {
        start.advanced(byMilliseconds: step.begins.wholeMilliseconds)
    }
}
