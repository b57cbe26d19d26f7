internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// A link technology's decisions: what it shows, when it is silent, and what it listens for.
///
/// A value without clock, tasks and ports: it takes events and returns effects, in order, and the node carries the
/// effects out. The node depends on nothing but this protocol. Each technology has its own rotation machine, which
/// draws its own quiet periods, and its own addresses, epochs to answer for, and reason for silence.
///
/// **To add another one**, provide
/// 1. a case of `LinkTechnologyID` and of `LinkRoute`, its `LinkCapabilities`, and an element of
///    `NodePorts.technologies`;
/// 2. a value that conforms to this protocol, through `PublishingTechnology`, which has the steps of a publication. It
///    derives its identifiers from an `OwnEpoch`, turns what its radio receives into `RecognitionEngine` events
///    (`.recognise`), publishes nothing before `.tableInUse` and `.highWaterStored`, returns `.closeLinks` at every
///    boundary, and sends every `Reply` that it received, even when it stops;
/// 3. a case of `PortCommand` and of `PortOutcome`, and in `PortDrivers`, beside `LANPorts`, a type that carries out
///    the commands one after the other, owns the open ports, passes accepted links to the node and closes everything
///    when the commands end. The compiler reports every switch that lacks the new cases;
/// 4. the transport code for handshakes over its links, which is bound into the gate and the prologue.
protocol LinkTechnology: Sendable {
    var id: LinkTechnologyID { get }
    /// The values of the current epoch, of the previous one during the skew allowance, and of the prepared ones.
    var ownEpochs: [OwnEpoch] { get }
    /// The values under which initiators are answered: `ownEpochs`, and those answered without announcement.
    var answered: [OwnEpoch] { get }
    /// The epoch whose identifiers are shown; nil while silent.
    var shown: Epoch? { get }
    /// The reason why nothing is shown; nil while an epoch is shown.
    var silence: NodeEvent.SilenceReason? { get }
    /// Whether this node is a tag device that is suppressed over the technology, because its owner's device has not
    /// confirmed it recently (`Specs/responsible-beacons.md`). It then looks for that device alone.
    var isWithheld: Bool { get }
    /// Whether it is looking for others.
    var isLooking: Bool { get }
    /// Whether connections may begin: not in a quiet period, and not before the publication that follows it.
    var mayConnect: Bool { get }
    /// Whether others can connect to this node over it now.
    var acceptsLinks: Bool { get }
    /// Whether an inviter can be reached over it, as far as is known.
    var carriesInvitations: Bool { get }
    /// The port on which links are accepted; nil while none are accepted, and if links have no ports.
    var port: UInt16? { get }
    /// The time at which `timerFired` is due.
    var due: Tick? { get }

    /// Handles one event and returns what the node must do, in order.
    mutating func handle(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect]
}

extension LinkTechnology {
    /// The transport code of its links in handshakes.
    var transport: Transport { id.capabilities.transport }

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
    /// Another audience, or another generation of it, will be shown: nothing may be shown until `visibilityChanged`,
    /// which follows once every technology is silent.
    case audienceWithdrawn
    case visibilityChanged(Bool)
    /// The identifiers that `prepare` requested.
    case derived(OwnEpoch)
    /// The values answered without announcement in this epoch, replacing the earlier ones.
    case unannounced([OwnEpoch], in: Epoch)
    /// The table that `useTable` requested is in use.
    case tableInUse(Epoch)
    /// Another technology is about to show this epoch; earlier ones must no longer be shown.
    case shownElsewhere(Epoch)
    /// The outcome of `storeHighWater`.
    case highWaterStored(Epoch, VaultError?)
    /// The needs of first contacts have changed.
    case firstContactNeeds(FirstContactNeeds)
    /// A joiner needs discovery to search for an inviter.
    case prepareSearch(Reply<SearchReadiness>, mayWait: Bool)
    /// A search for the endpoints of a name.
    case search(OpaqueServiceName, OpaqueHostName?, Reply<[Endpoint]>)
    /// The names that contacts may show have changed.
    case namesKnown(KnownNames)
    /// A device of the owner has confirmed this tag device.
    case ownerConfirmed(OwnerConfirmation)
    /// A report of the ports.
    case ports(PortOutcome)
    /// The node is stopping.
    case stop

    /// Whether the node sends it while carrying out the effects of another event, which it must not overtake.
    var isPartOfStep: Bool {
        switch self {
        case .derived, .unannounced, .namesKnown, .shownElsewhere: true
        default: false
        }
    }
}

/// An action of the node for a link technology.
enum LinkTechnologyEffect: Sendable {
    /// Send a command to the ports, after the earlier ones.
    case command(PortCommand)
    /// End every session, call and connect over this technology. With the same ports before and after a boundary they
    /// would link this epoch to the next.
    case closeLinks
    case recognise(RecognitionEngine.Event)
    /// Forget the first messages of epochs before this one.
    case retire(before: Epoch)
    /// Forget the keys of periods before this one, and save.
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
    /// Another device shows this one's identifiers.
    case imitated
    /// The radio hears too much, and ignores unexpected beacons.
    case crowded
    /// The radio hears nothing, and takes this recovery step.
    case deaf(RadioRecovery)
    /// Report to the open invitation the port on which links are accepted, or the error.
    case listening(Result<UInt16, LinkError>)
    case found([Reply<[Endpoint]>], [Endpoint])
    case searchReadiness([Reply<SearchReadiness>], SearchReadiness)
}

/// The needs of first contacts from a link technology, even while the node is invisible. They are met like an epoch:
/// after a quiet period, and not across a boundary.
struct FirstContactNeeds: Hashable, Sendable {
    /// Whether an invitation is open, so that links must be accepted.
    var isInviting = false
    /// The names that the invitation answers to in this epoch.
    var answered: Answered?
    /// The identifiers that the invitation shows by radio instead of this device's own, in this epoch and the next.
    /// Empty unless an invitation can be accepted by radio.
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

/// The answer to whether a search can begin.
enum SearchReadiness: Hashable, Sendable {
    case ready
    /// A quiet period is about to end in a publication; try again later.
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

/// The source of random numbers for messages, separate from the node's, so that drawing for messages does not change
/// when the node is seen: a repeating source gives the same times with and without messages.
struct MessageRandomness: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) { self.source = source }

    /// Returns a mixed number, so that none equals one that the node has drawn from the same source.
    mutating func next() -> UInt64 {
        var mixed = source.next()
        mixed = (mixed ^ (mixed >> 33)) &* 0xff51_afd7_ed55_8ccd
        return mixed ^ (mixed >> 33)
    }
}
