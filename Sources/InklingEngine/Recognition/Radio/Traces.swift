internal import InklingKeys

/// The traces of all minors that contacts may show, at most so many.
struct Traces: Sendable {
    private var byMinor: [BeaconMinor: [Trace]] = [:]
    private var minorsOfContact: [ContactID: Set<BeaconMinor>] = [:]
    private var minorsOfAddress: [DeviceAddress: Set<BeaconMinor>] = [:]
    private(set) var count = 0

    /// The traces of a minor, by epoch.
    func of(_ minor: BeaconMinor) -> [Trace] { byMinor[minor] ?? [] }

    /// The traces that may be a contact's, in the order in which they were heard last, then of epoch and minor.
    func of(_ contact: ContactID) -> [Trace] {
        guard let minors = minorsOfContact[contact] else { return [] }
        let traces = minors.flatMap { of($0).filter { $0.mayBe(of: contact) } }
        return traces.count < 2
            ? traces : traces.sorted { ($0.last, $0.epoch, $0.minor.value) < ($1.last, $1.epoch, $1.minor.value) }
    }

    /// The contacts that may have shown a minor.
    func contacts(of minor: BeaconMinor) -> Set<ContactID> {
        Set(of(minor).flatMap { $0.predictions.map(\.contact) })
    }

    /// The contacts that an address may be.
    func contacts(of address: DeviceAddress) -> Set<ContactID> {
        (minorsOfAddress[address] ?? []).reduce(into: []) { $0.formUnion(contacts(of: $1)) }
    }

    /// Everybody who may have shown something.
    var contacts: [ContactID] { Array(minorsOfContact.keys) }

    /// Whether nobody but this contact may have shown a trace: not in its epoch, and not in another in which the same
    /// address showed the same minor.
    func isOwn(_ trace: Trace, of contact: ContactID) -> Bool {
        trace.isOwn(of: contact)
            && of(trace.minor).allSatisfy { other in
                other.isOwn(of: contact)
                    || !trace.sources.contains { source in other.sources.contains { $0.address == source.address } }
            }
    }

    /// Adds a sighting to the trace of a minor and an epoch.
    ///
    /// - Returns: the trace, if this sighting has made it contested.
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

    /// Takes away what an address showed.
    mutating func forget(_ address: DeviceAddress) {
        for minor in minorsOfAddress.removeValue(forKey: address) ?? [] {
            change(minor) { $0.forget(address) }
        }
    }

    /// Takes away what may be a contact's only.
    mutating func forget(_ contact: ContactID) {
        for minor in minorsOfContact.removeValue(forKey: contact) ?? [] {
            change(minor) { trace in trace.predictions.removeAll { $0.contact == contact } }
        }
    }

    /// Takes away the traces of epochs that do not matter any more; answers whose they may have been.
    mutating func forget(where isOver: (Epoch) -> Bool) -> Set<ContactID> {
        var contacts: Set<ContactID> = []
        for (minor, traces) in byMinor where traces.contains(where: { isOver($0.epoch) }) {
            contacts.formUnion(self.contacts(of: minor))
            change(minor) { if isOver($0.epoch) { $0.predictions = [] } }
        }
        return contacts
    }

    /// The earliest epoch of a trace.
    var firstEpoch: Epoch? { byMinor.values.compactMap { $0.first?.epoch }.min() }

    private mutating func change(_ minor: BeaconMinor, _ body: (inout Trace) -> Void) {
        guard var traces = byMinor[minor] else { return }
        let before = traces
        for place in traces.indices { body(&traces[place]) }
        traces.removeAll { $0.sources.isEmpty || $0.predictions.isEmpty }
        count -= before.count - traces.count
        byMinor[minor] = traces.isEmpty ? nil : traces
        // Who is in no trace of this minor any more is not to be found by it.
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

    /// Gives up the minor that was heard at one moment only, longest ago: what a flood leaves behind.
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
