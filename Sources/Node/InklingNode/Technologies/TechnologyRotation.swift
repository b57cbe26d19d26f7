internal import InklingEngine
internal import InklingKeys
internal import InklingVault

/// The rotation of one link technology: the epochs it answers for, the epoch it shows, or the reason for its silence.
struct TechnologyRotation: Sendable {
    /// A consequence of an event.
    enum Step: Sendable {
        case effect(LinkTechnologyEffect)
        case goQuiet(goodbye: Bool)
        case closeLinks
        /// Show this epoch, once its table is in use.
        case publish(Epoch)
    }

    private(set) var ownEpochs: [OwnEpoch] = []
    /// The values answered without announcement, each in a pair audience.
    private(set) var unannounced: [OwnEpoch] = []
    /// The names among these that were asked for.
    private var asked: Set<OpaqueServiceName> = []
    private(set) var shown: Epoch?
    private(set) var silence: NodeEvent.SilenceReason?
    /// Whether the high-water mark of the epoch being published is stored.
    private(set) var isHighWaterStored = true
    /// The time at which the machine's timer fires.
    private(set) var wake: Tick?
    private var machine: RotationMachine
    /// `nil` unless this node is a tag device.
    private var confirmation: OwnerConfirmation?
    private let technology: AttemptTechnology
    /// The epoch in which a tag device is suppressed. It stays suppressed until the next boundary: appearing in the
    /// middle of an epoch would show when its owner came.
    private var withheld: Epoch?

    /// Creates a rotation that shows nothing until `.started`; `confirmation` is the owner's confirmation of a tag
    /// device, and nil for other nodes. A tag device shows no epoch that an earlier run has shown.
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

    /// Whether a tag device is suppressed in this epoch, and looks only for devices of its owner.
    var isWithheld: Bool { withheld != nil && withheld == machine.shown }

    /// The reason why a tag device is suppressed.
    private var withholding: NodeEvent.SilenceReason {
        .unconfirmed(shownFrom: machine.shown?.next.flatMap { permits($0) ? $0 : nil })
    }

    private func permits(_ epoch: Epoch) -> Bool { confirmation?.permits(technology, in: epoch) ?? true }

    private func withholds(_ epoch: Epoch) -> Bool { withheld == epoch || !permits(epoch) }

    /// Records that a device of the owner has confirmed this tag device.
    mutating func note(_ confirmation: OwnerConfirmation) -> [LinkTechnologyEffect] {
        self.confirmation = confirmation
        guard isWithheld, case .unconfirmed = silence else { return [] }
        return withhold()
    }

    /// Records that a suppressed tag device listens.
    mutating func withhold() -> [LinkTechnologyEffect] { fallSilent(withholding) }

    /// The values under which initiators are answered. Unannounced ones are tried only if their names were asked for
    /// (INK-HSK-036), so that the audiences of absent contacts cost nothing at the gate.
    var answered: [OwnEpoch] { ownEpochs + unannounced.filter { asked.contains($0.name) } }

    /// The epoch that the machine lets the technology show; nil in a quiet period.
    var permitted: Epoch? { machine.shown }

    /// Returns whether the machine's timer is due, and clears it; it must then be reported with the current event.
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
                // A listen-only node has not shown this epoch.
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

    /// Replaces the values answered without announcement in an epoch.
    mutating func answer(_ unannounced: [OwnEpoch], in epoch: Epoch) {
        self.unannounced = self.unannounced.filter { $0.epoch != epoch } + unannounced
        keepUnannounced { _ in true }
    }

    /// Records that a name was asked for.
    mutating func noteAsked(_ name: OpaqueServiceName) {
        if unannounced.contains(where: { $0.name == name }) { asked.insert(name) }
    }

    /// Drops all identifiers: another audience, or another generation of it, will be shown.
    mutating func dropOwnEpochs() {
        ownEpochs = []
        keepUnannounced { _ in false }
    }

    private mutating func keepUnannounced(_ isKept: (OwnEpoch) -> Bool) {
        unannounced = unannounced.filter(isKept)
        asked.formIntersection(unannounced.map(\.name))
    }

    /// Records the outcome of storing a high-water mark.
    mutating func noteStored(_ epoch: Epoch, _ error: VaultError?) {
        if error == nil, machine.highWater == epoch { isHighWaterStored = true }
    }

    /// Records that an epoch is shown.
    mutating func show(_ epoch: Epoch) {
        shown = epoch
        silence = nil
    }

    /// Records why nothing is shown, and reports the reason unless it is the last one reported.
    mutating func fallSilent(_ reason: NodeEvent.SilenceReason) -> [LinkTechnologyEffect] {
        shown = nil
        let before = silence
        silence = reason
        return before?.isSame(as: reason) == true ? [] : [.silent(reason)]
    }
}
