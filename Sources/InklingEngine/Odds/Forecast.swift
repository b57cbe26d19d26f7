public import InklingKeys

/// What contacts will show, epoch after epoch, for as long as their grants reach.
///
/// Where `PredictedTable` answers what a value means now, this lists the values of any stretch of time.
public struct Forecast: Sendable {
    /// One value that a contact is expected to show.
    public struct Entry: Hashable, Sendable {
        /// Whose it is, and when.
        public let prediction: Prediction
        /// The name on the local network.
        public let name: OpaqueServiceName
        /// The minor on the air.
        public let minor: BeaconMinor

        /// An entry.
        public init(prediction: Prediction, name: OpaqueServiceName, minor: BeaconMinor) {
            self.prediction = prediction
            self.name = name
            self.minor = minor
        }
    }

    private let contacts: [PredictedContact]

    /// The forecast for these contacts.
    public init(of contacts: [PredictedContact]) { self.contacts = contacts }

    /// How many entries these epochs have, without computing one.
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

    /// Each of these epochs with its entries, ordered by contact; computed a period at a time as one asks for them.
    public func epochs(_ epochs: ClosedRange<Epoch>) -> Epochs { Epochs(of: contacts, in: epochs) }

    /// The epochs of a stretch of time, one after the other.
    public struct Epochs: Sequence, IteratorProtocol, Sendable {
        private let contacts: [PredictedContact]
        private let epochs: ClosedRange<Epoch>
        private var period: Period?
        // What is left of the period, in the order of the array's end.
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
