internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// A way to be noticed and to be called: today the local network, with multicast DNS and TCP.
enum LinkTechnologyID: Hashable, Sendable {
    case lan
}

/// Decides what one link technology shows, when it is silent, and what it listens for.
///
/// A value without clocks, tasks and ports: events go in, effects come out, in order. The node carries the effects out
/// and knows of no technology more than this protocol. Each one has a rotation machine of its own, so that each draws
/// its own silent gaps, and each has its own addresses, its own epochs to answer for, and its own reason for silence.
///
/// **To add a second one** (Bluetooth: beacons, tags and GATT links), provide
/// 1. a case of `LinkTechnologyID`, with what `Node` puts into `technologies`;
/// 2. a value that conforms to this protocol. It derives what it shows from an `OwnEpoch`, turns what its radio hears
///    into `RecognitionEngine` events (`.recognise`), publishes nothing before `.tableInUse` and `.highWaterStored`,
///    asks for `.closeLinks` at every boundary, and answers every `Reply` that it was given, also when it stops;
/// 3. a case of `PortCommand` and of `PortOutcome`, and beside `LANPorts` a type that carries the commands out one
///    after the other, owns the open ports, gives accepted links to the node and closes everything when the commands
///    end. The compiler names the places that must know the new cases;
/// 4. the transport code for handshakes over its links (`transport`), which the gate and the prologue bind.
protocol LinkTechnology: Sendable {
    var id: LinkTechnologyID { get }
    /// The code of its links in handshakes.
    var transport: TransportCode { get }
    /// What is answered to callers: what was shown in the epoch under way, and before it during the skew allowance.
    var ownEpochs: [OwnEpoch] { get }
    /// The epoch shown, or nil in silence.
    var shown: Epoch? { get }
    /// Why nothing is shown; nil when something is.
    var silence: NodeEvent.SilenceReason? { get }
    /// Whether others are being looked for.
    var isLooking: Bool { get }
    /// When `timerFired` is due.
    var due: Tick? { get }

    /// Takes one event and returns what the node must do, in order.
    mutating func handle(
        _ event: LinkTechnologyEvent, at now: ClockReading, using generator: inout NodeRandomness
    ) -> [LinkTechnologyEffect]
}

/// What happened, as far as a link technology is concerned.
enum LinkTechnologyEvent: Sendable {
    case started
    case timeAccepted
    case timeRefused(AcceptedTime.Refusal)
    case timerFired
    case networkChanged
    case wokeUp
    case visibilityChanged(Bool)
    /// The values of an epoch that `prepare` asked for.
    case derived(OwnEpoch)
    /// The table that `useTable` asked for is in force.
    case tableInUse(Epoch)
    /// The outcome of `storeHighWater`.
    case highWaterStored(Epoch, VaultError?)
    /// What first contacts need is different from before.
    case firstContactNeeds(FirstContactNeeds)
    /// Somebody wants to search for a name that is on no table.
    case prepareSearch(Reply<SearchReadiness>, mayWait: Bool)
    /// Where can a name be reached?
    case search(OpaqueServiceName, Reply<[Endpoint]>)
    /// What the ports report.
    case ports(PortOutcome)
    /// The node stops.
    case stop
}

/// What the node must do for a link technology, each before the next.
enum LinkTechnologyEffect: Sendable {
    /// Tell the ports, behind what they were told before.
    case command(PortCommand)
    /// End every session and every call over this technology: with the same ports before and after a boundary they
    /// would connect this epoch with the next.
    case closeLinks
    case recognise(RecognitionEngine.Event)
    /// Forget the first messages of the epochs before this one.
    case retire(before: Epoch)
    /// Forget the keys of the periods before this one, and save.
    case forget(before: Period)
    /// Send `derived` for this epoch unless `isDerived`, and order its table.
    case prepare(Epoch, isDerived: Bool)
    /// Put the table of this epoch in force, and send `tableInUse`.
    case useTable(Epoch)
    /// This epoch is about to be shown.
    case noteHighWater(Epoch)
    /// Save, and send `highWaterStored`: without it nothing may be published, because a restart could show the epoch
    /// under another address.
    case storeHighWater(Epoch)
    case showing(Epoch)
    case silent(NodeEvent.SilenceReason)
    /// Links are accepted on this port, or cannot be.
    case listening(Result<UInt16, LinkError>)
    case found([Reply<[Endpoint]>], [Endpoint])
    case searchReadiness([Reply<SearchReadiness>], SearchReadiness)
}

/// What first contacts need of a link technology, whatever else is shown.
struct FirstContactNeeds: Hashable, Sendable {
    /// Whether an invitation is open, so that links must be accepted.
    var isInviting = false
    /// What the invitation answers to in this epoch.
    var answered: Answered?
    /// Whether an inviter is searched for.
    var isSearching = false

    /// The names under which an invitation is answered.
    struct Answered: Hashable, Sendable {
        let name: OpaqueServiceName
        let host: OpaqueHostName
    }

    /// Whether nothing but first contacts needs a server.
    var isAny: Bool { isInviting || isSearching }
}

/// Whether a search can begin.
enum SearchReadiness: Hashable, Sendable {
    case ready
    /// A silent gap is about to end in a publication; ask again.
    case wait
    case unavailable
}

/// What is asked of the ports of a link technology.
enum PortCommand: Sendable {
    case lan(LANCommand)
}

/// What the ports of a link technology report.
enum PortOutcome: Sendable {
    case lan(LANOutcome)
}

/// The node's source of randomness.
struct NodeRandomness: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) { self.source = source }

    mutating func next() -> UInt64 { source.next() }
}
