internal import InklingEngine
internal import InklingKeys

/// The rotation of one link technology: the epochs that it answers for, what it shows, and why it shows nothing.
struct TechnologyRotation: Sendable {
    /// What follows from an event, in order.
    enum Step: Sendable {
        case effect(LinkTechnologyEffect)
        case goQuiet(goodbye: Bool)
        case closeLinks
        /// Show this epoch, once its table is in use.
        case publish(Epoch)
    }

    private(set) var ownEpochs: [OwnEpoch] = []
    /// What is answered without announcement, each in a pair audience.
    private(set) var unannounced: [OwnEpoch] = []
    /// The names of these for which somebody has asked.
    private var asked: Set<OpaqueServiceName> = []
    private(set) var shown: Epoch?
    private(set) var silence: NodeEvent.SilenceReason?
    /// Whether the high-water mark of the epoch that is being published is stored.
    private(set) var isHighWaterStored = true
    /// When the machine must be told the time.
    private(set) var wake: Tick?
    private var machine: RotationMachine
    /// Nil for a node that is no tag device device.
    private var confirmation: OwnerConfirmation?
    private let technology: AttemptTechnology
    /// The epoch in which a tag device shows nothing. What is withheld once stays so until the next boundary: a device that
    /// appeared in the middle of an epoch would show when its owner came.
    private var withheld: Epoch?

    /// Creates a rotation that shows nothing until `.started`; `confirmation` is what is known of the owner of a tag device,
    /// and nil for other nodes. A tag device shows no epoch that an earlier run has shown.
    init(
        highWater: Epoch?, isVisible: Bool, confirmation: OwnerConfirmation? = nil, over technology: AttemptTechnology,
        policy: RotationPolicy = RotationPolicy()
    ) {
        silence = isVisible ? .gap : .invisible
        self.confirmation = confirmation
        self.technology = technology
        machine = RotationMachine(
            highWater: highWater, notBefore: confirmation == nil ? nil : highWater?.next, isVisible: isVisible,
            policy: policy)
    }

    /// Whether a tag device shows nothing in this epoch, and looks for devices of its owner alone.
    var isWithheld: Bool { withheld != nil && withheld == machine.shown }

    /// Why a tag device shows nothing.
    private var withholding: NodeEvent.SilenceReason {
        .unconfirmed(shownFrom: machine.shown?.next.flatMap { permits($0) ? $0 : nil })
    }

    private func permits(_ epoch: Epoch) -> Bool { confirmation?.permits(technology, in: epoch) ?? true }

    private func withholds(_ epoch: Epoch) -> Bool { withheld == epoch || !permits(epoch) }

    /// Notes that a device of the owner has confirmed this tag device.
    mutating func note(_ confirmation: OwnerConfirmation) -> [LinkTechnologyEffect] {
        self.confirmation = confirmation
        guard isWithheld, case .unconfirmed = silence else { return [] }
        return withhold()
    }

    /// Notes that a tag device listens, and shows nothing.
    mutating func withhold() -> [LinkTechnologyEffect] { fallSilent(withholding) }

    /// The values under which initiators are answered. What was not announced is tried only when its name was asked for
    /// (INK-HSK-036), so that the audiences of contacts that are away cost nothing at the gate.
    var answered: [OwnEpoch] { ownEpochs + unannounced.filter { asked.contains($0.name) } }

    /// The epoch that the machine has let the technology show; nil in a silent gap.
    var permitted: Epoch? { machine.shown }

    /// Whether the machine must be told the time now; then it is told with the next event.
    mutating func takeWake(at now: Tick) -> Bool {
        guard let due = wake, due <= now else { return false }
        wake = nil
        return true
    }

    mutating func handle(
        _ event: RotationMachine.Event, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [Step] {
        machine.handle(event, at: now, using: &generator).compactMap { effect in
            switch effect {
            case .goQuiet(let goodbye): return .goQuiet(goodbye: goodbye)
            case .closeUnauthenticatedLinks: return .closeLinks
            case .retire(let epoch):
                ownEpochs.removeAll { $0.epoch < epoch }
                keepUnannounced { $0.epoch >= epoch }
                return .effect(.retire(before: epoch))
            case .forget(let period): return .effect(.forget(before: period))
            case .prepare(let epoch):
                return .effect(.prepare(epoch, isDerived: ownEpochs.contains { $0.epoch == epoch }))
            case .highWater(let epoch):
                // Who only listens has not shown the epoch.
                guard !withholds(epoch) else { return nil }
                isHighWaterStored = false
                return .effect(.noteHighWater(epoch))
            case .publish(let epoch):
                withheld = withholds(epoch) ? epoch : nil
                return .publish(epoch)
            case .wake(let tick):
                wake = tick
                return nil
            }
        }
    }

    /// Adds the identifiers of a prepared epoch.
    mutating func add(_ own: OwnEpoch) { ownEpochs.append(own) }

    /// Replaces what is answered without announcement in an epoch.
    mutating func answer(_ unannounced: [OwnEpoch], in epoch: Epoch) {
        self.unannounced = self.unannounced.filter { $0.epoch != epoch } + unannounced
        keepUnannounced { _ in true }
    }

    /// Notes that somebody has asked for a name.
    mutating func noteAsked(_ name: OpaqueServiceName) {
        if unannounced.contains(where: { $0.name == name }) { asked.insert(name) }
    }

    /// Drops all identifiers: another audience, or another generation of it, is to be shown.
    mutating func dropOwnEpochs() {
        ownEpochs = []
        keepUnannounced { _ in false }
    }

    private mutating func keepUnannounced(_ isKept: (OwnEpoch) -> Bool) {
        unannounced = unannounced.filter(isKept)
        asked.formIntersection(unannounced.map(\.name))
    }

    /// Notes the outcome of storing a high-water mark.
    mutating func noteStored(_ epoch: Epoch, _ error: VaultError?) {
        if error == nil, machine.highWater == epoch { isHighWaterStored = true }
    }

    /// Notes that an epoch is shown.
    mutating func show(_ epoch: Epoch) {
        shown = epoch
        silence = nil
    }

    /// Notes why nothing is shown, and reports the reason unless it is the one reported before.
    mutating func fallSilent(_ reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        shown = nil
        let before = silence
        silence = reason
        return before?.isSame(as: reason) == true ? [] : [.silent(reason)]
    }
}
