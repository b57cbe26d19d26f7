internal import InklingKeys

/// What the radio heard: of strangers, as numbers; of contacts, as traces and tags.
struct RadioEvidence: Sendable {
    /// The bounds of the radio gap in milliseconds.
    static let gaps: ClosedRange<UInt64> = 1000...600_000

    /// For how long the radio may be silent about a device that is near.
    var gap: UInt64 = 30_000
    var addresses = HeardAddresses()
    var traces = Traces()
    var tags = ReadTags()
    var strangers = StrangerCount()
    /// Tags that are to be read, and when.
    var readings: [DeviceAddress: Tick] = [:]

    /// The epoch by the observer's clock.
    var epoch: Epoch? { strangers.epoch }

    mutating func advance(to clock: ClockReading) {
        if let epoch = Epoch(containing: clock.unixSeconds) { strangers.advance(to: epoch) }
    }

    /// Whether something that was last heard at `last` still counts as there.
    func isThere(_ last: Tick, at now: Tick) -> Bool { last.advanced(byMilliseconds: gap) > now }

    // MARK: Who is not believed

    /// Never believes an address again.
    mutating func distrust(_ address: DeviceAddress) {
        addresses[address]?.isDistrusted = true
        traces.forget(address)
        tags.forget(address)
        readings[address] = nil
    }

    /// Takes what an address shows for a stranger's until it shows another minor.
    mutating func void(_ address: DeviceAddress) {
        addresses[address]?.isVoid = true
        traces.forget(address)
    }

    mutating func forget(_ contact: ContactID) {
        traces.forget(contact)
        tags.forget(contact)
    }

    /// Forgets what does not matter any more: tags when their window is over, traces one epoch later.
    mutating func expire(at now: Tick, windowEnd: (Epoch) -> Tick) {
        traces.forget { windowEnd($0.next ?? $0) <= now }
        tags.forget { windowEnd($0) <= now }
    }

    // MARK: Whom to call

    func mayAttempt(_ address: DeviceAddress, _ ground: PlannedAttempt.Ground) -> Bool {
        guard let epoch, let entry = addresses[address] else { return true }
        return (ground == .tag ? entry.attemptedByTag : entry.attempted) != epoch
    }

    mutating func noteAttempt(_ attempt: Attempt) {
        let epoch = epoch
        switch attempt.value {
        case .name: break
        case .tag(_, let address): addresses[address]?.attemptedByTag = epoch
        case .minor(_, let address): addresses[address]?.attempted = epoch
        }
    }

    /// Whether the reading of an address's tag may start: it was heard twice, far enough apart.
    func isCallable(_ address: DeviceAddress, steadyAfter: UInt64) -> Bool {
        addresses[address]?.isSteady(steadyAfter) ?? false
    }

    mutating func noteReading(_ address: DeviceAddress) {
        let epoch = epoch
        addresses[address]?.read = epoch
        readings[address] = nil
    }

    /// Forgets the readings of addresses that are not there any more.
    mutating func dropReadings(at now: Tick) {
        readings = readings.filter { address, _ in addresses[address].map { isThere($0.last, at: now) } ?? false }
    }
}
