internal import InklingKeys

/// A reading of a tag that waits for its delay to pass, for its address to be steady, and for room in the budget.
struct PlannedReading: Sendable {
    let due: Tick
    /// The epoch of the observer in which the link of the reading before failed; nil for a first reading.
    let failedIn: Epoch?

    var isRepeat: Bool { failedIn != nil }
}

/// The evidence of the radio: the number of strangers, the traces and tags of contacts, and the addresses of both.
struct RadioEvidence: Sendable {
    private enum Call: Hashable, Sendable {
        case byMinor(DeviceAddress), byTag(DeviceAddress), reading(DeviceAddress)
    }

    /// The bounds of the radio gap in milliseconds.
    static let gaps: ClosedRange<UInt64> = 1000...600_000

    /// The radio gap in milliseconds: how long a working radio may miss a device that is near.
    var gap: UInt64 = 30_000
    /// The time at which this device last ended its radio links; devices heard before may now have other addresses.
    var cut: Tick?
    var addresses = HeardAddresses()
    var traces = Traces()
    var tags = ReadTags()
    var strangers = StrangerCount()
    /// The time when the next trace or tag expires.
    private(set) var expiry: Tick?
    /// The addresses to which the device has connected in this epoch of the observer, the contact that was called there,
    /// and how often; the budget bounds their number.
    private var calls: [Call: (contact: ContactID?, count: Int)] = [:]
    /// The minors that were heard in this epoch of the observer, and the attempts because of them.
    var sweep = SweepLimit()
    private(set) var proven = ProvenAddresses()
    /// The planned readings of tags.
    var readings: [DeviceAddress: PlannedReading] = [:]

    /// The epoch by the observer's clock.
    var epoch: Epoch? { strangers.epoch }

    mutating func advance(to clock: ClockReading) {
        guard let epoch = Epoch(containing: clock.unixSeconds), epoch != strangers.epoch else { return }
        strangers.advance(to: epoch)
        calls = [:]
        sweep = SweepLimit()
        proven.advance(to: epoch)
    }

    /// Whether something that was last heard at `last` still counts as present.
    func isThere(_ last: Tick, at now: Tick) -> Bool { last.advanced(byMilliseconds: gap) > now }

    /// Whether something that was last heard at `last` is present and was heard since the links were ended, and since
    /// `ended`, so that its address may be called.
    func isCallable(_ last: Tick, since ended: Tick? = nil, at now: Tick) -> Bool {
        isThere(last, at: now) && [cut, ended].allSatisfy { $0.map { last > $0 } ?? true }
    }

    /// Records that an address was heard. Returns the contacts for which that may be evidence.
    mutating func hear(
        _ address: DeviceAddress, _ observed: Observed, limit: Int, windowEnd: (Epoch) -> Tick
    ) -> Set<ContactID> {
        addresses.hear(address, first: observed.first, last: observed.last, limit: limit)
        tags.hear(address, last: observed.last, windowEnd: windowEnd)
        return tags.contacts(of: address)
    }

    // MARK: Distrust

    /// Distrusts an address for good. Returns the contacts that lose evidence.
    mutating func distrust(_ address: DeviceAddress) -> Set<ContactID> {
        let contacts = traces.contacts(of: address).union(tags.contacts(of: address))
        addresses[address]?.isDistrusted = true
        traces.forget(address)
        tags.forget(address)
        proven.forget(address)
        readings[address] = nil
        return contacts
    }

    /// Treats an address as a stranger's until it shows another minor. Returns the contacts that lose evidence.
    mutating func void(_ address: DeviceAddress) -> Set<ContactID> {
        let contacts = traces.contacts(of: address)
        addresses[address]?.isVoid = true
        traces.forget(address)
        proven.forget(address)
        return contacts
    }

    /// Removes a contact from all evidence. Returns the contacts that share any of it.
    mutating func forget(_ contact: ContactID) -> Set<ContactID> {
        let sharers =
            traces.of(contact).flatMap { traces.contacts(of: $0.minor) }
            + tags.sharers(of: contact)
        traces.forget(contact)
        tags.forget(contact)
        proven.forget(contact)
        return Set(sharers)
    }

    /// The contacts of which a trace or a tag is remembered.
    var contacts: Set<ContactID> {
        Set(traces.contacts).union(tags.contacts)
    }

    /// Returns the contacts that may be at the address of an attempt; none for an attempt by TCP.
    func contacts(behind attempt: Attempt) -> Set<ContactID> {
        attempt.address.map { traces.contacts(of: $0).union(tags.contacts(of: $0)) } ?? []
    }

    /// The times when planned readings are due, or lapse because their address was not heard again.
    var readingMoments: [Tick] {
        readings.flatMap { address, reading in
            [reading.due] + [addresses[address].map { $0.last.advanced(byMilliseconds: gap) }].compactMap { $0 }
        }
    }

    /// Removes traces and tags one epoch after their window closed. Returns the contacts that lose evidence.
    mutating func expire(at now: Tick, windowEnd: (Epoch) -> Tick) -> Set<ContactID> {
        guard let expiry, expiry <= now else { return [] }
        let contacts = traces.forget { windowEnd($0.next ?? $0) <= now }.union(
            tags.forget { windowEnd($0.next ?? $0) <= now })
        setExpiry(windowEnd)
        return contacts
    }

    /// Updates `expiry`.
    mutating func setExpiry(_ windowEnd: (Epoch) -> Tick) {
        expiry = [traces.firstEpoch, tags.firstEpoch].compactMap { $0 }.min().map { windowEnd($0.next ?? $0) }
    }

    /// Records that an attempt of this device has confirmed its contact.
    mutating func confirmed(_ attempt: Attempt) {
        if let address = attempt.address {
            proven.insert(address, attempt.prediction.contact, attempt.prediction.epoch)
        }
    }

    // MARK: Connections

    /// Whether this address may be used on this ground: no attempt has used it in this epoch of the observer, except
    /// earlier ones of the same contact when this one is a repeat.
    func mayAttempt(
        _ address: DeviceAddress, _ ground: PlannedAttempt.Ground, _ contact: ContactID, isRepeat: Bool
    ) -> Bool {
        guard let call = calls[ground == .tag ? .byTag(address) : .byMinor(address)] else { return true }
        return isRepeat && call.contact == contact
    }

    mutating func noteAttempt(_ attempt: Attempt) {
        let contact = attempt.prediction.contact
        switch attempt.value {
        case .name: break
        case .tag(_, let address): note(.byTag(address), of: contact)
        case .minor(_, let address): note(.byMinor(address), of: contact)
        }
    }

    private mutating func note(_ call: Call, of contact: ContactID?) {
        calls[call] = (contact, (calls[call]?.count ?? 0) + 1)
    }

    /// Whether the tag at an address was read, or began to be read, in this epoch of the observer.
    func isRead(_ address: DeviceAddress) -> Bool { readingCount(of: address) > 0 }

    /// Returns how often the reading of the tag at an address began in this epoch of the observer.
    func readingCount(of address: DeviceAddress) -> Int { calls[.reading(address)]?.count ?? 0 }

    /// Whether the tag at an address may be read: the address was heard twice, at least `steadyAfter` ms apart.
    func isCallable(_ address: DeviceAddress, steadyAfter: UInt64) -> Bool {
        addresses[address]?.isSteady(steadyAfter) ?? false
    }

    mutating func noteReading(_ address: DeviceAddress) {
        note(.reading(address), of: nil)
        readings[address] = nil
    }

    /// Drops the planned readings of addresses that are no longer present, and all repeats except those of one epoch.
    mutating func dropReadings(at now: Tick, exceptRepeatsOf epoch: Epoch?) {
        readings = readings.filter { address, reading in
            (!reading.isRepeat || reading.failedIn == epoch)
                && addresses[address].map { isCallable($0.last, at: now) } ?? false
        }
    }
}
