package import InklingKeys

/// Decides whether this process holds the lease of a fleet (`Specs/fleet.md`).
///
/// A broker delivers the messages of a topic to every client in the same order, the sender included. A claim takes
/// effect
/// when it comes back: from then on messages of earlier holders are ignored, whatever those believe.
package struct LeaseMachine: Sendable {
    /// An input to the machine.
    package enum Event: Sendable {
        /// A connection has begun, with the lease topics subscribed; or it has ended.
        case connected
        case disconnected
        /// The broker has delivered a lease.
        case heard(LeaseMessage)
        /// The moment `wake` was reached.
        case timerFired
        /// The process is stopping.
        case stopping
    }

    /// An action for the caller; actions are carried out in order.
    package enum Effect: Hashable, Sendable {
        case publish(LeaseMessage)
        /// Makes the broker forget a lease that is over.
        case forget(Fence)
        /// This process may write for the fleet from now on.
        case took(Fence)
        /// This process has lost the lease.
        case lost
    }

    private enum Role: Hashable {
        case apart
        /// Waits to claim the lease at the deadline.
        case waiting(deadline: Tick)
        /// Has claimed the lease, and holds it once the claim comes back.
        case claiming(Fence, deadline: Tick)
        case holding(Fence)
    }

    /// The number of renewals per lifetime, and after how many of them an unconfirmed holder stops writing.
    private static let renewals: UInt64 = 6
    private static let holderPart: UInt64 = 4
    /// The largest number of leases tracked at the broker.
    private static let keptLimit = 256

    private let own: String
    /// The lifetime of a lease without a renewal, in milliseconds.
    private let life: UInt64
    private var role = Role.apart
    private var known = Fence(0, holder: "")
    /// The leases that the broker is known to keep.
    private var kept: Set<Fence> = []
    private var beat: UInt64 = 0
    /// The send time of each renewal that has not come back.
    private var sent: [UInt64: Tick] = [:]
    private var renewAt = Tick(milliseconds: 0)
    private var confirmedUntil = Tick(milliseconds: 0)

    /// Creates the machine of the process named `own`, with leases that last `seconds`.
    package init(own: String, seconds: UInt64) {
        self.own = own
        life = seconds * 1000
    }

    /// The greatest known fence.
    package var fence: Fence { known }

    /// Notes a fence found in a record: a claim must be greater than all fences.
    package mutating func note(_ fence: Fence) { if !isHolding { known = max(known, fence) } }

    /// Returns whether this process may write now. Ask before each message: a process can be suspended at any time.
    package func mayWrite(at now: Tick) -> Bool {
        guard case .holding = role else { return false }
        return now < confirmedUntil
    }

    /// The time at which `timerFired` is due; `nil` while no timer runs.
    package var wake: Tick? {
        switch role {
        case .apart: nil
        case .waiting(let deadline), .claiming(_, let deadline): deadline
        case .holding: min(renewAt, confirmedUntil)
        }
    }

    /// Handles an event and returns the actions to carry out, in order.
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

    /// Returns a moment after `time` ms plus up to a quarter of the lifetime, so that not all processes claim at once.
    private func deadline(after time: UInt64, at now: Tick, using generator: inout some RandomNumberGenerator) -> Tick {
        now.advanced(byMilliseconds: time + UInt64.random(in: 0...life / 4, using: &generator))
    }

    private mutating func heard(
        _ lease: LeaseMessage, at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        if kept.count < Self.keptLimit { kept.insert(lease.fence) }
        if lease.fence < known {
            // The lease is over, and its holder may not know it.
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
            // A smaller claim made at the same time; our own is on its way back.
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

    /// Handles a renewal that came back. It counts from the send time, which is before others have heard it.
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
