internal import InklingEngine
internal import InklingKeys

// A node that is a tag device (`Specs/responsible-beacons.md`): a device without user presence, which shows itself only for a
// limited time after the primary device of its user has confirmed it, and otherwise looks for that device alone.
extension Node {
    /// How near the owner of this tag device is now; nil for a node that is none.
    var ownerState: OwnerConfirmation.State? {
        guard let ownerConfirmation else { return nil }
        return currentEpoch.map { ownerConfirmation.state(in: $0) } ?? .unconfirmed
    }

    /// Whether the tables are to have contacts: of a tag device only those of epochs near its owner.
    var looksForContacts: Bool {
        guard let ownerConfirmation else { return true }
        guard let epoch = currentEpoch else { return false }
        return [epoch, epoch.next].contains { $0.map { ownerConfirmation.state(in: $0) } == .nearOwner }
    }

    /// Whether contacts may be called and asked for over a technology. A tag device that is away from its owner calls nobody but
    /// devices of its owner.
    func mayCallContacts(over id: LinkTechnologyID) -> Bool {
        guard let ownerState else { return true }
        return ownerState == .nearOwner && technologies.first { $0.id == id }?.isWithheld == false
    }

    /// A session with the primary device has begun: it has proven that it is there now.
    func ownerMet() {
        let now = ports.clock.read()
        guard ownerConfirmation != nil, clock.isAccepted, now.rate == 1, let epoch = Epoch(containing: now.unixSeconds)
        else { return }
        ownerConfirmation?.confirm(in: epoch)
        if let ownerConfirmation { tell(.ownerConfirmed(ownerConfirmation)) }
        updateSearch()
    }

    /// The clock that counted the confirmations has been discarded, and they with it.
    func ownerForgotten() {
        guard ownerConfirmation != nil else { return }
        let restored = OwnerConfirmation(storedIn: contents)
        ownerConfirmation = restored
        tell(.ownerConfirmed(restored))
        updateSearch()
    }

    /// Orders the tables anew when contacts are to be in them from now on, or no longer.
    func updateSearch() {
        guard ownerConfirmation != nil, hasSoughtContacts != looksForContacts else { return }
        hasSoughtContacts = looksForContacts
        contactsChanged()
    }

    private var currentEpoch: Epoch? { Epoch(containing: ports.clock.read().unixSeconds) }
}

extension OwnerConfirmation {
    /// Restores what is known of the owner of a tag device. A primary device cannot be one, and nothing confirms it: two of
    /// them would otherwise confirm each other.
    init(storedIn contents: VaultContents) {
        let met = contents.rootSeed == nil ? contents.own.lastMeeting : nil
        self.init(latest: met.flatMap { Epoch(containing: $0) })
    }
}
