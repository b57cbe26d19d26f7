internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// A confirm handshake that this node initiates, with its keys.
struct Call: Sendable {
    /// The reason for a call.
    enum Cause: Hashable, Sendable {
        /// The recognition engine requests a confirmation.
        case recognised
        /// The link to this device was lost earlier in the same epoch; this is its route.
        case lostLink(LinkRoute)
    }

    let number: UInt64
    let attempt: Attempt
    let cause: Cause
    let technology: LinkTechnologyID
    let peer: KnownDevice
    /// The peer's Noise key, from a currently valid certificate on the contact's newest card.
    let key: Octets32
    let context: ConfirmContext
    /// The kept pairwise keys, the newest first.
    let pairwiseKeys: [StoredPairwiseKey]
    let generation: UInt32
    let start: Tick
    /// The round (see `Calls.round`) in which the call began, because a call must not outlive a boundary.
    let round: Int
    /// The links made for it, so that a boundary and the first valid answer can close them.
    var links: [any Link] = []
}

/// The calls in progress. Each has exactly one outcome, even if its link fails.
struct Calls: Sendable {
    private var underWay: [UInt64: Call] = [:]
    private var count: UInt64 = 0
    private var rounds: [LinkTechnologyID: Int] = [:]

    mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    mutating func begin(_ call: Call) { underWay[call.number] = call }

    subscript(number: UInt64) -> Call? { underWay[number] }

    mutating func connected(_ number: UInt64, over link: any Link) { underWay[number]?.links.append(link) }

    mutating func end(_ number: UInt64) -> Call? { underWay.removeValue(forKey: number) }

    /// Returns how often the links of a technology have been closed, which happens at every boundary. A handshake that
    /// began in an earlier round must not produce a session.
    func round(of technology: LinkTechnologyID) -> Int { rounds[technology, default: 0] }

    /// Begins a new round of a technology and returns the links of its calls for the caller to close.
    mutating func endRound(of technology: LinkTechnologyID) -> [any Link] {
        rounds[technology, default: 0] += 1
        return underWay.sorted { $0.key < $1.key }.flatMap {
            $0.value.technology == technology ? $0.value.links : []
        }
    }
}
