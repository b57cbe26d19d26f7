import InklingEngine
import InklingKeys
import InklingMatching
import InklingPredictions
import InklingTerminal

/// A judge of whose a beacon may be, by its minor and the time at which it was heard.
///
/// A minor has 16 bits and anyone can show it, so that it is evidence and never an identity.
struct BeaconJudge {
    /// The possible owners of a beacon.
    enum Kind: Hashable {
        /// It shows a minor of this node itself.
        case own
        /// It shows a minor that these contacts are expected to show.
        case contacts([String])
        /// No contact is expected to show its minor.
        case stranger
    }

    /// The judgement of a beacon.
    struct Judgement: Hashable {
        let kind: Kind
        /// The chance that a stranger shows the minor of a contact, 0 to 1.
        let byChance: Double
    }

    private let contacts: PredictionSource?
    private let contactMatcher: Matcher?
    private let ownMatcher: Matcher?

    /// Creates a judge; without sources every beacon is a stranger's.
    init(contacts: PredictionSource? = nil, own: PredictionSource? = nil) {
        self.contacts = contacts
        contactMatcher = contacts?.matcher(skew: .standard)
        ownMatcher = own?.matcher(skew: .standard)
    }

    /// Judges a beacon.
    ///
    /// - Throws: `Failure` when the running node that has the predictions has stopped.
    func judge(_ beacon: BeaconSighting) throws(Failure) -> Judgement {
        let sighting = Sighting(observed: beacon.observed, name: nil, minor: beacon.minor)
        if let ownMatcher, try !ownMatcher.answer(to: sighting).byMinor.isEmpty {
            return Judgement(kind: .own, byChance: 0)
        }
        guard let contacts, let contactMatcher else { return Judgement(kind: .stranger, byChance: 0) }
        let match = try contactMatcher.answer(to: sighting)
        var names: [String] = []
        for owner in match.byMinor where !names.contains(contacts.labels[owner.contact]) {
            names.append(contacts.labels[owner.contact])
        }
        return Judgement(
            kind: names.isEmpty ? .stranger : .contacts(names), byChance: min(1, match.byChance))
    }
}
