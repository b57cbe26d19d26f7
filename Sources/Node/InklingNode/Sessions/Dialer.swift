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
    /// The round (see `Dialer.round`) in which the call began, because a call must not outlive a boundary.
    let round: Int
    /// The links made for it, so that a boundary and the first valid answer can close them.
    var links: [any Link] = []
}

/// A link over which a tag was read and no first message has been sent yet.
struct HeldLink: Sendable {
    let link: any TaggedLink
    let tag: RecognitionTag
}

/// Everything that this node opens to others: connects in progress, links of which nothing is known yet, and calls, each
/// of which has exactly one outcome, even if its link fails.
///
/// A round of a technology ends with every boundary, and everything of it with the round: a link with the same ports
/// before and after would link two epochs.
struct Dialer: Sendable {
    /// A connect in progress.
    struct Ticket: Sendable {
        let number: UInt64
        let round: Int
        /// A stream that ends when the connect must be abandoned. The system repeats a connection request until it is
        /// answered or withdrawn, so the end of a round must withdraw it.
        let permission: AsyncStream<Void>
    }

    private var rounds: [LinkTechnologyID: Int] = [:]
    private var count: UInt64 = 0
    private var connects: [UInt64: (technology: LinkTechnologyID, end: AsyncStream<Void>.Continuation)] = [:]
    private var calls: [UInt64: Call] = [:]
    /// Links whose tag was read, by address.
    private var held: [DeviceAddress: HeldLink] = [:]
    /// Offered links that are being opened, by the session of the offer.
    private var offered: [SessionID: any Link] = [:]

    /// The number of links that are held.
    var heldCount: Int { held.count }
    /// The number of offered links that are being opened.
    var offeredCount: Int { offered.count }

    /// Returns how often the links of a technology have been closed. A handshake that began in an earlier round must
    /// not produce a session.
    func round(of technology: LinkTechnologyID) -> Int { rounds[technology, default: 0] }

    /// Ends the round of a technology, and the permission of its connects. Returns its links for the caller to close.
    mutating func endRound(of technology: LinkTechnologyID) -> [any Link] {
        rounds[technology, default: 0] += 1
        for (number, connect) in connects where connect.technology == technology {
            connects[number] = nil
            connect.end.finish()
        }
        var ended: [any Link] = []
        if technology == .tagged {
            ended += held.values.map(\.link)
            held = [:]
        }
        if technology == .offered {
            ended += offered.values
            offered = [:]
        }
        // The jobs of these calls report their outcome.
        return ended
            + calls.sorted { $0.key < $1.key }.flatMap { $0.value.technology == technology ? $0.value.links : [] }
    }

    mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    // MARK: Connects

    /// Begins a connect; returns nil if `round` is over.
    mutating func beginConnect(over technology: LinkTechnologyID, in round: Int?) -> Ticket? {
        let current = self.round(of: technology)
        guard round.map({ $0 == current }) != false else { return nil }
        let (permission, end) = AsyncStream<Void>.makeStream()
        let number = nextNumber()
        connects[number] = (technology, end)
        return Ticket(number: number, round: current, permission: permission)
    }

    /// Drops a connect; returns false if its round has ended.
    mutating func endConnect(_ ticket: Ticket) -> Bool { connects.removeValue(forKey: ticket.number) != nil }

    // MARK: Links of which nothing is known yet

    /// Keeps a link whose tag was read for the attempt that may follow; returns false if the address already has one.
    mutating func hold(_ link: HeldLink, at address: DeviceAddress) -> Bool {
        guard held[address] == nil else { return false }
        held[address] = link
        return true
    }

    mutating func takeHeld(at address: DeviceAddress) -> HeldLink? { held.removeValue(forKey: address) }

    mutating func openOffered(_ link: any Link, of session: SessionID) { offered[session] = link }

    mutating func endOffered(of session: SessionID) { offered[session] = nil }

    // MARK: Calls

    mutating func begin(_ call: Call) { calls[call.number] = call }

    subscript(number: UInt64) -> Call? { calls[number] }

    mutating func connected(_ number: UInt64, over link: any Link) { calls[number]?.links.append(link) }

    mutating func end(_ number: UInt64) -> Call? { calls.removeValue(forKey: number) }
}
