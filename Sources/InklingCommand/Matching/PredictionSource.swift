import InklingEngine
import InklingJSON
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

    /// The most epochs that are asked of a running node at once: two days.
    static let requestLimit = 192

    private let place: Place
    /// What the contacts are called, each differently.
    private(set) var labels: [String]
    private var places: [String: Int] = [:]

    /// The contacts of somebody who holds their keys.
    init(_ contacts: [(label: String, grants: [HeldGrant])]) {
        labels = contacts.map(\.label)
        place = .keys(
            Forecast(
                of: contacts.enumerated().map { number, contact in
                    PredictedContact(ContactID(rawValue: UInt32(number)), grants: contact.grants)
                }))
    }

    /// The contacts of the node that runs in a home.
    init(nodeIn home: String) {
        labels = []
        place = .node(home: home)
    }

    /// The contacts of an unlocked vault.
    convenience init(_ contacts: [RecognisableContact]) {
        self.init(zip(Self.labels(of: contacts), contacts).map { ($0, $1.predicted.grants) })
    }

    /// Computes, or asks for, the entries of these epochs and hands them on, an epoch at a time.
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
                    Epoch(first.number + UInt32(Self.requestLimit) - 1) ?? epochs.upperBound, epochs.upperBound)
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
        guard let connection = ControlSocket.connect(home: home) else {
            throw Failure(.unavailable, "the node in \(home) has stopped", remedy: "Do it again.")
        }
        var epochs = (from.number...to.number).compactMap { Epoch($0) }.map { (epoch: $0, entries: [Forecast.Entry]()) }
        var isUnderstood = true
        let request: JSONObject = [
            "do": "predictions", "from": .integer(from.number), "to": .integer(to.number),
        ]
        try connection.carryOut(request) { fact in
            guard let row = PredictedRow(fact), (from...to).contains(row.epoch), let label = fact["contact"]?.text
            else {
                isUnderstood = false
                return
            }
            let number = self.places[label] ?? self.adopt(label)
            epochs[Int(row.epoch.number - from.number)].entries.append(row.entry(of: number))
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

/// One prediction as it stands on a line of JSON: of a table (`Specs/matching.md`), or from a running node.
struct PredictedRow {
    let epoch: Epoch
    let device: DeviceIndex
    let name: OpaqueServiceName
    let minor: BeaconMinor

    init(_ entry: Forecast.Entry) {
        epoch = entry.prediction.epoch
        device = entry.prediction.device
        name = entry.name
        minor = entry.minor
    }

    /// Reads the members; nil when one is missing or out of range.
    init?(_ object: JSONObject) {
        guard let epoch = object["epoch"]?.integer.flatMap({ UInt32(exactly: $0) }).flatMap({ Epoch($0) }),
            let device = object["device"]?.integer.flatMap({ UInt8(exactly: $0) }).flatMap({ DeviceIndex($0) }),
            let name = object["name"]?.text.flatMap({ OpaqueServiceName($0) }),
            let minor = object["minor"]?.integer.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        self.epoch = epoch
        self.device = device
        self.name = name
        self.minor = BeaconMinor(minor)
    }

    /// The members, with whatever says whose it is in front.
    func facts(of contact: (name: String, value: JSON)) -> JSONObject {
        var facts: JSONObject = ["epoch": .integer(epoch.number)]
        facts[contact.name] = contact.value
        facts["device"] = .integer(device.number)
        facts["name"] = .text(name.description)
        facts["minor"] = .integer(minor.value)
        return facts
    }

    /// The entry of the contact with this number. Nothing says under which audience the value is shown, and nobody who
    /// has no keys needs to know.
    func entry(of contact: Int) -> Forecast.Entry {
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: contact)), device: device, audience: .granted(0), epoch: epoch
        )
        return Forecast.Entry(prediction: prediction, name: name, minor: minor)
    }
}
