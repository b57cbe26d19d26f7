import InklingEngine
import InklingKeys
import InklingNode

/// Where predictions come from: keys in this process, or the node that runs in a home, which keeps its keys.
///
/// The number of an entry's contact is its place among `labels`.
final class PredictionSource {
    private enum Place {
        case keys(Forecast)
        case node(home: String)
    }

    private let place: Place
    /// What the contacts are called; no two the same.
    private(set) var labels: [String]
    private var places: [String: Int] = [:]

    /// Creates a source from keys.
    init(_ contacts: [(label: String, grants: [HeldGrant])]) {
        labels = contacts.map(\.label)
        place = .keys(
            Forecast(
                of: contacts.enumerated().map { number, contact in
                    PredictedContact(ContactID(rawValue: UInt32(number)), grants: contact.grants)
                }))
    }

    /// Creates a source that asks the node that runs in a home.
    init(nodeIn home: String) {
        labels = []
        place = .node(home: home)
    }

    /// Creates a source from the contacts of an unlocked vault.
    convenience init(_ contacts: [RecognisableContact]) {
        self.init(zip(Self.labels(of: contacts), contacts).map { ($0, $1.predicted.grants) })
    }

    /// Computes, or asks for, the entries of these epochs and passes them to `body`, an epoch at a time.
    func forEach(
        in epochs: ClosedRange<Epoch>, _ body: (Epoch, [Forecast.Entry]) throws(Failure) -> Void
    ) throws(Failure) {
        switch place {
        case .keys(let forecast):
            for (epoch, entries) in forecast.epochs(epochs) { try body(epoch, entries) }
        case .node(let home):
            var first = epochs.lowerBound
            while first <= epochs.upperBound {
                let last = min(
                    Epoch(first.number + ControlRequest.predictionLimit - 1) ?? epochs.upperBound, epochs.upperBound)
                for (epoch, entries) in try ask(home, from: first, to: last) { try body(epoch, entries) }
                guard let next = last.next else { return }
                first = next
            }
        }
    }

    /// How many entries these epochs have; nil when only the running node knows.
    func count(in epochs: ClosedRange<Epoch>) -> Int? {
        guard case .keys(let forecast) = place else { return nil }
        return forecast.count(in: epochs)
    }

    private func ask(
        _ home: String, from: Epoch, to: Epoch
    ) throws(Failure) -> [(epoch: Epoch, entries: [Forecast.Entry])] {
        guard let connection = try ControlSocket.connect(home: home) else {
            throw Failure(.unavailable, "the node in \(home) has stopped", remedy: "Try again.")
        }
        var epochs = (from.number...to.number).compactMap { Epoch($0) }.map { (epoch: $0, entries: [Forecast.Entry]()) }
        var isUnderstood = true
        try connection.carryOut(.predictions(from: from, through: to)) { fact in
            guard case .prediction(let prediction) = fact, (from.number...to.number).contains(prediction.epoch),
                let entry = prediction.entry(of: self.places[prediction.contact] ?? self.adopt(prediction.contact))
            else {
                isUnderstood = false
                return
            }
            epochs[Int(prediction.epoch - from.number)].entries.append(entry)
        }
        guard isUnderstood else {
            throw Failure(.unavailable, "the node in \(home) is of another version", remedy: "Restart it.")
        }
        return epochs
    }

    private func adopt(_ label: String) -> Int {
        labels.append(label)
        places[label] = labels.count - 1
        return labels.count - 1
    }

    /// The contacts' names, with the beginning of the id behind those that several have.
    static func labels(of contacts: [RecognisableContact]) -> [String] {
        let counts = Dictionary(contacts.map { ($0.name, 1) }, uniquingKeysWith: +)
        return contacts.map { contact in
            counts[contact.name] == 1 ? contact.name : "\(contact.name) (\(contact.user.octets.description.prefix(8)))"
        }
    }
}

extension Forecast.Entry {
    /// The same values, as those of the contact with this number. Nothing says under which audience a value is shown, and
    /// that matters only to holders of its keys.
    func belonging(to contact: Int) -> Forecast.Entry {
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: contact)), device: self.prediction.device,
            audience: .granted(0), epoch: self.prediction.epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: minor)
    }
}
