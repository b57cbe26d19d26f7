internal import InklingKeys

/// What was heard of one minor that contacts may show in one epoch (`Specs/recognition.md`).
struct Trace: Sendable {
    /// The addresses that showed it, and between which moments they certainly did.
    struct Source: Sendable {
        let address: DeviceAddress
        var first: Tick, last: Tick
        var strength: Int8

        /// Whether it was heard twice, at least `milliseconds` apart.
        func isSteady(_ milliseconds: UInt64) -> Bool {
            last >= first && last.milliseconds(since: first) >= milliseconds
        }
    }

    /// Addresses of one trace; a further one takes the place of that which was heard longest ago.
    static let sourceLimit = 8

    let minor: BeaconMinor
    let epoch: Epoch
    /// Whose it may be: contacts that are known, at least one.
    var predictions: [Prediction]
    private(set) var sources: [Source] = []
    /// Two addresses showed it at the same time.
    private(set) var isContested = false

    init(_ minor: BeaconMinor, _ epoch: Epoch, _ predictions: [Prediction]) {
        self.minor = minor
        self.epoch = epoch
        self.predictions = predictions
    }

    var first: Tick { sources.map(\.first).min() ?? Tick(milliseconds: 0) }
    var last: Tick { sources.map(\.last).max() ?? Tick(milliseconds: 0) }

    /// Whether this contact may show it.
    func mayBe(of contact: ContactID) -> Bool { predictions.contains { $0.contact == contact } }

    /// Whether nobody but this contact may show it in its epoch.
    func isOwn(of contact: ContactID) -> Bool { predictions.allSatisfy { $0.contact == contact } }

    /// Adds a sighting; answers whether it is the one that makes the trace contested.
    mutating func hear(_ address: DeviceAddress, first: Tick, last: Tick, strength: Int8) -> Bool {
        if let place = sources.firstIndex(where: { $0.address == address }) {
            sources[place].first = min(sources[place].first, first)
            sources[place].last = max(sources[place].last, last)
            sources[place].strength = max(sources[place].strength, strength)
        } else {
            if sources.count >= Self.sourceLimit,
                let oldest = sources.indices.min(by: { sources[$0].last < sources[$1].last })
            {
                sources.remove(at: oldest)
            }
            sources.append(Source(address: address, first: first, last: last, strength: strength))
        }
        guard !isContested, let one = sources.first(where: { $0.address == address }) else { return false }
        isContested = sources.contains { other in
            other.address != address && one.first <= other.last && other.first <= one.last
        }
        return isContested
    }

    /// Takes away what this address showed.
    mutating func forget(_ address: DeviceAddress) { sources.removeAll { $0.address == address } }
}

/// The traces of all minors that contacts may show, at most so many.
struct Traces: Sendable {
    /// In the order in which they began.
    private(set) var entries: [Trace] = []

    /// The traces of each contact.
    var byContact: [ContactID: [Trace]] {
        var traces: [ContactID: [Trace]] = [:]
        for trace in entries {
            for contact in Set(trace.predictions.map(\.contact)) { traces[contact, default: []].append(trace) }
        }
        return traces
    }

    /// Whether nobody but this contact may have shown it: not in the trace's epoch, and not in another in which the
    /// same address showed the same minor.
    func isOwn(_ trace: Trace, of contact: ContactID) -> Bool {
        trace.isOwn(of: contact)
            && entries.allSatisfy { other in
                other.minor != trace.minor || other.isOwn(of: contact)
                    || !trace.sources.contains { source in other.sources.contains { $0.address == source.address } }
            }
    }

    /// Adds a sighting to the trace of a minor and an epoch.
    ///
    /// - Returns: the trace, if this sighting has made it contested.
    mutating func hear(_ sighting: BeaconSighting, as predictions: [Prediction], first: Tick, last: Tick, limit: Int)
        -> Trace?
    {
        guard let epoch = predictions.first?.epoch else { return nil }
        var place = entries.firstIndex { $0.minor == sighting.minor && $0.epoch == epoch }
        if place == nil {
            if entries.count >= limit {
                // Heard at one moment only, longest ago: what a flood leaves behind.
                let passing = entries.indices.filter { entries[$0].last <= entries[$0].first }
                guard let victim = passing.min(by: { entries[$0].last < entries[$1].last }) else { return nil }
                entries.remove(at: victim)
            }
            entries.append(Trace(sighting.minor, epoch, predictions))
            place = entries.count - 1
        }
        guard let place else { return nil }
        entries[place].predictions = predictions
        let address = sighting.address
        return entries[place].hear(address, first: first, last: last, strength: sighting.strength)
            ? entries[place] : nil
    }

    /// Takes away what an address showed.
    mutating func forget(_ address: DeviceAddress) {
        for place in entries.indices { entries[place].forget(address) }
        entries.removeAll { $0.sources.isEmpty }
    }

    /// Takes away what may be a contact's only.
    mutating func forget(_ contact: ContactID) {
        for place in entries.indices { entries[place].predictions.removeAll { $0.contact == contact } }
        entries.removeAll { $0.predictions.isEmpty }
    }

    /// Takes away the traces of epochs that do not matter any more.
    mutating func forget(where isOver: (Epoch) -> Bool) { entries.removeAll { isOver($0.epoch) } }
}
