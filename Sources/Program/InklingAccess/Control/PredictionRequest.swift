package import InklingEngine
package import InklingKeys

/// A request for the values, not the keys, that the contacts or, with `own`, the node itself will show. The node reports
/// them as `PredictionFact`s.
package struct PredictionRequest: ControlRequest, Decodable {
    package static let name = "predictions", omitted: Set = ["own"]
    /// The maximum number of epochs: two days.
    package static let limit: UInt32 = 192

    private let from, to: UInt32
    package let own: Bool?

    package init(_ epochs: ClosedRange<Epoch>, own: Bool = false) {
        (from, to) = (epochs.lowerBound.number, epochs.upperBound.number)
        self.own = own ? true : nil
    }

    /// Returns the last epoch that a request from this one on may have, up to a last one.
    package static func end(from first: Epoch, through last: Epoch) -> Epoch {
        min(Epoch(first.number + limit - 1) ?? last, last)
    }

    /// The epochs; nil when they are none or too many.
    package var epochs: ClosedRange<Epoch>? {
        guard let first = Epoch(from), let last = Epoch(to), first <= last, to - from < Self.limit else { return nil }
        return first...last
    }
}

/// The values of a contact, or of this node itself, in an epoch.
package struct PredictionFact: NodeFact, Hashable {
    package static let kind = "prediction"

    package let epoch: UInt32
    /// Empty for this node itself.
    package let contact: String
    package let device: UInt8
    package let name: String
    package let minor: UInt16
    /// Whether this node itself shows it.
    package let own: Bool

    package init(_ entry: Forecast.Entry, of contact: String, own: Bool = false) {
        epoch = entry.prediction.epoch.number
        self.contact = contact
        device = entry.prediction.device.number
        name = entry.name.description
        minor = entry.minor.value
        self.own = own
    }

    /// Returns the entry for a contact with this number; nil when a value is out of range.
    package func entry(of number: Int) -> Forecast.Entry? {
        guard let epoch = Epoch(epoch), let device = DeviceIndex(device),
            let name = OpaqueServiceName(parsing: Array(name.utf8).span)
        else { return nil }
        // The fact does not name the audience, which matters only to a holder of its keys.
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(clamping: number)), device: device, audience: .granted(0), epoch: epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: BeaconMinor(minor))
    }
}
