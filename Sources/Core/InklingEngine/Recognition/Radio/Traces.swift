internal import InklingKeys

/// The traces of all minors that contacts are expected to show, up to a limit.
struct Traces: Sendable {
    private var byMinor: [BeaconMinor: [Trace]] = [:]
    private var minorsOfContact: [ContactID: Set<BeaconMinor>] = [:]
    private var minorsOfAddress: [DeviceAddress: Set<BeaconMinor>] = [:]
    private(set) var count = 0

    /// Returns the traces of a minor, ordered by epoch.
    func of(_ minor: BeaconMinor) -> [Trace] { byMinor[minor] ?? [] }

    /// Returns the traces that may belong to a contact, ordered by the time of their last sighting, then by epoch and
    /// minor.
    func of(_ contact: ContactID) -> [Trace] {
        guard let minors = minorsOfContact[contact] else { return [] }
        let traces = minors.flatMap { of($0).filter { $0.mayBe(of: contact) } }
        return traces.count < 2
            ? traces : traces.sorted { ($0.last, $0.epoch, $0.minor.value) < ($1.last, $1.epoch, $1.minor.value) }
    }

    /// Returns the contacts that are expected to show a minor in the epoch of one of its traces.
    func contacts(of minor: BeaconMinor) -> Set<ContactID> {
        Set(of(minor).flatMap { $0.predictions.map(\.contact) })
    }

    /// Returns the contacts that may be at an address.
    func contacts(of address: DeviceAddress) -> Set<ContactID> {
        (minorsOfAddress[address] ?? []).reduce(into: []) { $0.formUnion(contacts(of: $1)) }
    }

    /// The contacts to which any trace may belong.
    var contacts: [ContactID] { Array(minorsOfContact.keys) }

    /// Whether a trace can belong to this contact only: no other contact is expected to show the minor in the trace's
    /// epoch, or in another epoch to which a sighting at the same address may belong.
    func isOwn(_ trace: Trace, of contact: ContactID) -> Bool {
        trace.isOwn(of: contact)
            && of(trace.minor).allSatisfy { other in
                other.isOwn(of: contact)
                    || !trace.sources.contains { source in other.sources.contains { $0.address == source.address } }
            }
    }

    /// Adds a sighting to the trace of a minor and an epoch.
    ///
    /// - Returns: the trace if this sighting makes it contested, else nil.
    mutating func hear(
        _ sighting: BeaconSighting, as predictions: [Prediction], first: Tick, last: Tick, strangers: UInt64, limit: Int
    ) -> Trace? {
        guard let epoch = predictions.first?.epoch else { return nil }
        let (minor, address) = (sighting.minor, sighting.address)
        var traces = of(minor)
        var trace: Trace
        if let place = traces.firstIndex(where: { $0.epoch == epoch }) {
            trace = traces.remove(at: place)
        } else {
            guard count < limit || makeRoom() else { return nil }
            traces = of(minor)
            trace = Trace(minor, epoch, predictions)
            count += 1
        }
        trace.predictions = predictions
        trace.strangers = strangers
        let isContestedNow = trace.hear(address, first: first, last: last, rssi: sighting.rssi)
        traces.insert(trace, at: traces.firstIndex { $0.epoch > epoch } ?? traces.endIndex)
        byMinor[minor] = traces
        for prediction in predictions { minorsOfContact[prediction.contact, default: []].insert(minor) }
        minorsOfAddress[address, default: []].insert(minor)
        return isContestedNow ? trace : nil
    }

    /// Removes the sightings of an address.
    mutating func forget(_ address: DeviceAddress) {
        for minor in minorsOfAddress.removeValue(forKey: address) ?? [] {
            change(minor) { $0.forget(address) }
        }
    }

    /// Removes the predictions of a contact, and traces that are left without predictions.
    mutating func forget(_ contact: ContactID) {
        for minor in minorsOfContact.removeValue(forKey: contact) ?? [] {
            change(minor) { trace in trace.predictions.removeAll { $0.contact == contact } }
        }
    }

    /// Removes the traces of expired epochs. Returns the contacts that are expected to show one of their minors.
    mutating func forget(where isOver: (Epoch) -> Bool) -> Set<ContactID> {
        var contacts: Set<ContactID> = []
        for (minor, traces) in byMinor where traces.contains(where: { isOver($0.epoch) }) {
            contacts.formUnion(self.contacts(of: minor))
            change(minor) { if isOver($0.epoch) { $0.predictions = [] } }
        }
        return contacts
    }

    /// The earliest epoch of any trace.
    var firstEpoch: Epoch? { byMinor.values.compactMap { $0.first?.epoch }.min() }

    private mutating func change(_ minor: BeaconMinor, _ body: (inout Trace) -> Void) {
        guard var traces = byMinor[minor] else { return }
        let before = traces
        for place in traces.indices { body(&traces[place]) }
        traces.removeAll { $0.sources.isEmpty || $0.predictions.isEmpty }
        count -= before.count - traces.count
        byMinor[minor] = traces.isEmpty ? nil : traces
        // Contacts and addresses that are left without a trace of this minor are removed from the reverse indices.
        let contacts = Set(traces.flatMap { $0.predictions.map(\.contact) })
        for contact in Set(before.flatMap { $0.predictions.map(\.contact) }).subtracting(contacts) {
            minorsOfContact[contact]?.remove(minor)
            if minorsOfContact[contact]?.isEmpty == true { minorsOfContact[contact] = nil }
        }
        let addresses = Set(traces.flatMap { $0.sources.map(\.address) })
        for address in Set(before.flatMap { $0.sources.map(\.address) }).subtracting(addresses) {
            minorsOfAddress[address]?.remove(minor)
            if minorsOfAddress[address]?.isEmpty == true { minorsOfAddress[address] = nil }
        }
    }

    /// Removes the oldest minor whose traces were each heard at one moment only, as those of a flood are. Returns false
    /// if there is none.
    private mutating func makeRoom() -> Bool {
        var victim: (last: Tick, minor: BeaconMinor)?
        for (minor, traces) in byMinor {
            guard traces.allSatisfy({ $0.last <= $0.first }), let last = traces.map(\.last).max() else { continue }
            if let one = victim, (one.last, one.minor.value) < (last, minor.value) { continue }
            victim = (last, minor)
        }
        guard let victim else { return false }
        change(victim.minor) { $0.predictions = [] }
        return true
    }
}
