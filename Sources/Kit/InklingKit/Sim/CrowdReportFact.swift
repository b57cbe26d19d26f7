import InklingEngine
import InklingSimulation

/// The report of a simulation, as the JSON object of `inkling-kit sim --json`.
struct CrowdReportFact: Encodable {
    let contacts: Int
    let strangers: Int
    let minutes: Int
    let seed: UInt64
    let replayers: Int
    let spoofers: Int
    let sightings: Int
    /// Stays of a minute or more, of which `confirmed` were confirmed and `missed` were not.
    let visits: Int
    let confirmed: Int
    let missed: Int
    /// The seconds from the start of a stay within which half of the stays, and 95 %, were confirmed; null without one.
    let delayMedian: Double?
    let delay95: Double?
    let falseConfirmations: Int
    /// The seconds during which an absent contact counted as present.
    let falsePresence: Double
    let falseHints: Int
    let strangersMinors: Int
    let falseFriends: Int
    let falseFriendsExpected: Double
    let contested: Int
    let replaysInTime: Int
    let replaysTooLate: Int
    let replaysNoticed: Int
    let tries: Int
    let wastedTries: Int
    let triesInWorstMinute: Int

    init(_ report: CrowdReport, of settings: CrowdSettings) {
        contacts = settings.contacts
        strangers = settings.strangers
        minutes = settings.minutes
        seed = settings.seed
        replayers = settings.replayers
        spoofers = settings.spoofers
        sightings = report.sightings
        visits = report.longVisits.count
        confirmed = report.longVisits.count - report.missed
        missed = report.missed
        delayMedian = report.delay(ofPart: 0.5).map(seconds)
        delay95 = report.delay(ofPart: 0.95).map(seconds)
        falseConfirmations = report.falseConfirmations
        falsePresence = seconds(report.falsePresence)
        falseHints = report.falseHints
        strangersMinors = report.strangersMinors
        falseFriends = report.falseFriends
        falseFriendsExpected = report.falseFriendsExpected
        contested = report.contested
        replaysInTime = report.replaysInTime
        replaysTooLate = report.replaysTooLate
        replaysNoticed = report.replaysNoticed
        tries = report.tries.count
        wastedTries = report.wastedTries
        triesInWorstMinute = report.triesInWorstMinute
    }
}

/// One line of `inkling-kit sim --stream`. A sighting is a line that `inkling-kit match` reads; every other line has a member
/// `event`. Times are Unix seconds.
enum CrowdStreamFact: Encodable {
    /// The engine changed the state of a contact.
    case presence(time: Double, contact: String, presence: String)
    /// The engine tried a handshake, with the contact's own device or with another.
    case attempt(time: Double, contact: String, isGenuine: Bool)
    case sighting(CrowdSightingFact)
    case report(CrowdReportFact)

    private enum CodingKeys: String, CodingKey { case event, time, contact, presence, genuine, report }
    private enum Event: String, Encodable {
        case presence, report
        case attempt = "try"
    }

    /// Creates the line of an event in a simulation that begins at `start`; nil for an event without a line.
    init?(_ news: Crowd.News, start: UInt64) {
        func time(_ milliseconds: UInt64) -> Double { seconds(start * 1000 + milliseconds) }
        switch news {
        case .minute: return nil
        case .changed(let change):
            self = .presence(
                time: time(change.at), contact: "contact \(change.contact + 1)", presence: change.state.word)
        case .tried(let one):
            self = .attempt(time: time(one.at), contact: "contact \(one.contact + 1)", isGenuine: one.isGenuine)
        case .sighting(let sighting): self = .sighting(CrowdSightingFact(sighting))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if case .sighting(let sighting) = self { return try sighting.encode(to: encoder) }
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .presence(let time, let contact, let presence):
            try members.encode(Event.presence, forKey: .event)
            try members.encode(time, forKey: .time)
            try members.encode(contact, forKey: .contact)
            try members.encode(presence, forKey: .presence)
        case .attempt(let time, let contact, let isGenuine):
            try members.encode(Event.attempt, forKey: .event)
            try members.encode(time, forKey: .time)
            try members.encode(contact, forKey: .contact)
            try members.encode(isGenuine, forKey: .genuine)
        case .report(let report):
            try members.encode(Event.report, forKey: .event)
            try members.encode(report, forKey: .report)
        case .sighting: break
        }
    }
}

/// A sighting of the simulated observer. Members without a value are omitted, as in the logs that `inkling-kit match`
/// reads.
struct CrowdSightingFact: Encodable {
    private enum Event: String, Encodable { case vanished }

    let time: Double
    /// The time at which the sighting was reported; nil if at once.
    let reported: Double?
    let minor: UInt16?
    // A name that vanished is not a sighting, so that line has an event.
    private let event: Event?
    let name: String?
    /// The address, 12 hexadecimal digits.
    let address: String
    /// The received power in dBm; nil on the local network.
    let rssi: Int?

    init(_ sighting: CrowdSighting) {
        time = seconds(sighting.observed)
        reported = sighting.reported == sighting.observed ? nil : seconds(sighting.reported)
        switch sighting.value {
        case .minor(let minor): (self.minor, event, name) = (minor, nil, nil)
        case .name(let name, let isThere): (minor, event, self.name) = (nil, isThere ? nil : .vanished, name)
        }
        let digits = String(sighting.address, radix: 16)
        address = String(repeating: "0", count: 12 - digits.count) + digits
        rssi = sighting.rssi
    }

    private enum CodingKeys: String, CodingKey { case time, reported, minor, event, name, address, rssi }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(time, forKey: .time)
        if let reported { try members.encode(reported, forKey: .reported) }
        if let minor { try members.encode(minor, forKey: .minor) }
        if let event { try members.encode(event, forKey: .event) }
        if let name { try members.encode(name, forKey: .name) }
        try members.encode(address, forKey: .address)
        if let rssi { try members.encode(rssi, forKey: .rssi) }
    }
}

private func seconds(_ milliseconds: UInt64) -> Double { Double(milliseconds) / 1000 }
