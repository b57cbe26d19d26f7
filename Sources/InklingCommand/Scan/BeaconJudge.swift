import InklingEngine
import InklingKeys
import InklingMatching

/// Says of a beacon whose it may be, by its minor and the time at which it was heard.
///
/// A minor has 16 bits and anybody can show it, so that it is evidence and never an identity.
struct BeaconJudge {
    /// Whose a beacon may be.
    enum Kind: Hashable {
        /// It shows a minor of this node itself.
        case own
        /// It shows a minor that these contacts are expected to show.
        case contacts([String])
        /// No contact is expected to show its minor.
        case stranger
    }

    /// What is said of a beacon.
    struct Judgement: Hashable {
        let kind: Kind
        /// The chance that a stranger shows the minor of a contact, 0 to 1.
        let byChance: Double
    }

    private let contacts: PredictionSource?
    private let own: PredictionSource?
    private var contactMatcher = Matcher(skew: .standard)
    private var ownMatcher = Matcher(skew: .standard)

    /// Creates a judge; without sources everyone is a stranger.
    init(contacts: PredictionSource? = nil, own: PredictionSource? = nil) {
        self.contacts = contacts
        self.own = own
    }

    /// Judges a beacon.
    ///
    /// - Throws: `Failure` when the running node that has the predictions has stopped.
    mutating func judge(_ beacon: BeaconSighting) throws(Failure) -> Judgement {
        let sighting = Sighting(observed: beacon.observed, name: nil, minor: beacon.minor)
        if let own, try !Self.match(sighting, &ownMatcher, own).byMinor.isEmpty {
            return Judgement(kind: .own, byChance: 0)
        }
        guard let contacts else { return Judgement(kind: .stranger, byChance: 0) }
        let match = try Self.match(sighting, &contactMatcher, contacts)
        var names: [String] = []
        for owner in match.byMinor where !names.contains(contacts.labels[owner.contact]) {
            names.append(contacts.labels[owner.contact])
        }
        return Judgement(
            kind: names.isEmpty ? .stranger : .contacts(names), byChance: min(1, match.byChance))
    }

    private static func match(
        _ sighting: Sighting, _ matcher: inout Matcher, _ source: PredictionSource
    ) throws(Failure) -> Matcher.Answer {
        try matcher.match(sighting) { (period: Period) throws(Failure) in
            let first = period.firstEpoch
            guard let last = Epoch(first.number + 3) else { return [] }
            var entries: [Forecast.Entry] = []
            try source.forEach(in: first...last) { entries += $1 }
            return entries
        }
    }
}
