import InklingEngine
import InklingKeys
import InklingTerminal

// The facts of `inkling scan`. Addresses and minors are shown only when a person asks for them: a list of them links
// the devices of strangers to a time and a place.

/// A beacon that was heard for the first time.
struct BeaconFact: Encodable, Hashable {
    /// `contact`, `stranger` or `own`.
    let beacon: String
    /// The contacts that it may be.
    let contacts: [String]
    /// The received power in dBm; null when it was not measured.
    let rssi: Int?
    /// The time at which it was first heard, RFC 3339 in UTC.
    let time: String
    /// Null unless addresses were asked for.
    let minor: UInt16?
    /// Null unless addresses were asked for.
    let address: String?

    init(_ beacon: ScanTally.Beacon, withAddress: Bool) {
        switch beacon.judgement.kind {
        case .own: (self.beacon, contacts) = ("own", [])
        case .contacts(let names): (self.beacon, contacts) = ("contact", names)
        case .stranger: (self.beacon, contacts) = ("stranger", [])
        }
        rssi = beacon.rssi.map(Int.init)
        time = timestamp(beacon.first)
        minor = withAddress ? beacon.minor.value : nil
        address = withAddress ? beacon.address.description : nil
    }

    /// The human-readable line.
    var text: String {
        let who =
            beacon == "contact"
            ? "may be \(contacts.map(printable).joined(separator: " or "))"
            : beacon == "own" ? "this node" : "a stranger"
        let values = address.map { "minor \(padded("\(minor ?? 0)", to: 7))address \($0)  " } ?? ""
        return "\(time)  \(padded(power(rssi), to: 10))\(values)\(who)\n"
    }
}

/// The totals of a scan.
struct ScanFact: Encodable, Hashable {
    /// A contact that may be near: a minor that it is expected to show was heard.
    struct Contact: Encodable, Hashable {
        let contact: String
        /// The strongest received power in dBm; null when it was not measured.
        let rssi: Int?
        let sightings: Int
        /// The number of beacons that showed a minor of the contact; more than one for each device means copies or
        /// chance.
        let beacons: Int
    }

    /// The duration of the scan in seconds.
    let seconds: UInt64
    /// Whether the adapter sent scan requests.
    let active: Bool
    /// Whether contacts could be recognised at all.
    let recognises: Bool
    let contacts: [Contact]
    let strangers: Int
    let own: Int
    /// The number of iPhones that showed the service's bit in the overflow area; other apps set the same bit.
    let phones: Int
    /// The expected number of strangers' beacons, among those heard, that look like a contact by chance.
    let expectedByChance: Double
    /// The number of reports of beacons beyond the limit of the table.
    let unlisted: Int

    init(_ tally: ScanTally, seconds: UInt64, active: Bool, recognises: Bool) {
        self.seconds = seconds
        self.active = active
        self.recognises = recognises
        var found: [String: Contact] = [:]
        var order: [String] = []
        var (strangers, own) = (0, 0)
        var expected = 0.0
        for beacon in tally.beacons {
            expected += beacon.judgement.byChance
            switch beacon.judgement.kind {
            case .own: own += 1
            case .stranger: strangers += 1
            case .contacts(let names):
                for name in names {
                    if found[name] == nil { order.append(name) }
                    let rssi = [found[name]?.rssi, beacon.rssi.map(Int.init)].compactMap(\.self).max()
                    found[name] = Contact(
                        contact: name, rssi: rssi, sightings: (found[name]?.sightings ?? 0) + beacon.sightings,
                        beacons: (found[name]?.beacons ?? 0) + 1)
                }
            }
        }
        contacts = order.compactMap { found[$0] }
        self.strangers = strangers
        self.own = own
        phones = tally.phoneCount
        expectedByChance = expected
        unlisted = tally.unlisted
    }

    /// The progress in one line.
    var progress: String {
        (recognises ? "\(plural(contacts.count, "contact")) may be near, " : "") + plural(strangers, "stranger")
    }

    /// The human-readable lines.
    var text: String {
        var lines = "scanned    \(seconds) s, \(active ? "actively" : "passively")\n"
        if recognises {
            let chance =
                expectedByChance > 0 ? "; \(figure(expectedByChance)) expected to look like one by chance" : ""
            lines += "contacts   \(contacts.count) may be near\(chance)\n"
            for contact in contacts {
                let copies = contact.beacons > 1 ? ", \(contact.beacons) beacons" : ""
                lines += "  \(padded(printable(contact.contact), to: 24))\(padded(power(contact.rssi), to: 10))"
                lines += "\(plural(contact.sightings, "sighting"))\(copies)\n"
            }
        } else {
            lines += "contacts   not recognised without a home\n"
        }
        lines += "strangers  \(strangers)\n"
        if own > 0 { lines += "own        \(own)\n" }
        if phones > 0 { lines += "iPhones    \(phones) with an Inkling app, or another app that sets the same bit\n" }
        if unlisted > 0 { lines += "unlisted   \(plural(unlisted, "report")) of further beacons\n" }
        return lines
    }
}

private func power(_ rssi: Int?) -> String { rssi.map { "\($0) dBm" } ?? "? dBm" }
