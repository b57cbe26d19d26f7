public import InklingKeys

/// Carries out a plan: begins each step at its time, whatever became of the others, and ends the rest when one connects
/// (`Specs/transport-policy.md`, INK-TPT-008).
public struct TransportRace: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The moment of `wake` has come, or the race begins.
        case timerFired
        /// The transport connected, begun here or not.
        case connected(Transport)
        /// The transport came to nothing.
        case failed(Transport)
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable {
        /// Begin with the step.
        case begin(TransportPlan.Step)
        /// Give the transport up: another connected.
        case cancel(Transport)
        /// Send `timerFired` at this moment; replaces every earlier wish.
        case wake(at: Tick)
        /// One connected, or none is left.
        case ended(Transport?)
    }

    private let start: Tick
    private var waiting: [TransportPlan.Step]
    private var running: Set<Transport> = []
    private var hasEnded = false

    /// A race by a plan made at this moment.
    public init(_ plan: TransportPlan, at now: Tick) {
        start = now
        waiting = plan.steps.sorted { ($0.begins, $0.cost, $0.transport) < ($1.begins, $1.cost, $1.transport) }
    }

    /// Takes one event and says what is to be done, in order; the first event is `timerFired`, at once.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        guard !hasEnded else { return [] }
        switch event {
        case .timerFired: break
        case .failed(let transport): running.remove(transport)
        case .connected(let transport):
            // Who noticed the peer by other means may be the one that connects; it need not have been begun here.
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

    private func due(_ step: TransportPlan.Step) -> Tick { start.advanced(byMilliseconds: step.begins) }
}
