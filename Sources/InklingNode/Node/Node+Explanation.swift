public import InklingEngine
public import InklingKeys

/// Everything a node knows about why a contact is in its state.
public struct ContactExplanation: Sendable {
    /// A name that is there and that the contact would show in another epoch.
    public struct NearMiss: Hashable, Sendable {
        /// The epoch of the name.
        public let epoch: Epoch
        /// How many epochs that is after ours; negative before.
        public let distance: Int
    }

    /// What the engine knows.
    public let engine: Explanation
    /// What the contact is expected to show about now; empty without a grant that reaches so far.
    public let expected: [Forecast.Entry]
    /// The name nearest to a hit, of those that are there now.
    public let nearMiss: NearMiss?
    /// By how much the contact's clock was ahead at the last handshake, by its own account.
    public let clockOffset: Duration?
    /// Whether the node looks for others now.
    public let isLooking: Bool
    /// The moment of the explanation.
    public let now: ClockReading
}

extension Node {
    /// How far from now a name is searched among the contact's, in epochs: half a day.
    private static let searchedEpochs: UInt32 = 48

    /// Why a contact is in its state, what it is expected to show, and what came nearest to that.
    ///
    /// - Throws: `NodeError.unknownContact`; `.clockNotAccepted` after August 2089.
    public func explain(_ user: UserID) throws(NodeError) -> ContactExplanation {
        takeWaitingInputs()
        let now = ports.clock.read()
        guard let id = book.roster[user], contents.index(of: user) != nil else { throw .unknownContact }
        guard let epoch = Epoch(containing: now.unixSeconds) else { throw .clockNotAccepted }
        let forecast = Forecast(of: book.predicted(contents).filter { $0.contact == id })
        let around = (epoch.previous ?? epoch)...(epoch.next ?? epoch)
        return ContactExplanation(
            engine: recognition.explanation(of: id, at: now) ?? Explanation(),
            expected: forecast.epochs(around).flatMap(\.entries),
            nearMiss: nearMiss(forecast, around: epoch),
            clockOffset: book.clockOffsets[user].map(Duration.milliseconds),
            isLooking: isLooking, now: now)
    }

    private func nearMiss(_ forecast: Forecast, around epoch: Epoch) -> ContactExplanation.NearMiss? {
        let names = Set(recognition.presentNames)
        let reach = Self.searchedEpochs
        guard !names.isEmpty, let first = Epoch(epoch.number > reach ? epoch.number - reach : 0),
            let last = Epoch(min(epoch.number + reach, Epoch.limit - 1))
        else { return nil }
        var nearest: ContactExplanation.NearMiss?
        for (one, entries) in forecast.epochs(first...last) where entries.contains(where: { names.contains($0.name) }) {
            let distance = Int(one.number) - Int(epoch.number)
            guard abs(distance) < abs(nearest?.distance ?? .max) else { continue }
            nearest = ContactExplanation.NearMiss(epoch: one, distance: distance)
        }
        return nearest
    }
}
