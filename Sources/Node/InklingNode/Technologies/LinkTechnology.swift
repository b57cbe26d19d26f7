internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// Decides what one link technology shows, when it is silent, and what it listens for.
///
/// A value without clock, tasks and ports: it takes events and returns effects, in order, and the node carries the
/// effects out. The node depends on nothing but this protocol. Each technology has its own rotation machine, which
/// draws its own silent gaps, and its own addresses, epochs to answer for, and reason for silence.
///
/// **To add another one**, provide
/// 1. a case of `LinkTechnologyID` and of `LinkRoute`, and an element of `Node.technologies`;
/// 2. a value that conforms to this protocol. It derives what it shows from an `OwnEpoch`, turns what its radio
///    receives into `RecognitionEngine` events (`.recognise`), publishes nothing before `.tableInUse` and
///    `.highWaterStored`, returns `.closeLinks` at every boundary, and sends every `Reply` that it received, also when
///    it stops;
/// 3. a case of `PortCommand` and of `PortOutcome`, and in `PortDrivers`, beside `LANPorts`, a type that carries out
///    the commands one after the other, owns the open ports, passes accepted links to the node and closes everything
///    when the commands end. The compiler reports every switch that lacks the new cases;
/// 4. the transport code for handshakes over its links (`transport`), which is bound into the gate and the prologue.
protocol LinkTechnology: Sendable {
    var id: LinkTechnologyID { get }
    /// The transport code of its links in handshakes.
    var transport: Transport { get }
    /// The values of the current epoch, of the previous one during the skew allowance, and of those prepared.
    var ownEpochs: [OwnEpoch] { get }
    /// The values under which initiators are answered: `ownEpochs`, and what is answered without announcement.
    var answered: [OwnEpoch] { get }
    /// The epoch whose identifiers are shown; nil while silent.
    var shown: Epoch? { get }
    /// Why nothing is shown; nil while an epoch is shown.
    var silence: NodeEvent.SilenceReason? { get }
    /// Whether this node is a tag device that shows nothing over it now, because its owner's device has not confirmed it
    /// lately (`Specs/responsible-beacons.md`). It then looks for that device alone.
    var isWithheld: Bool { get }
    /// Whether it is looking for others.
    var isLooking: Bool { get }
    /// Whether connections may begin: not in a silent gap, and not before what the gap is for has been shown.
    var mayConnect: Bool { get }
    /// Whether others can connect to this node over it now.
    var acceptsLinks: Bool { get }
    /// Whether an inviter can be reached over it, as far as is known.
    var carriesInvitations: Bool { get }
    /// The port on which links are accepted; nil where links have no ports, and while none are accepted.
    var port: UInt16? { get }
    /// When `timerFired` is due.
    var due: Tick? { get }

    /// Takes one event and returns what the node must do, in order.
    mutating func handle(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect]
}

extension LinkTechnology {
    var acceptsLinks: Bool { mayConnect && !isWithheld }

    var port: UInt16? { nil }
}

/// An event that a link technology handles.
enum LinkTechnologyEvent: Sendable {
    case started
    case timeAccepted
    case timeRefused(AcceptedTime.Refusal)
    case timerFired
    case networkChanged
    case fallingAsleep
    case wokeUp
    /// Another audience, or another generation of it, is to be shown: nothing may be shown until `visibilityChanged`, which
    /// follows when every technology is silent.
    case audienceWithdrawn
    case visibilityChanged(Bool)
    /// The identifiers that `prepare` requested.
    case derived(OwnEpoch)
    /// What is answered without announcement in this epoch, instead of what was before.
    case unannounced([OwnEpoch], in: Epoch)
    /// The table that `useTable` requested is in use.
    case tableInUse(Epoch)
    /// Another technology is about to show this epoch; none before it may be shown any more.
    case shownElsewhere(Epoch)
    /// The outcome of `storeHighWater`.
    case highWaterStored(Epoch, VaultError?)
    /// What first contacts need has changed.
    case firstContactNeeds(FirstContactNeeds)
    /// A joiner needs discovery in order to search for an inviter.
    case prepareSearch(Reply<SearchReadiness>, mayWait: Bool)
    /// A search for the endpoints of a name.
    case search(OpaqueServiceName, OpaqueHostName?, Reply<[Endpoint]>)
    /// Contacts may show other names than before.
    case namesKnown(KnownNames)
    /// A device of the owner has confirmed this tag device.
    case ownerConfirmed(OwnerConfirmation)
    /// A report of the ports.
    case ports(PortOutcome)
    /// The node is stopping.
    case stop

    /// Whether the node sends it while it carries out the effects of another event, which must not be overtaken.
    var isPartOfStep: Bool {
        switch self {
        case .derived, .unannounced, .namesKnown, .shownElsewhere: true
        default: false
        }
    }
}

/// What the node must do for a link technology, in order.
enum LinkTechnologyEffect: Sendable {
    /// Send a command to the ports, after the earlier ones.
    case command(PortCommand)
    /// End every session, every call and every connect over this technology. With the same ports before and after a
    /// boundary they would link this epoch to the next.
    case closeLinks
    case recognise(RecognitionEngine.Event)
    /// Forget the first messages of the epochs before this one.
    case retire(before: Epoch)
    /// Forget the keys of the periods before this one, and save.
    case forget(before: Period)
    /// Start the table of this epoch, and send `derived` unless `isDerived`.
    case prepare(Epoch, isDerived: Bool)
    /// Use the table of this epoch from now on, and send `tableInUse`.
    case useTable(Epoch)
    /// Raise the high-water mark in memory: this epoch is about to be shown.
    case noteHighWater(Epoch)
    /// Save the high-water mark, and send `highWaterStored`. Nothing may be published before, because after a restart
    /// the node could show the same epoch under another address.
    case storeHighWater(Epoch)
    case showing(Epoch)
    case silent(NodeEvent.SilenceReason)
    /// Another device shows what this one shows.
    case imitated
    /// The radio hears too much, and leaves out what is not expected.
    case crowded
    /// The radio hears nothing, and takes this step.
    case deaf(RadioRecovery)
    /// Report to the open invitation the port on which links are accepted, or why there is none.
    case listening(Result<UInt16, LinkError>)
    case found([Reply<[Endpoint]>], [Endpoint])
    case searchReadiness([Reply<SearchReadiness>], SearchReadiness)
}

/// What first contacts need from a link technology, even while the node is invisible. It is shown as an epoch is: after
/// a silent gap, and not over a boundary.
struct FirstContactNeeds: Hashable, Sendable {
    /// Whether an invitation is open, so that links must be accepted.
    var isInviting = false
    /// The names that the invitation answers to in this epoch.
    var answered: Answered?
    /// What the invitation shows by radio instead of this device's own identifiers, in this epoch and the next. Empty
    /// without an invitation that can be accepted by radio.
    var shownByRadio: [ShownByRadio] = []
    /// Whether this node is searching for an inviter.
    var isSearching = false

    /// The identifiers of an invitation in one epoch.
    struct ShownByRadio: Hashable, Sendable {
        let epoch: Epoch
        let minor: BeaconMinor
        let tag: RecognitionTag
    }

    /// The names that an invitation answers to in one epoch.
    struct Answered: Hashable, Sendable {
        let name: OpaqueServiceName
        let host: OpaqueHostName
    }

    /// Whether first contacts need a discovery server.
    var isAny: Bool { isInviting || isSearching }
}

/// Whether a search can begin.
enum SearchReadiness: Hashable, Sendable {
    case ready
    /// A silent gap is about to end in a publication; try again later.
    case wait
    case unavailable
}

/// A command to the ports of a link technology.
enum PortCommand: Sendable {
    case lan(LANCommand)
    case bluetooth(BluetoothCommand)
}

/// A report of the ports of a link technology.
enum PortOutcome: Sendable {
    case lan(LANOutcome)
    case bluetooth(BluetoothOutcome)
}

/// The node's source of randomness.
struct NodeRandomness: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) { self.source = source }

    mutating func next() -> UInt64 { source.next() }
}

/// Random numbers for messages, apart from those of the node, so that what is drawn for messages does not change when the
/// node is seen: a source that repeats itself gives the same moments with and without messages.
struct MessageRandomness: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) { self.source = source }

    /// Mixed, so that no number is one that the node has drawn from the same source.
    mutating func next() -> UInt64 {
        var mixed = source.next()
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        return mixed ^ (mixed >> 33)
    }
}
