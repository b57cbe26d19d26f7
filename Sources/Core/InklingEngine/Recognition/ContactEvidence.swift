internal import InklingKeys

/// The evidence that one contact is present, and how long it counts; with the time it determines the contact's state.
struct ContactEvidence: Sendable {
    /// The latest handshake, and what its sessions have received since.
    private struct Proof: Sendable {
        var at: Tick
        var lastHeard: Tick
        var sessions: Set<DeviceIndex>
        /// The moment when the latest session ended, or when its silence would have ended it if that is earlier.
        var ended: Tick
    }

    /// The state as the caller knows it.
    private(set) var reported: PresenceState
    // Names that are present or were until recently: when each ceases to be evidence (in the future while it is
    // present), and whether only this contact is expected to show it.
    private var names: [OpaqueServiceName: (until: Tick, isOwn: Bool)] = [:]
    // The times at which the radio last heard something that only this contact, or also another one, is expected to
    // show. `radio` is rebuilt at each evaluation; the other two keep the maximum.
    private var radio: (own: Tick?, shared: Tick?) = (nil, nil)
    private var radioOwnUntil: Tick?
    private var radioUntil: Tick?
    private var proof: Proof?

    /// Creates empty evidence for a contact in this state, which is `unseen` or `gone`.
    init(reported: PresenceState) { self.reported = reported }

    var hasSession: Bool { proof.map { !$0.sessions.isEmpty } ?? false }

    func hasSession(with device: DeviceIndex) -> Bool { proof?.sessions.contains(device) ?? false }

    /// The time of the last authenticated message.
    var lastHeard: Tick? { proof?.lastHeard }

    /// Returns when the departure timer runs out if no further evidence arrives; nil for a contact that is not present.
    func leaves(under timers: RecognitionPolicy.Timers) -> Tick? {
        presentUntil(under: timers).map(timers.departure(after:))
    }

    /// Ends all passive evidence now; `extend` and `hearRadio` then restore what is still valid.
    mutating func interrupt(at now: Tick) {
        names = names.mapValues { (min($0.until, now), $0.isOwn) }
        radio = (nil, nil)
    }

    /// Records that a name is present and is evidence until `end`; `isOwn` if no other contact is expected to show it.
    /// The end recorded before is kept if a clock change moves the new one into the past.
    mutating func extend(_ name: OpaqueServiceName, to end: Tick, isOwn: Bool) {
        names[name] = (max(names[name]?.until ?? end, end), isOwn)
    }

    /// Records when the radio last heard a value that only this contact is likely to show (`own`), and one that others
    /// may show too (`shared`).
    mutating func hearRadio(own: Tick?, shared: Tick?) {
        radio.own = [radio.own, own].compactMap { $0 }.max()
        radio.shared = [radio.shared, shared].compactMap { $0 }.max()
        radioOwnUntil = [radioOwnUntil, own].compactMap { $0 }.max()
        radioUntil = [radioUntil, own, shared].compactMap { $0 }.max()
    }

    mutating func confirm(_ device: DeviceIndex, at now: Tick) {
        proof = Proof(at: now, lastHeard: now, sessions: (proof?.sessions ?? []).union([device]), ended: now)
    }

    mutating func hear(_ device: DeviceIndex, at now: Tick) {
        if proof?.sessions.contains(device) == true { proof?.lastHeard = now }
    }

    mutating func endSession(_ device: DeviceIndex, at now: Tick, under timers: RecognitionPolicy.Timers) {
        guard let before = proof, before.sessions.contains(device) else { return }
        proof?.sessions.remove(device)
        // The session was evidence up to now: its end is not a departure.
        proof?.ended = min(now, before.lastHeard.advanced(byMilliseconds: timers.sessionSilence))
    }

    /// Updates `reported` to the state at `now`. Returns the previous state if it changed, else nil.
    mutating func settle(at now: Tick, under timers: RecognitionPolicy.Timers) -> PresenceState? {
        let before = reported
        if let until = presentUntil(under: timers), timers.departure(after: until) <= now { proof = nil }
        names = names.filter { !timers.isOver($0.value.until, at: now) }
        reported = state(at: now, under: timers)
        return reported == before ? nil : before
    }

    /// Returns the next moment, after `now`, at which time alone can change the state.
    func nextChange(after now: Tick, under timers: RecognitionPolicy.Timers) -> Tick? {
        let ends = [presentUntil(under: timers), ownUntil, sharedUntil, radio.own, radio.shared, radioUntil]
            .compactMap { $0 }
        return ends.flatMap { end in
            [end.advanced(byMilliseconds: timers.staleAfter), timers.departure(after: end)]
        }.filter { $0 > now }.min()
    }

    private var ownUntil: Tick? { names.values.filter(\.isOwn).map(\.until).max() }
    private var sharedUntil: Tick? { names.values.filter { !$0.isOwn }.map(\.until).max() }

    private func state(at now: Tick, under timers: RecognitionPolicy.Timers) -> PresenceState {
        func isFresh(_ end: Tick?) -> Bool {
            end.map { $0.advanced(byMilliseconds: timers.staleAfter) > now } ?? false
        }
        if let proof {
            return isFresh(presentUntil(under: timers)) ? .confirmed(at: proof.at) : .stale(confirmedAt: proof.at)
        }
        if isFresh(ownUntil) || isFresh(radio.own) { return .probable }
        if isFresh(sharedUntil) || isFresh(radio.shared) { return .candidate }
        let end = [ownUntil, sharedUntil, radioUntil].compactMap { $0 }.max()
        if let end, !timers.isOver(end, at: now) { return .stale(confirmedAt: nil) }
        return reported == .unseen ? .unseen : .gone
    }

    // Authenticated messages count by themselves. A name or minor, which any device can copy, prolongs presence only
    // for `confirmationLife` after the last authenticated message.
    private func presentUntil(under timers: RecognitionPolicy.Timers) -> Tick? {
        guard let proof else { return nil }
        let authentic =
            proof.sessions.isEmpty
            ? max(proof.lastHeard, proof.ended) : proof.lastHeard.advanced(byMilliseconds: timers.sessionSilence)
        let passive = [ownUntil, sharedUntil, radioOwnUntil].compactMap { $0 }.max() ?? proof.at
        return max(authentic, min(passive, proof.lastHeard.advanced(byMilliseconds: timers.confirmationLife)))
    }
}
