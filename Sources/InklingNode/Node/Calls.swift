internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// A handshake that this node has begun, with everything that it needs.
struct Call: Sendable {
    /// What led to the call.
    enum Cause: Hashable, Sendable {
        /// Recognition asks for a confirmation.
        case recognised
        /// The link to this device was lost in the same epoch; it answered here.
        case lostLink(Endpoint)
    }

    let number: UInt64
    let attempt: Attempt
    let cause: Cause
    let technology: LinkTechnologyID
    let callee: KnownDevice
    /// The callee's Noise key, out of a certificate that is valid now and on the contact's newest card.
    let key: Octets32
    let context: ConfirmContext
    let pairwiseKey: SecretBox<SecretBytes>
    let generation: UInt32
    let start: Tick
    /// How often links had been closed when it began: a call must not outlive a boundary.
    let round: Int
    /// The link, once there is one, so that a boundary can close it.
    var link: (any Link)?
}

/// The calls under way. Each ends with exactly one outcome, whatever becomes of its link.
struct Calls: Sendable {
    private var underWay: [UInt64: Call] = [:]
    private var count: UInt64 = 0

    /// Returns the number for the next call.
    mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    mutating func begin(_ call: Call) { underWay[call.number] = call }

    subscript(number: UInt64) -> Call? { underWay[number] }

    mutating func connected(_ number: UInt64, over link: any Link) { underWay[number]?.link = link }

    mutating func end(_ number: UInt64) -> Call? { underWay.removeValue(forKey: number) }

    /// The links of calls over a technology.
    func links(over technology: LinkTechnologyID) -> [any Link] {
        underWay.sorted { $0.key < $1.key }.compactMap { $0.value.technology == technology ? $0.value.link : nil }
    }
}
