internal import InklingKeys

/// What the radio heard: of strangers, as numbers; of contacts, as traces and tags.
struct RadioEvidence: Sendable {
    private enum Call: Hashable, Sendable {
        case byMinor(DeviceAddress), byTag(DeviceAddress), reading(DeviceAddress)
    }

    /// The bounds of the radio gap in milliseconds.
    static let gaps: ClosedRange<UInt64> = 1000...600_000

    /// For how long the radio may be silent about a device that is near.
    var gap: UInt64 = 30_000
    var addresses = HeardAddresses()
    var traces = Traces()
    var tags = ReadTags()
    var strangers = StrangerCount()
    /// When the earliest of the traces and tags ceases to matter.
    private(set) var expiry: Tick?
    /// Who was called in this epoch of the observer; the budget bounds them.
    private var calls: Set<Call> = []
    /// Tags that are to be read, and when.
    var readings: [DeviceAddress: Tick] = [:]

    /// The epoch by the observer's clock.
    var epoch: Epoch? { strangers.epoch }

    mutating func advance(to clock: ClockReading) {
        guard let epoch = Epoch(containing: clock.unixSeconds), epoch != strangers.epoch else { return }
        strangers.advance(to: epoch)
        calls = []
    }

    /// Whether something that was last heard at `last` still counts as there.
    func isThere(_ last: Tick, at now: Tick) -> Bool { last.advanced(byMilliseconds: gap) > now }

    /// Notes that an address was heard; answers whose evidence that may be.
    mutating func hear(_ address: DeviceAddress, _ observed: Observed, limit: Int) -> Set<ContactID> {
        addresses.hear(address, first: observed.first, last: observed.last, limit: limit)
        tags.hear(address, last: observed.last)
        return tags.contacts(of: address)
    }

    // MARK: Who is not believed

    /// Never believes an address again; answers whose evidence that was.
    mutating func distrust(_ address: DeviceAddress) -> Set<ContactID> {
        let contacts = traces.contacts(of: address).union(tags.contacts(of: address))
        addresses[address]?.isDistrusted = true
        traces.forget(address)
        tags.forget(address)
        readings[address] = nil
        return contacts
    }

    /// Takes what an address shows for a stranger's until it shows another minor; answers whose evidence that was.
    mutating func void(_ address: DeviceAddress) -> Set<ContactID> {
        let contacts = traces.contacts(of: address)
        addresses[address]?.isVoid = true
        traces.forget(address)
        return contacts
    }

    /// Takes away what may be a contact's only; answers whose evidence that was too.
    mutating func forget(_ contact: ContactID) -> Set<ContactID> {
        let sharers =
            traces.of(contact).flatMap { traces.contacts(of: $0.minor) }
            + tags.sharers(of: contact)
        traces.forget(contact)
        tags.forget(contact)
        return Set(sharers)
    }

    /// Everybody of whom something was heard.
    var contacts: Set<ContactID> {
        Set(traces.contacts).union(tags.contacts)
    }

    /// Whoever may be at the address of an attempt.
    func contacts(behind attempt: Attempt) -> Set<ContactID> {
        attempt.address.map { traces.contacts(of: $0).union(tags.contacts(of: $0)) } ?? []
    }

    /// When something is to be done about the readings that are planned.
    var readingMoments: [Tick] {
        readings.flatMap { address, due in
            [due] + [addresses[address].map { $0.last.advanced(byMilliseconds: gap) }].compactMap { $0 }
        }
    }

    /// Forgets what does not matter any more, one epoch after its window; answers whose evidence that was.
    mutating func expire(at now: Tick, windowEnd: (Epoch) -> Tick) -> Set<ContactID> {
        guard let expiry, expiry <= now else { return [] }
        let contacts = traces.forget { windowEnd($0.next ?? $0) <= now }.union(
            tags.forget { windowEnd($0.next ?? $0) <= now })
        setExpiry(windowEnd)
        return contacts
    }

    /// Works out when `expire` has something to do next.
    mutating func setExpiry(_ windowEnd: (Epoch) -> Tick) {
        expiry = [traces.firstEpoch, tags.firstEpoch].compactMap { $0 }.min().map { windowEnd($0.next ?? $0) }
    }

    // MARK: Whom to call

    func mayAttempt(_ address: DeviceAddress, _ ground: PlannedAttempt.Ground) -> Bool {
        !calls.contains(ground == .tag ? .byTag(address) : .byMinor(address))
    }

    mutating func noteAttempt(_ attempt: Attempt) {
        switch attempt.value {
        case .name: break
        case .tag(_, let address): calls.insert(.byTag(address))
        case .minor(_, let address): calls.insert(.byMinor(address))
        }
    }

    /// Whether the tag of an address was read in this epoch.
    func isRead(_ address: DeviceAddress) -> Bool { calls.contains(.reading(address)) }

    /// Whether the reading of an address's tag may start: it was heard twice, far enough apart.
    func isCallable(_ address: DeviceAddress, steadyAfter: UInt64) -> Bool {
        addresses[address]?.isSteady(steadyAfter) ?? false
    }

    mutating func noteReading(_ address: DeviceAddress) {
        calls.insert(.reading(address))
        readings[address] = nil
    }

    /// Forgets the readings of addresses that are not there any more.
    mutating func dropReadings(at now: Tick) {
        readings = readings.filter { address, _ in addresses[address].map { isThere($0.last, at: now) } ?? false }
    }
}
