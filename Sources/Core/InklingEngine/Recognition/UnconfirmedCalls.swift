internal import InklingKeys

/// The attempts because of names that began in an epoch of the observer and did not lead to a handshake.
///
/// Names can be copied while their epoch lasts. When several led nowhere, more of them are not worth a call.
struct UnconfirmedCalls: Sendable {
    private var epoch: Epoch?
    private var ended = 0
    private var running: Set<ContactID> = []
    private var isNoted = false

    /// Begins to count again when the epoch of the observer changes.
    mutating func advance(to epoch: Epoch?) {
        guard epoch != self.epoch else { return }
        self = Self()
        self.epoch = epoch
    }

    /// An attempt because of a name began.
    mutating func began(_ contact: ContactID) { running.insert(contact) }

    /// An attempt ended without a handshake. One that is not counted has no effect.
    mutating func failed(_ contact: ContactID) {
        if running.remove(contact) != nil { ended += 1 }
    }

    /// A handshake with the contact succeeded, or the contact was removed.
    mutating func drop(_ contact: ContactID) { running.remove(contact) }

    /// Whether another contact may be tried; running attempts count as ended.
    func hasRoom(under limit: Int) -> Bool { ended + running.count < limit }

    /// Whether the limit has been reached; true once in an epoch.
    mutating func takeNote(of limit: Int) -> Bool {
        guard !isNoted, ended >= limit else { return false }
        isNoted = true
        return true
    }
}
