package import InklingKeys

/// Decides whether this process holds the lease of a fleet (`Specs/fleet.md`).
///
/// A broker delivers the messages of a topic to everybody in the same order, its own included. A claim counts when it has come
/// back: from then on no message of an earlier holder is followed, whatever that one believes.
package struct LeaseMachine: Sendable {
    /// What has happened.
    package enum Event: Sendable {
        /// A connection begins, with the topic of the lease subscribed; or has ended.
        case connected
        case disconnected
        /// The broker has delivered a lease.
        case heard(LeaseMessage)
        /// `wake` has come.
        case timerFired
        /// The process stops.
        case stopping
    }

    /// What is to be done, in order.
    package enum Effect: Hashable, Sendable {
        case publish(LeaseMessage)
        /// Have the broker forget a lease that is over.
        case forget(Fence)
        /// This process writes for the fleet from now on.
        case took(Fence)
        /// It does not any more.
        case lost
    }

    private enum Role: Hashable {
        case apart
        /// Takes the lease when the deadline has come.
        case waiting(deadline: Tick)
        /// Has claimed it, and takes it when the claim has come back.
        case claiming(Fence, deadline: Tick)
        case holding(Fence)
    }

    /// How many renewals there are in the life of a lease, and the part of it after which a holder without one stops.
    private static let renewals: UInt64 = 6
    private static let holderPart: UInt64 = 4
    /// The most leases of which is known that the broker keeps them.
    private static let keptLimit = 256

    private let own: String
    /// How long a lease lasts without a renewal, in milliseconds.
    private let life: UInt64
    private var role = Role.apart
    private var known = Fence(0, holder: "")
    /// Which leases the broker keeps, as far as is known.
    private var kept: Set<Fence> = []
    private var beat: UInt64 = 0
    /// When each renewal was sent that has not come back.
    private var sent: [UInt64: Tick] = [:]
    private var renewAt = Tick(milliseconds: 0)
    private var confirmedUntil = Tick(milliseconds: 0)

    /// Creates a machine for a process with this name, and leases that last for so many seconds.
    package init(own: String, seconds: UInt64) {
        self.own = own
        life = seconds * 1000
    }

    /// The greatest fence that is known.
    package var fence: Fence { known }

    /// A fence was seen elsewhere, in a record: a claim must be greater than all.
    package mutating func note(_ fence: Fence) { if !isHolding { known = max(known, fence) } }

    /// Whether this process may write now. It is asked before each message, since a process can be held for any time.
    package func mayWrite(at now: Tick) -> Bool {
        guard case .holding = role else { return false }
        return now < confirmedUntil
    }

    /// When `timerFired` is due; nil while nothing is.
    package var wake: Tick? {
        switch role {
        case .apart: nil
        case .waiting(let deadline), .claiming(_, let deadline): deadline
        case .holding: min(renewAt, confirmedUntil)
        }
    }

    /// Takes an event and returns what is to be done.
    package mutating func handle(
        _ event: Event, at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch event {
        case .connected:
            role = .waiting(deadline: deadline(after: life, at: now, using: &generator))
            return []
        case .disconnected:
            defer { role = .apart }
            return isHolding ? [.lost] : []
        case .heard(let lease): return heard(lease, at: now, using: &generator)
        case .timerFired: return timerFired(at: now, using: &generator)
        case .stopping:
            defer { role = .apart }
            guard case .holding(let fence) = role else { return [] }
            return [.publish(LeaseMessage(fence: fence, beat: beat + 1, seconds: 0)), .lost]
        }
    }

    private var isHolding: Bool { if case .holding = role { true } else { false } }

    /// A moment after `time` milliseconds, and up to a quarter of the life more, so that not all claim at once.
    private func deadline(after time: UInt64, at now: Tick, using generator: inout some RandomNumberGenerator) -> Tick {
        now.advanced(byMilliseconds: time + UInt64.random(in: 0...life / 4, using: &generator))
    }

    private mutating func heard(
        _ lease: LeaseMessage, at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        if kept.count < Self.keptLimit { kept.insert(lease.fence) }
        if lease.fence < known {
            // It is over, and its process may not know it.
            return isHolding ? forgetOver() : []
        }
        known = lease.fence
        switch role {
        case .apart: return []
        case .claiming(let fence, _) where fence == lease.fence:
            role = .holding(fence)
            confirm(lease.beat, at: now)
            return [.took(fence)] + forgetOver()
        case .claiming(let fence, _) where lease.fence < fence:
            // A smaller claim that was made at the same time; the own one is on its way back.
            return []
        case .holding(let fence) where fence == lease.fence:
            confirm(lease.beat, at: now)
            return []
        case .waiting, .claiming, .holding:
            let wasHolding = isHolding
            let time = lease.seconds == 0 ? 0 : life
            role = .waiting(deadline: deadline(after: time, at: now, using: &generator))
            return wasHolding ? [.lost] : []
        }
    }

    private mutating func forgetOver() -> [Effect] {
        let over = kept.filter { $0 < known }
        kept.subtract(over)
        return over.sorted().map { .forget($0) }
    }

    /// A renewal has come back. It counts from when it was sent: others count from when they have heard it, which is later.
    private mutating func confirm(_ beat: UInt64, at now: Tick) {
        guard let moment = sent[beat] else { return }
        sent = sent.filter { $0.key > beat }
        confirmedUntil = max(confirmedUntil, moment.advanced(byMilliseconds: life * Self.holderPart / Self.renewals))
    }

    private mutating func renewal(at now: Tick) -> Effect {
        beat += 1
        sent[beat] = now
        if sent.count > 64, let oldest = sent.keys.min() { sent[oldest] = nil }
        renewAt = now.advanced(byMilliseconds: life / Self.renewals)
        let fence = if case .claiming(let fence, _) = role { fence } else { known }
        return .publish(LeaseMessage(fence: fence, beat: beat, seconds: life / 1000))
    }

    private mutating func timerFired(
        at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch role {
        case .apart: return []
        case .waiting(let due), .claiming(_, let due):
            guard due <= now else { return [] }
            let fence = Fence(known.number &+ 1, holder: own)
            role = .claiming(fence, deadline: deadline(after: life, at: now, using: &generator))
            sent = [:]
            return [renewal(at: now)]
        case .holding:
            if confirmedUntil <= now {
                role = .waiting(deadline: deadline(after: life, at: now, using: &generator))
                return [.lost]
            }
            return renewAt <= now ? [renewal(at: now)] : []
        }
    }
}
