public import InklingEngine
public import InklingKeys
public import InklingPlatforms
public import InklingVault
public import InklingWire

/// An event that a node reports.
///
/// No event carries a name, a minor, a tag, a key or an address: a log of events identifies no device to a reader who
/// does not already know the contact.
public enum NodeEvent: Hashable, Sendable {
    /// The user has chosen to whom the node shows itself. Everything shown before is withdrawn.
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
    /// A contact is about to be called or offered a link: the chosen transports, and the reasons against the others.
    case planned(UserID, TransportPlan)
    /// A handshake with a contact has succeeded, this long after this node started it; nil if the contact started it.
    case confirmed(UserID, over: LinkTechnologyID, after: Duration?)
    /// The session with a contact continues over another technology.
    case handedOver(UserID, from: LinkTechnologyID, to: LinkTechnologyID)
    /// A name, a tag or a minor of this contact was seen outside its window: it was replayed, or a clock is wrong.
    case outsideWindow(UserID)
    /// Two Bluetooth addresses show a minor of this contact at the same time, because of a relay, a copy or chance; the
    /// handshake decides.
    case contested(UserID)
    /// Another device on the network shows this node's name with other data. The node stays visible; the handshake
    /// decides which of the two a contact meets.
    case imitated
    /// Names of contacts led to eight calls in this epoch but to no handshake, so someone shows copies of them. Until
    /// the next epoch the node calls only contacts confirmed in the last 24 hours, and answers everyone as before.
    case replayed
    /// A contact's card or grant was renewed.
    case renewed(UserID)
    /// A text message from a contact.
    case message(UserID, String)
    /// A device of a contact has stored a message of this node.
    case delivered(UserID, TextID)
    /// A message to a contact expired; it was not delivered, or its delivery is unknown.
    case expired(UserID, TextID)
    /// This many messages of a contact are missing: they expired, or were in a state of this device that was lost.
    case messagesSkipped(UserID, UInt64)
    /// The state of a file transfer with a contact has changed.
    case file(FileTransfer)
    /// Something failed, and the node continues without it.
    case trouble(Trouble)
    /// This subscriber was too slow and has missed this many events.
    case missed(Int)

    /// The reason for a node's silence.
    public enum SilenceReason: Hashable, Sendable {
        /// The quiet period after a boundary or a start.
        case gap
        /// An interface or an address has changed, so the identifiers shown before were withdrawn.
        case networkChanged
        /// The clock is not accepted.
        case clock(AcceptedTime.Refusal)
        /// Identifiers up to this epoch, which is later than the clock's, have been shown: the clock went back. Only a
        /// status has this reason; the event says `gap`.
        case highWater(Epoch)
        /// There are no keys for the chosen audience, as on a device that its primary has not met for a long time. Only
        /// a status has this reason; the event says `gap`.
        case noKeys
        /// The node is a tag device that no device of its owner has confirmed recently; it looks for these devices.
        /// With an epoch it has been confirmed since, and shows itself from that epoch on.
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
        /// An invitation is shown by radio instead of the node's own identifiers.
        case inviting
        /// The user has made the node invisible.
        case invisible
        /// The node has stopped.
        case stopped

        /// Returns whether two reasons are equal, ignoring the clock's offset, which changes from minute to minute.
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
        /// A finding about the stored messages when the node started.
        case messagesFound(MessageStoreFinding)
        /// This device's certificate could not be renewed.
        case certificateNotRenewed(CardError)
        /// A card or a grant of the contact was refused.
        case refused(UserID, stage: String, reason: String)
        /// The Bluetooth radio hears nothing, and takes this recovery step.
        case radioDeaf(RadioRecovery)
        /// The Bluetooth radio hears too much, and ignores unexpected beacons until the next quiet period.
        case radioCrowded
        /// An antenna has failed or hears nothing.
        case antenna(AntennaTrouble)
    }
}
