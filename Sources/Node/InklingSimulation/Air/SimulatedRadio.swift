public import InklingEngine
public import InklingKeys
public import InklingNode
internal import InklingWire
internal import Synchronization

/// The faults of a radio; a change affects what begins afterwards.
public struct RadioFaults: Hashable, Sendable {
    /// The outcome of an attempt to connect.
    public enum Connecting: Hashable, Sendable {
        /// It fails with this system error number.
        case fails(code: Int32)
        /// It ends at its deadline.
        case hangs
    }

    /// The fault of a link, whichever side has made it.
    public enum Links: Hashable, Sendable {
        /// Nothing arrives on it, in either direction.
        case mute
        /// It ends this long after it was made.
        case reset(after: Duration)
    }

    /// The error of `open`; nil for none.
    public var opening: RadioError?
    /// The outcome of attempts to connect; nil without a fault.
    public var connecting: Connecting?
    /// The fault of links; nil for none.
    public var links: Links?

    /// Creates a radio without faults.
    public init() {}
}

/// The Bluetooth radio of a simulated host: a beacon under a new address in each session, a scan that hears part of the
/// frames on the air, and links with the limits and the silence that `Specs/handshake.md` requires.
public final class SimulatedRadio: BluetoothRadio {
    let station: Int
    let air: SimulatedAir

    init(station: Int, air: SimulatedAir) {
        self.station = station
        self.air = air
    }

    public func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession {
        // Wait until the adapter shows the beacon.
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

    /// The minors that the node currently expects.
    public var expectedMinors: Set<BeaconMinor> { air.state.withLock { $0.stations[station].expected } }

    /// Makes the radio report that it hears too much; until its session ends it ignores phones in the background and
    /// frames with unexpected minors.
    public func becomeCrowded() { air.crowd(station) }

    /// The faults of the radio.
    public var faults: RadioFaults {
        get { air.state.withLock { $0.stations[station].faults } }
        set { air.state.withLock { $0.stations[station].faults = newValue } }
    }

    /// Whether sessions opened from now on carry links. A radio without links shows a beacon that is not connectable.
    public var carriesLinks: Bool {
        get { air.state.withLock { $0.stations[station].carriesLinks } }
        set { air.state.withLock { $0.stations[station].carriesLinks = newValue } }
    }

    /// Makes the radio deaf, reporting this recovery step in this session and at the beginning of later ones.
    public func becomeDeaf(taking step: RadioRecovery = .scanAgain) { air.deafen(station, step) }

    /// Makes a deaf radio hear again.
    public func hearAgain() { air.deafen(station, nil) }

    /// Ends the open session, as if the adapter were pulled out: nothing more is sent, and the session reports `error`.
    public func crash(with error: RadioError) { air.crash(station, error) }

    /// Breaks every link of the radio, like an adapter that loses its state.
    public func resetLinks() { air.resetLinks(of: station) }

    /// The address under which the radio is on the air; nil while it is not.
    public var address: DeviceAddress? {
        air.state.withLock { state in
            state.stations[station].session.flatMap { state.sessions[$0]?.broadcast?.address }
        }
    }

    /// Whether a session is open, in which the radio is on the air or listens.
    public var isOpen: Bool { air.state.withLock { $0.stations[station].session != nil } }
}

/// The session of a simulated radio that is on the air or listens.
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
