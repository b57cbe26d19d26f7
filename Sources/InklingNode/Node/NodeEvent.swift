public import InklingEngine
public import InklingKeys
public import InklingPlatforms

/// What a node reports, in order.
///
/// No event carries a name, a minor, a tag, a key or an address: a log of events identifies no device to a reader who
/// does not already know the contact.
public enum NodeEvent: Hashable, Sendable {
    /// The node shows the identifiers of this epoch; others can find it.
    case showing(Epoch)
    /// The node is silent.
    case silent(SilenceReason)
    /// What is known about a contact's presence has changed.
    case presence(UserID, PresenceState)
    /// A contact has come: it has been present for its arrival timer.
    case arrived(UserID)
    /// A contact that had arrived has left.
    case left(UserID)
    /// Before a contact is called: which transports are used, and why not the others.
    case planned(UserID, TransportPlan)
    /// A handshake with a contact succeeded, this long after it was started here; nil when the contact started it.
    case confirmed(UserID, after: Duration?)
    /// A name of this contact was seen outside its time: a copy, or a clock that is wrong.
    case outsideWindow(UserID)
    /// A contact's card or grant was renewed.
    case renewed(UserID)
    /// A text from a contact.
    case message(UserID, String)
    /// Something failed, and the node continues without it.
    case trouble(Trouble)
    /// This subscriber was too slow and has missed this many events.
    case missed(Int)

    /// Why a node is silent.
    public enum SilenceReason: Hashable, Sendable {
        /// Between two epochs.
        case gap
        /// An interface or an address has changed, which ends what was shown before.
        case networkChanged
        /// The clock is not accepted.
        case clock(AcceptedTime.Refusal)
        /// There is no network, or discovery does not start.
        case discovery(DiscoveryError)
        /// The system offers no port to listen on.
        case links(LinkError)
        /// The high-water mark could not be stored.
        case vault(VaultError)
        /// Another device claims the name of this epoch.
        case conflict
        /// It was asked to be invisible.
        case invisible
        /// It has stopped.
        case stopped

        /// Whether two reasons differ in nothing but numbers, which change from minute to minute.
        func isSame(as other: Self) -> Bool {
            switch (self, other) {
            case (.clock(.behind), .clock(.behind)), (.clock(.ahead), .clock(.ahead)): true
            default: self == other
            }
        }
    }

    /// A failure that does not stop the node.
    public enum Trouble: Hashable, Sendable {
        /// The contents could not be saved; they will be with the next change.
        case notSaved(VaultError)
        /// The own card could not be renewed.
        case certificateNotRenewed(CardError)
        /// What the contact sent as a card or a grant was refused.
        case refused(UserID, stage: String, reason: String)
    }
}
