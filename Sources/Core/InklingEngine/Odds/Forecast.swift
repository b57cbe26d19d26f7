public import InklingKeys

/// A forecast of the values that contacts will show, epoch by epoch, as far as their grants reach.
///
/// `PredictedTable` finds the predictions of a value that is seen now; a forecast lists all values of any range of
/// epochs.
public struct Forecast: Sendable {
    /// The values that one device of a contact is expected to show in one epoch.
    public struct Entry: Hashable, Sendable {
        /// The device, the audience and the epoch.
        public let prediction: Prediction
        /// The name, shown on the local network.
        public let name: OpaqueServiceName
        /// The minor, shown in the Bluetooth advertisement.
        public let minor: BeaconMinor

        /// Creates an entry.
        public init(prediction: Prediction, name: OpaqueServiceName, minor: BeaconMinor) {
            self.prediction = prediction
            self.name = name
            self.minor = minor
        }
    }

    private let contacts: [PredictedContact]

    /// Creates the forecast for these contacts.
    public init(of contacts: [PredictedContact]) { self.contacts = contacts }

    /// Returns the number of entries of these epochs, without deriving any values.
    public func count(in epochs: ClosedRange<Epoch>) -> Int {
        contacts.reduce(0) { sum, contact in
            contact.grants.reduce(sum) { sum, grant in
                guard let periods = grant.tree.value.interval else { return sum }
                // Signed, because the last period of the tree has no epoch after it.
                let first = max(Int(epochs.lowerBound.number), Int(periods.lowerBound) * 4)
                let last = min(Int(epochs.upperBound.number), Int(periods.upperBound) * 4 + 3)
                return sum + max(0, last - first + 1) * grant.devices.count
            }
        }
    }

    /// Returns a sequence of these epochs, each with its entries in the order of the contacts. Values are derived
    /// lazily, one period at a time.
    public func epochs(_ epochs: ClosedRange<Epoch>) -> Epochs { Epochs(of: contacts, in: epochs) }

    /// A lazy sequence of consecutive epochs with their entries.
    public struct Epochs: Sequence, IteratorProtocol, Sendable {
        private let contacts: [PredictedContact]
        private let epochs: ClosedRange<Epoch>
        private var period: Period?
        // The remaining epochs of the current period, in reverse order.
        private var pending: [(epoch: Epoch, entries: [Entry])] = []

        fileprivate init(of contacts: [PredictedContact], in epochs: ClosedRange<Epoch>) {
            self.contacts = contacts
            self.epochs = epochs
            period = epochs.lowerBound.period
        }

        public mutating func next() -> (epoch: Epoch, entries: [Entry])? {
            while pending.isEmpty {
                guard let period, period <= epochs.upperBound.period else { return nil }
                pending = Self.entries(of: contacts, in: period, epochs).reversed()
                self.period = period.next
            }
            return pending.popLast()
        }

        private static func entries(
            of contacts: [PredictedContact], in period: Period, _ epochs: ClosedRange<Epoch>
        ) -> [(epoch: Epoch, entries: [Entry])] {
            let first = period.firstEpoch.number
            var wanted: [(epoch: Epoch, entries: [Entry])] = (first..<first + 4).compactMap { Epoch($0) }
                .filter { epochs.contains($0) }.map { ($0, []) }
            for contact in contacts {
                for grant in contact.grants {
                    guard let key = grant.tree.value.periodKey(period) else { continue }
                    for device in grant.devices {
                        let keys = key.deviceKeys(device)
                        for place in wanted.indices {
                            let epoch = wanted[place].epoch
                            let prediction = Prediction(
                                contact: contact.contact, device: device, audience: grant.audience, epoch: epoch)
                            wanted[place].entries.append(
                                Entry(
                                    prediction: prediction, name: keys.mdns.serviceName(epoch),
                                    minor: keys.beacon.minor(epoch)))
                        }
                    }
                }
            }
            return wanted
        }
    }
}
