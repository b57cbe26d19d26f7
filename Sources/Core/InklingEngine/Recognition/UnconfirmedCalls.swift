internal import InklingKeys

/// The attempts because of names that began in an epoch of the observer and did not lead to a handshake.
///
/// Names can be copied during their epoch; after several that led nowhere, further ones are not worth a call.
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

    /// Records that an attempt because of a name began.
    mutating func began(_ contact: ContactID) { running.insert(contact) }

    /// Records that an attempt ended without a handshake; no effect for one that is not counted.
    mutating func failed(_ contact: ContactID) {
        if running.remove(contact) != nil { ended += 1 }
    }

    /// Drops the contact's attempt: a handshake with it succeeded, or the contact was removed.
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
