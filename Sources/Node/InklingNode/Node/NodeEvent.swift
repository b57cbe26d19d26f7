public import InklingEngine
public import InklingKeys
public import InklingPlatforms
public import InklingWire

/// An event that a node reports.
///
/// No event carries a name, a minor, a tag, a key or an address: a log of events identifies no device to a reader who
/// does not already know the contact.
public enum NodeEvent: Hashable, Sendable {
    /// The user has chosen to whom the node shows itself. What was shown before is withdrawn.
    case visibility(Visibility)
    /// The node shows the identifiers of this epoch over a technology, so that others can find it.
    case showing(Epoch, over: LinkTechnologyID)
    /// The node is silent over a technology.
    case silent(SilenceReason, over: LinkTechnologyID)
    /// A contact's presence state has changed.
    case presence(UserID, PresenceState)
    /// A contact has arrived: it has been present for the arrival delay.
    case arrived(UserID)
    /// A contact that had arrived has left.
    case left(UserID)
    /// A contact is about to be called, or a link is offered to it: the transports to be used, and why the others are not.
    case planned(UserID, TransportPlan)
    /// A handshake with a contact has succeeded, this long after this node started it; nil when the contact started it.
    case confirmed(UserID, over: LinkTechnologyID, after: Duration?)
    /// The session with a contact goes on over another technology.
    case handedOver(UserID, from: LinkTechnologyID, to: LinkTechnologyID)
    /// A name, a tag or a minor of this contact was seen outside its window: it was replayed, or a clock is wrong.
    case outsideWindow(UserID)
    /// Two Bluetooth addresses show a minor of this contact at the same time, by a relay, a copy or chance; the handshake
    /// decides.
    case contested(UserID)
    /// Another device on the network shows this node's name with other data. The node stays visible; the handshake
    /// decides which of the two a contact meets.
    case imitated
    /// Names of contacts led to eight calls in this epoch and to no handshake, so somebody shows copies of them. Until the
    /// next epoch the node calls only contacts confirmed in the last 24 hours, and answers everyone as before.
    case replayed
    /// A contact's card or grant was renewed.
    case renewed(UserID)
    /// A text message from a contact.
    case message(UserID, String)
    /// A device of a contact has stored a message of this node.
    case delivered(UserID, TextID)
    /// A message to a contact expired; it was not delivered, or is not known to be.
    case expired(UserID, TextID)
    /// This many messages of a contact are missing: they expired, or this device had them in a state that was lost.
    case messagesSkipped(UserID, UInt64)
    /// A file to or from a contact is in another state than before.
    case file(FileTransfer)
    /// Something failed, and the node continues without it.
    case trouble(Trouble)
    /// This subscriber was too slow and has missed this many events.
    case missed(Int)

    /// Why a node is silent.
    public enum SilenceReason: Hashable, Sendable {
        /// The silent gap after a boundary or a start.
        case gap
        /// An interface or an address has changed, so the identifiers shown before were withdrawn.
        case networkChanged
        /// The clock is not accepted.
        case clock(AcceptedTime.Refusal)
        /// Identifiers up to this epoch, which is later than the clock says, have been shown: it went back. Only a status has
        /// this reason; the event says `gap`.
        case highWater(Epoch)
        /// There are no keys for what is to be shown, as on a device that its primary has not met for long. Only a status has
        /// this reason; the event says `gap`.
        case noKeys
        /// The node is a tag device, and no device of its owner has confirmed it lately; it looks for these devices. With an epoch it
        /// has been confirmed since, and shows itself from that epoch on.
        case unconfirmed(shownFrom: Epoch?)
        /// There is no network, or discovery could not start.
        case discovery(DiscoveryError)
        /// No port could be opened to listen on.
        case links(LinkError)
        /// Bluetooth cannot be used.
        case radio(RadioError)
        /// The high-water mark could not be stored.
        case vault(VaultError)
        /// The machine is about to sleep.
        case asleep
        /// An invitation is shown by radio in place of the node's own identifiers.
        case inviting
        /// The user has made the node invisible.
        case invisible
        /// The node has stopped.
        case stopped

        /// Whether two reasons are equal apart from the clock's offset, which changes from minute to minute.
        func isSame(as other: Self) -> Bool {
            switch (self, other) {
            case (.clock(.behind), .clock(.behind)), (.clock(.ahead), .clock(.ahead)): true
            default: self == other
            }
        }
    }

    /// A failure that does not stop the node.
    public enum Trouble: Hashable, Sendable {
        /// The contents could not be saved; the next change saves them again.
        case notSaved(VaultError)
        /// Messages could not be read or stored.
        case messages(MessageStoreError)
        /// Something was noticed about the stored messages when the node started.
        case messagesFound(MessageStoreFinding)
        /// This device's certificate could not be renewed.
        case certificateNotRenewed(CardError)
        /// A card or a grant of the contact was refused.
        case refused(UserID, stage: String, reason: String)
        /// The Bluetooth radio hears nothing, and takes this step.
        case radioDeaf(RadioRecovery)
        /// The Bluetooth radio hears too much, and until the next silent gap leaves out the beacons that are not expected.
        case radioCrowded
        /// An antenna does not do what it should.
        case antenna(AntennaTrouble)
    }
}
