internal import InklingEngine
internal import InklingKeys
internal import InklingVault

// A node that is a tag device (`Specs/responsible-beacons.md`): a device without user presence. It shows itself only
// for a limited time after its user's primary device has confirmed it, and otherwise looks for that device alone.
extension Node {
    /// The confirmation state of this tag device's owner; nil unless this node is a tag device.
    var ownerState: OwnerConfirmation.State? {
        guard let ownerConfirmation else { return nil }
        return currentEpoch.map { ownerConfirmation.state(in: $0) } ?? .unconfirmed
    }

    /// Whether tables include contacts: on a tag device only in epochs near its owner.
    var looksForContacts: Bool {
        guard let ownerConfirmation else { return true }
        guard let epoch = currentEpoch else { return false }
        return [epoch, epoch.next].contains { $0.map { ownerConfirmation.state(in: $0) } == .nearOwner }
    }

    /// Returns whether contacts may be called and asked for over a technology. A tag device away from its owner calls
    /// only its owner's devices.
    func mayCallContacts(over id: LinkTechnologyID) -> Bool {
        guard let ownerState else { return true }
        return ownerState == .nearOwner && technologies.first { $0.id == id }?.isWithheld == false
    }

    /// Records that the primary device is near, proven by a session that has begun.
    func ownerMet() {
        let now = ports.clock.read()
        guard ownerConfirmation != nil, clock.isAccepted, now.rate == 1, let epoch = Epoch(containing: now.unixSeconds)
        else { return }
        ownerConfirmation?.confirm(in: epoch)
        if let ownerConfirmation { tell(.ownerConfirmed(ownerConfirmation)) }
        updateSearch()
    }

    /// Drops the confirmations together with the discarded clock that counted them.
    func ownerForgotten() {
        guard ownerConfirmation != nil else { return }
        let restored = OwnerConfirmation(storedIn: contents)
        ownerConfirmation = restored
        tell(.ownerConfirmed(restored))
        updateSearch()
    }

    /// Orders new tables when they start or stop including contacts.
    func updateSearch() {
        guard ownerConfirmation != nil, hasSoughtContacts != looksForContacts else { return }
        hasSoughtContacts = looksForContacts
        contactsChanged()
    }

    private var currentEpoch: Epoch? { Epoch(containing: ports.clock.read().unixSeconds) }
}

extension OwnerConfirmation {
    /// Restores the owner's confirmation of a tag device. A primary device cannot be a tag device, and nothing confirms
    /// it: two of them would otherwise confirm each other.
    init(storedIn contents: VaultContents) {
        let met = contents.rootSeed == nil ? contents.own.lastMeeting : nil
        self.init(latest: met.flatMap { Epoch(containing: $0) })
    }
}
