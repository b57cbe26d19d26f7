package import InklingKeys

/// The sightings of one antenna in a fleet that are not stored yet; each is resent until it is (`Specs/fleet.md`).
package struct SightingOutbox: Sendable {
    private struct Pending {
        let sighting: HeardBeacon
        let heard: Tick
        var due: Tick
    }

    /// The time for which a sighting is resent, and the interval between transmissions, in milliseconds.
    package static let patience: UInt64 = 120_000, interval: UInt64 = 2_000
    /// The largest number of devices with their own number in an epoch; further ones get 0.
    static let deviceLimit = 4096

    private let source: String
    private var pending: [UInt64: Pending] = [:]
    private var order: [UInt64] = []
    private var next: UInt64 = 1
    private var fence = Fence(0, holder: "")
    private var epoch: Epoch?
    private var devices: [UInt64: UInt32] = [:]
    /// The number of sightings given up because they were too old, or too many were waiting.
    package private(set) var lost: UInt64 = 0

    /// Creates an outbox for a source that has not been used before.
    package init(source: String) { self.source = source }

    /// The number of waiting sightings.
    package var count: Int { pending.count }

    /// The time at which `due` next returns a message; `nil` while nothing waits.
    package var wake: Tick? { pending.values.lazy.map(\.due).min() }

    /// The lowest number that is still sent.
    private var base: UInt64 { order.first ?? next }

    /// Returns the number that replaces an address in an epoch, counted from 1; each epoch starts over.
    package mutating func number(of address: UInt64?, in epoch: Epoch) -> UInt32? {
        guard let address else { return nil }
        if epoch != self.epoch { devices = [:] }
        self.epoch = epoch
        if let known = devices[address] { return known }
        guard devices.count < Self.deviceLimit else { return 0 }
        let number = UInt32(devices.count + 1)
        devices[address] = number
        return number
    }

    /// Adds a sighting, which is due at once.
    package mutating func add(_ sighting: HeardBeacon, at now: Tick) {
        pending[next] = Pending(sighting: sighting, heard: now, due: now)
        order.append(next)
        next += 1
        while let first = order.first, next - first > SequenceWindow.span { drop(first) }
    }

    /// Returns the messages to send now. They are due again after `interval`.
    package mutating func due(at now: Tick) -> [SightingMessage] {
        while let first = order.first, let one = pending[first], now.milliseconds(since: one.heard) >= Self.patience {
            drop(first)
        }
        let base = base
        var messages: [SightingMessage] = []
        for sequence in order {
            guard let one = pending[sequence], one.due <= now else { continue }
            pending[sequence]?.due = now.advanced(byMilliseconds: Self.interval)
            messages.append(
                SightingMessage(
                    id: SightingID(source: source, sequence: sequence, base: base),
                    age: now.milliseconds(since: one.heard), beacon: one.sighting))
        }
        return messages
    }

    /// Starts a connection: all waiting sightings are due at once.
    package mutating func connected(at now: Tick) { for sequence in order { pending[sequence]?.due = now } }

    /// Notes the fence of a lease: acknowledgements of earlier holders no longer count.
    package mutating func heard(_ fence: Fence) { self.fence = max(self.fence, fence) }

    /// Handles an acknowledgement, unless an earlier holder sent it: what that holder stored may be lost.
    package mutating func heard(_ acknowledgement: Acknowledgement) {
        if let holder = acknowledgement.fence {
            guard holder >= fence else { return }
            fence = holder
        }
        for sequence in acknowledgement.sequences { pending[sequence] = nil }
        while let first = order.first, pending[first] == nil { order.removeFirst() }
        if order.count > 2 * pending.count + 16 { order.removeAll { pending[$0] == nil } }
    }

    private mutating func drop(_ sequence: UInt64) {
        if pending.removeValue(forKey: sequence) != nil { lost &+= 1 }
        while let first = order.first, pending[first] == nil { order.removeFirst() }
    }
}
