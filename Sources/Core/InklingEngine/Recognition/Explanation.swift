public import InklingKeys

/// The reasons for a contact's state: the sightings, how they are judged, and the planned attempt.
public struct Explanation: Hashable, Sendable {
    /// A value of the contact that is present or was heard recently.
    public struct Sight: Hashable, Sendable {
        /// A value, by how it was seen.
        public enum Value: Hashable, Sendable {
            /// A name on the local network.
            case name(OpaqueServiceName)
            /// A tag that was read by radio.
            case tag(RecognitionTag)
            /// A minor that was heard by radio.
            case minor(BeaconMinor)
        }

        /// The value that was seen.
        public let value: Value
        /// The prediction that the value matches.
        public let prediction: Prediction
        /// The times of the first and the last sighting; `last` is nil for a name, which is present until it vanishes.
        public let first: Tick, last: Tick?
        /// Whether the value is evidence now, which requires that its window is open.
        public let isCounting: Bool
        /// The number of contacts that are expected to show the value.
        public let sharers: Int
        /// The number of addresses that showed it (0 for a name), and whether two of them did at the same time.
        public let addresses: Int, isContested: Bool
    }

    /// A value that was seen outside its window.
    public struct OutsideWindow: Hashable, Sendable {
        /// The epoch to which the value belongs.
        public let epoch: Epoch
        /// The time of the report.
        public let at: Tick
    }

    /// The state as it was last reported.
    public let state: PresenceState
    /// The contact's values that are present or were heard recently: names first, then tags, then minors.
    public let sights: [Sight]
    /// The last value of the contact that was seen outside its window; nil if there was none.
    public let outsideWindow: OutsideWindow?
    /// The probability that the contact is near, after and before the evidence of the radio, in 65,536ths; and the
    /// number of strangers that the calculation assumes.
    public let posterior: UInt64, prior: UInt64, strangers: UInt64
    /// The time of the last successful handshake; nil if there was none.
    public let confirmed: Tick?
    /// The start of the contact's present visit; nil while it is not present.
    public let presentSince: Tick?
    /// The time of the contact's last authenticated message, the handshake included; nil while it is not present.
    public let lastHeard: Tick?
    /// The time when the contact counts as having left if nothing more of it is seen; nil while it is not present.
    public let leaves: Tick?
    /// The time of the last goodbye of one of the contact's devices; nil if there was none, or a handshake has
    /// succeeded since.
    public let goodbye: Tick?
    /// Whether a session with one of the contact's devices is open.
    public let hasSession: Bool
    /// The time when the next attempt over either technology is due; nil if none is planned. An overdue attempt waits
    /// for room in the budget, or for a second sighting of its address.
    public let planned: Tick?
    /// Whether an attempt is in progress.
    public let isTrying: Bool
    /// The epoch of the last attempt, and why it failed; nil without an attempt or a failure.
    public let attempted: Epoch?, failure: AttemptFailure?
}

extension Explanation {
    /// Creates the explanation of a contact of which nothing has been seen, with the default prior.
    public init() {
        self.init(
            state: .unseen, sights: [], outsideWindow: nil, posterior: UInt64(Posterior.defaultPrior),
            prior: UInt64(Posterior.defaultPrior), strangers: 1, confirmed: nil,
            presentSince: nil, lastHeard: nil, leaves: nil, goodbye: nil, hasSession: false, planned: nil,
            isTrying: false, attempted: nil, failure: nil)
    }
}

extension RecognitionEngine {
    /// Explains the state of a contact; returns nil if the contact was not added.
    public func explanation(of contact: ContactID, at reading: ClockReading) -> Explanation? {
        guard let history = contacts[contact], let state = state(of: contact) else { return nil }
        let clock = ClockReading(
            tick: max(latest, reading.tick), unixMilliseconds: reading.unixMilliseconds, rate: reading.rate)
        return Explanation(
            state: state, sights: sights(of: contact, at: clock), outsideWindow: history.outsideWindow,
            posterior: posterior(of: contact, at: clock.tick),
            prior: prior(of: contact, at: clock.tick), strangers: radio.strangers.expected,
            confirmed: history.lastConfirmed, presentSince: history.presentSince,
            lastHeard: evidence[contact]?.lastHeard, leaves: evidence[contact]?.leaves(under: timers(of: contact)),
            goodbye: history.goodbye,
            hasSession: evidence[contact]?.hasSession ?? false,
            planned: AttemptTechnology.allCases.compactMap { plannedAttempt(of: contact, over: $0) }.min(),
            isTrying: budgets.both.contains { $0.isRunning(for: contact) },
            attempted: history.tries.both.compactMap(\.lastAttempted).max(), failure: history.lastFailure)
    }

    /// The names of other devices that are present, in the order in which they were reported.
    public var presentNames: [OpaqueServiceName] { names.entries.map(\.name) }

    private func sights(of contact: ContactID, at clock: ClockReading) -> [Explanation.Sight] {
        func sharers(_ predictions: [Prediction]) -> Int {
            Set(predictions.map(\.contact).filter { contacts[$0] != nil }).count
        }
        let seen = names.entries.flatMap { entry in
            entry.predictions.filter { $0.contact == contact }.map { prediction in
                Explanation.Sight(
                    value: .name(entry.name), prediction: prediction, first: entry.since, last: nil,
                    isCounting: !isSilenced(prediction)
                        && evidenceEnd(entry, prediction, at: clock).map { $0 > clock.tick } ?? false,
                    sharers: sharers(entry.predictions), addresses: 0, isContested: false)
            }
        }
        let read = radio.tags.entries.flatMap { entry in
            entry.claims.filter { $0.prediction.contact == contact }.map { claim in
                Explanation.Sight(
                    value: .tag(entry.tag), prediction: claim.prediction,
                    first: radio.addresses[entry.address]?.first ?? claim.last, last: claim.last,
                    isCounting: isInWindow(claim.prediction, at: clock) && !isSilenced(claim.prediction),
                    sharers: entry.sharers, addresses: 1,
                    isContested: false)
            }
        }
        let heard = radio.traces.of(contact).flatMap { trace in
            trace.predictions.filter { $0.contact == contact }.map { prediction in
                Explanation.Sight(
                    value: .minor(trace.minor), prediction: prediction, first: trace.first, last: trace.last,
                    isCounting: isInWindow(prediction, at: clock) && !isSilenced(prediction),
                    sharers: sharers(trace.predictions),
                    addresses: trace.sources.count, isContested: trace.isContested)
            }
        }
        return seen + read + heard
    }
}
