public import InklingKeys

/// Why a contact is in its state: what is there, what that says, and what is planned.
public struct Explanation: Hashable, Sendable {
    /// A value of the contact that is there, or was heard lately.
    public struct Sight: Hashable, Sendable {
        /// What was seen.
        public enum Value: Hashable, Sendable {
            /// A name on the local network.
            case name(OpaqueServiceName)
            /// A tag that was read by radio.
            case tag(RecognitionTag)
            /// A minor that was heard by radio.
            case minor(BeaconMinor)
        }

        /// What was seen.
        public let value: Value
        /// As whose, and of which epoch.
        public let prediction: Prediction
        /// When it was first seen; and last, nil for a name, which is there until it vanishes.
        public let first: Tick, last: Tick?
        /// Whether it is in its window now.
        public let isCounting: Bool
        /// How many contacts may show it.
        public let sharers: Int
        /// How many addresses showed it, and whether two of them did at the same time.
        public let addresses: Int, isContested: Bool
    }

    /// A value that was seen at a wrong time.
    public struct OutsideWindow: Hashable, Sendable {
        /// The epoch to which it belongs.
        public let epoch: Epoch
        /// When it was seen.
        public let at: Tick
    }

    /// The state.
    public let state: PresenceState
    /// What was seen.
    public let sights: [Sight]
    /// What was seen last at a wrong time.
    public let outsideWindow: OutsideWindow?
    /// What the radio makes of the prior, and the prior, in 65,536ths; and how many strangers are reckoned with.
    public let posterior: UInt64, prior: UInt64, strangers: UInt64
    /// When a handshake succeeded last.
    public let confirmed: Tick?
    /// Since when the contact counts as present; nil while it does not.
    public let presentSince: Tick?
    /// When an authenticated message of the contact arrived last, the handshake included; nil while it is not present.
    public let lastHeard: Tick?
    /// When the contact will have left if nothing more of it is seen; nil while it is not present.
    public let leaves: Tick?
    /// Whether a session is open.
    public let hasSession: Bool
    /// When the next attempt is due, if one is planned; a moment that has passed waits for a place, or for a second
    /// sighting.
    public let planned: Tick?
    /// Whether an attempt is under way.
    public let isTrying: Bool
    /// Of which epoch the latest attempt was, and why it came to nothing.
    public let attempted: Epoch?, failure: AttemptFailure?
}

extension Explanation {
    /// That of a contact for whom nobody looks.
    public init() {
        self.init(
            state: .unseen, sights: [], outsideWindow: nil, posterior: UInt64(Posterior.defaultPrior),
            prior: UInt64(Posterior.defaultPrior), strangers: 1, confirmed: nil,
            presentSince: nil, lastHeard: nil, leaves: nil, hasSession: false, planned: nil,
            isTrying: false, attempted: nil, failure: nil)
    }
}

extension RecognitionEngine {
    /// Why a contact is in its state; nil for nobody's number.
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
            hasSession: evidence[contact]?.hasSession ?? false, planned: planned[contact]?.due,
            isTrying: budget.isRunning(for: contact), attempted: history.lastAttempted, failure: history.lastFailure)
    }

    /// The names of others that are there.
    public var presentNames: [OpaqueServiceName] { names.entries.map(\.name) }

    private func sights(of contact: ContactID, at clock: ClockReading) -> [Explanation.Sight] {
        func sharers(_ predictions: [Prediction]) -> Int {
            Set(predictions.map(\.contact).filter { contacts[$0] != nil }).count
        }
        let seen = names.entries.flatMap { entry in
            entry.predictions.filter { $0.contact == contact }.map { prediction in
                Explanation.Sight(
                    value: .name(entry.name), prediction: prediction, first: entry.since, last: nil,
                    isCounting: evidenceEnd(entry, prediction, at: clock).map { $0 > clock.tick } ?? false,
                    sharers: sharers(entry.predictions), addresses: 0, isContested: false)
            }
        }
        let read = radio.tags.entries.flatMap { entry in
            entry.claims.filter { $0.prediction.contact == contact }.map { claim in
                Explanation.Sight(
                    value: .tag(entry.tag), prediction: claim.prediction,
                    first: radio.addresses[entry.address]?.first ?? claim.last, last: claim.last,
                    isCounting: isInWindow(claim.prediction, at: clock), sharers: entry.sharers, addresses: 1,
                    isContested: false)
            }
        }
        let heard = radio.traces.of(contact).flatMap { trace in
            trace.predictions.filter { $0.contact == contact }.map { prediction in
                Explanation.Sight(
                    value: .minor(trace.minor), prediction: prediction, first: trace.first, last: trace.last,
                    isCounting: isInWindow(prediction, at: clock), sharers: sharers(trace.predictions),
                    addresses: trace.sources.count, isContested: trace.isContested)
            }
        }
        return seen + read + heard
    }
}
