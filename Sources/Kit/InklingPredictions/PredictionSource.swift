package import InklingAccess
package import InklingEngine
package import InklingKeys
package import InklingMatching
package import InklingNode
package import InklingTerminal
import Synchronization

/// The source of predictions: keys in this process, or the node that runs in a home, which keeps its keys to itself.
///
/// The contact of an entry is an index into `labels`.
package final class PredictionSource: Sendable {
    private struct Labels {
        var texts: [String] = []
        var places: [String: Int] = [:]
    }

    private enum Place {
        case keys(Forecast)
        case node(ControlPlace, own: Bool)
    }

    private let place: Place
    private let known: Mutex<Labels>

    /// The names of the contacts; all differ. Those of a running node become known with its predictions.
    package var labels: [String] { known.withLock { $0.texts } }

    /// Creates a source from keys.
    package init(_ contacts: [(label: String, grants: [HeldGrant])]) {
        known = Mutex(Labels(texts: contacts.map(\.label)))
        place = .keys(
            Forecast(
                of: contacts.enumerated().map { number, contact in
                    PredictedContact(ContactID(rawValue: UInt32(number)), grants: contact.grants)
                }))
    }

    /// Creates a source that asks the running node of a home, for its contacts' values or for its own.
    package init(nodeAt place: ControlPlace, own: Bool = false) {
        known = Mutex(Labels())
        self.place = .node(place, own: own)
    }

    /// Creates a source from the contacts of an unlocked vault.
    package convenience init(_ contacts: [RecognisableContact]) {
        self.init(zip(Self.labels(of: contacts), contacts).map { ($0, $1.predicted.grants) })
    }

    /// Passes the entries of these epochs to `body`, one epoch at a time.
    ///
    /// - Throws: `Failure` when the running node stops, or has another version; the errors of `body`.
    package func forEach(
        in epochs: ClosedRange<Epoch>, _ body: (Epoch, [Forecast.Entry]) throws(Failure) -> Void
    ) throws(Failure) {
        switch place {
        case .keys(let forecast):
            for (epoch, entries) in forecast.epochs(epochs) { try body(epoch, entries) }
        case .node(let node, let own):
            var first = epochs.lowerBound
            while first <= epochs.upperBound {
                let last = PredictionRequest.end(from: first, through: epochs.upperBound)
                for (epoch, entries) in try ask(node, own: own, from: first, to: last) { try body(epoch, entries) }
                guard let next = last.next else { return }
                first = next
            }
        }
    }

    /// Returns the number of entries of these epochs; nil when only the running node knows it.
    package func count(in epochs: ClosedRange<Epoch>) -> Int? {
        guard case .keys(let forecast) = place else { return nil }
        return forecast.count(in: epochs)
    }

    private func ask(
        _ place: ControlPlace, own: Bool, from: Epoch, to: Epoch
    ) throws(Failure) -> [(epoch: Epoch, entries: [Forecast.Entry])] {
        guard let connection = try ControlSocket.connect(to: place) else {
            throw Failure(.unavailable, "the node in \(place.home) has stopped", remedy: "Try again.")
        }
        var epochs = (from.number...to.number).compactMap { Epoch($0) }.map { (epoch: $0, entries: [Forecast.Entry]()) }
        var isUnderstood = true
        try connection.carryOut(PredictionRequest(from...to, own: own)) { (prediction: PredictionFact) in
            guard (from.number...to.number).contains(prediction.epoch),
                prediction.own == own,
                let entry = prediction.entry(of: self.adopt(prediction.contact))
            else {
                isUnderstood = false
                return
            }
            epochs[Int(prediction.epoch - from.number)].entries.append(entry)
        }
        guard isUnderstood else {
            throw Failure(.unavailable, "the node in \(place.home) runs a different version", remedy: "Restart it.")
        }
        return epochs
    }

    /// Returns the number of a running node's contact, adding a new one.
    private func adopt(_ label: String) -> Int {
        known.withLock { known in
            if let place = known.places[label] { return place }
            known.texts.append(label)
            known.places[label] = known.texts.count - 1
            return known.texts.count - 1
        }
    }

    /// Returns the names of contacts, followed by the beginning of the id when several share a name.
    package static func labels(of contacts: [RecognisableContact]) -> [String] {
        let counts = Dictionary(contacts.map { ($0.name, 1) }, uniquingKeysWith: +)
        return contacts.map { contact in
            counts[contact.name] == 1 ? contact.name : "\(contact.name) (\(contact.user.octets.description.prefix(8)))"
        }
    }
}

extension PredictionSource {
    /// Returns a matcher that takes predictions from this source when they are needed. It throws `Failure`.
    package func matcher(skew: SkewAllowance) -> Matcher {
        Matcher(skew: skew) { period in
            let first = period.firstEpoch
            guard let last = Epoch(first.number + 3) else { return [] }
            var entries: [Forecast.Entry] = []
            try self.forEach(in: first...last) { entries += $1 }
            return entries
        }
    }
}

extension Matcher {
    /// Returns the devices that may have shown the values of one sighting.
    ///
    /// - Throws: `Failure` when the predictions cannot be computed.
    package func answer(to sighting: Sighting) throws(Failure) -> Answer {
        do { return try match(sighting) } catch {
            throw error as? Failure ?? Failure(.unavailable, "\(error)")
        }
    }
}

extension Forecast.Entry {
    /// Returns the same values for a contact with this number. The audience is not known here; it matters only to a
    /// holder of its keys.
    func belonging(to contact: Int) -> Forecast.Entry {
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: contact)), device: self.prediction.device,
            audience: .granted(0), epoch: self.prediction.epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: minor)
    }
}
