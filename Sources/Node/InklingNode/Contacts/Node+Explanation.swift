public import InklingEngine
public import InklingKeys
public import InklingVault

/// The reasons for a contact's presence state, as far as the node knows.
public struct ContactExplanation: Sendable {
    /// A name that is published now and that the contact would show in another epoch.
    public struct NearMiss: Hashable, Sendable {
        /// The epoch of the name.
        public let epoch: Epoch
        /// The distance from the current epoch in epochs; negative for an earlier epoch.
        public let distance: Int
    }

    /// The evidence in the recognition engine.
    public let engine: Explanation
    /// The identifiers expected of the contact in the previous, the current and the next epoch; empty without a grant
    /// for them.
    public let expected: [Forecast.Entry]
    /// The contact's published name whose epoch is nearest to the current one.
    public let nearMiss: NearMiss?
    /// The lead of the contact's clock over ours at the last handshake; negative if it was behind.
    public let clockOffset: Duration?
    /// The node's current visibility.
    public let visibility: Visibility
    /// Whether the node looks for the contact now.
    public let isLooking: Bool
    /// The room in which the contact is; nil if no antenna in a room has heard it recently.
    public let room: String?
    /// The power with which the contact was heard in each room.
    public let rooms: [String: RoomChoice.Level]
    /// The time at which the explanation was made.
    public let now: ClockReading
}

extension Node {
    /// The number of epochs before and after the current one searched for a near miss: half a day each way.
    private static let searchedEpochs: UInt32 = 48

    /// Explains a contact's presence state: the evidence, the expected identifiers, and the nearest miss.
    ///
    /// - Throws: `NodeError.unknownContact`; `.clockNotAccepted` after August 2089.
    public func explain(_ user: UserID) async throws(NodeError) -> ContactExplanation {
        let heard = await ports.discovery.heardNames()
        takeWaitingInputs()
        let now = ports.clock.read()
        guard let id = book.roster[user], contents.index(of: user) != nil else { throw .unknownContact }
        guard let epoch = Epoch(containing: now.unixSeconds) else { throw .clockNotAccepted }
        let forecast = Forecast(of: book.predicted(contents, in: clockPeriod).filter { $0.contact == id })
        let around = (epoch.previous ?? epoch)...(epoch.next ?? epoch)
        return ContactExplanation(
            engine: recognition.explanation(of: id, at: now) ?? Explanation(),
            expected: forecast.epochs(around).flatMap(\.entries),
            nearMiss: nearMiss(forecast, around: epoch, among: heard + recognition.presentNames),
            clockOffset: book.clockOffsets[user].map(Duration.milliseconds),
            visibility: visibility,
            isLooking: isLooking && looksForContacts && contents.contact(user).map(meets) == true,
            room: room(of: user, at: now.tick), rooms: rooms[user]?.levels ?? [:], now: now)
    }

    private func nearMiss(
        _ forecast: Forecast, around epoch: Epoch, among heard: [OpaqueServiceName]
    ) -> ContactExplanation.NearMiss? {
        let names = Set(heard)
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
