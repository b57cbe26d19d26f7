public import InklingEngine
public import InklingKeys
public import InklingNode
internal import InklingWire
internal import Synchronization

/// What is wrong with a radio; a change affects what begins afterwards.
public struct RadioFaults: Hashable, Sendable {
    /// How an attempt to connect ends.
    public enum Connecting: Hashable, Sendable {
        /// It fails with this error number of the system.
        case fails(code: Int32)
        /// It ends at its deadline.
        case hangs
    }

    /// What happens to a link, whichever side has made it.
    public enum Links: Hashable, Sendable {
        /// Nothing arrives on it, in either direction.
        case mute
        /// It ends this long after it was made.
        case reset(after: Duration)
    }

    /// With what `open` fails.
    public var opening: RadioError?
    /// How attempts to connect end.
    public var connecting: Connecting?
    /// What happens to links.
    public var links: Links?

    /// Creates a radio without faults.
    public init() {}
}

/// Bluetooth of a simulated host: a beacon under an address of its own for each session, a scan that hears a part of
/// what is on the air, and links with the limits and the silence that `Specs/handshake.md` requires.
public final class SimulatedRadio: BluetoothRadio {
    let station: Int
    let air: SimulatedAir

    init(station: Int, air: SimulatedAir) {
        self.station = station
        self.air = air
    }

    public func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession {
        // Until the adapter shows the beacon.
        do { try await air.pause(air.openingTime()) } catch {}
        return try air.open(publication, on: station)
    }

    public func connect(
        to address: DeviceAddress, within timeout: Duration
    ) async throws(LinkError) -> any TaggedLink {
        try await air.connect(from: station, to: address, within: timeout)
    }

    public func expect(_ minors: Set<BeaconMinor>) {
        air.state.withLock { $0.stations[station].expected = minors }
    }

    // MARK: Control by a test

    /// The minors that the node expects now.
    public var expectedMinors: Set<BeaconMinor> { air.state.withLock { $0.stations[station].expected } }

    /// Makes the radio report that it hears too much; until its session ends it leaves out frames whose minor is not
    /// expected, and phones in the background.
    public func becomeCrowded() { air.crowd(station) }

    /// What is wrong with the radio.
    public var faults: RadioFaults {
        get { air.state.withLock { $0.stations[station].faults } }
        set { air.state.withLock { $0.stations[station].faults = newValue } }
    }

    /// Whether sessions that open from now on carry links. A radio that carries none shows a beacon to which nobody can
    /// connect.
    public var carriesLinks: Bool {
        get { air.state.withLock { $0.stations[station].carriesLinks } }
        set { air.state.withLock { $0.stations[station].carriesLinks = newValue } }
    }

    /// Makes the radio deaf, and reports that it takes this step, in this session and at the beginning of later ones.
    public func becomeDeaf(taking step: RadioRecovery = .scanAgain) { air.deafen(station, step) }

    /// Ends `becomeDeaf`.
    public func hearAgain() { air.deafen(station, nil) }

    /// Ends the open session, as when the adapter is pulled out: nothing more is sent, and the session reports `error`.
    public func crash(with error: RadioError) { air.crash(station, error) }

    /// Breaks every link of the radio, as an adapter does when it loses its state.
    public func resetLinks() { air.resetLinks(of: station) }

    /// The address under which the radio is on the air; nil while it is not.
    public var address: DeviceAddress? {
        air.state.withLock { state in
            state.stations[station].session.flatMap { state.sessions[$0]?.broadcast?.address }
        }
    }

    /// Whether a session is open, in which the radio is on the air or only listens.
    public var isOpen: Bool { air.state.withLock { $0.stations[station].session != nil } }
}

/// A simulated radio that is on the air or listens.
public final class SimulatedRadioSession: RadioSession {
    public let carriesLinks: Bool
    public let reports: AsyncStream<RadioReport>
    public let links: AsyncStream<any Link>
    private let number: Int
    private let air: SimulatedAir

    init(
        number: Int, air: SimulatedAir, carriesLinks: Bool, reports: AsyncStream<RadioReport>,
        links: AsyncStream<any Link>
    ) {
        self.number = number
        self.air = air
        self.carriesLinks = carriesLinks
        self.reports = reports
        self.links = links
    }

    public func close() async { air.close(number) }
}
