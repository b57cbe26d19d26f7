internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// The air between simulated radios: their ranges, frames that are heard or lost, links, and a capture of everything
/// that was sent.
public final class SimulatedAir: Sendable {
    struct State {
        var stations: [Station] = []
        var conditions = AirConditions()
        var generator: SimulationGenerator
        /// Pairs of stations that are out of range of each other.
        var cuts: Set<SimulatedNetwork.Cut> = []
        var sessions: [Int: AirSession] = [:]
        /// The numbers of the open sessions in the order in which they were opened.
        var sessionOrder: [Int] = []
        var connections: [Int: Connection] = [:]
        var waits: [Int: Wait] = [:]
        var broadcasts: [AirBroadcast] = []
        var links: [AirLink] = []
        var calls: [AirCall] = []
        var openings: [AirOpening] = []
        var count = 0
    }

    /// A radio, on the air or not.
    struct Station {
        let clock: SimulatedClock
        let profile: ApplicationProfile
        var session: Int?
        var carriesLinks = true
        var faults = RadioFaults()
        /// Whether the radio has power; otherwise nothing is sent and nothing arrives.
        var isPowered = true
        /// The fixed address of every session, which no radio of a node may have.
        var pinned: DeviceAddress?
        /// The recovery step that a deaf radio reports; nil for a radio that hears.
        var deafness: RadioRecovery?
        /// The minors that the node expects.
        var expected: Set<BeaconMinor> = []
        /// The time until which the scan is stopped.
        var pausedUntil: UInt64 = 0
    }

    /// The maximum numbers of broadcasts, links and calls kept; the oldest are dropped first.
    public static let logLimit = 200_000

    let timeline: Timeline
    let state: Mutex<State>

    init(seed: UInt64, timeline: Timeline) {
        self.timeline = timeline
        state = Mutex(State(generator: SimulationGenerator(seed: seed ^ 0x6169_7200_6169_7200)))
    }

    // MARK: Control by a test

    /// The conditions of the air.
    public var conditions: AirConditions {
        get { state.withLock { $0.conditions } }
        set { state.withLock { $0.conditions = newValue } }
    }

    /// Puts radios of different groups out of range of each other. Links between groups break after 5 seconds.
    public func separate(_ groups: [[SimulatedRadio]]) {
        let numbers = state.withLock { state in
            state.cuts = []
            for (index, group) in groups.enumerated() {
                for other in groups[(index + 1)...].joined() {
                    for radio in group { state.cuts.insert(.init(radio.station, other.station)) }
                }
            }
            return state.connections.keys.sorted()
        }
        for number in numbers { breakIfApart(number) }
    }

    /// Brings all radios into range of each other.
    public func bringTogether() { state.withLock { $0.cuts = [] } }

    /// Adds a radio without a node, which can send any frame and connect without showing anything.
    public func addStranger() -> SimulatedStranger {
        let clock = SimulatedClock(timeline: timeline, unixMilliseconds: 0)
        return SimulatedStranger(radio: SimulatedRadio(station: addStation(clock: clock), air: self))
    }

    func addStation(clock: SimulatedClock, profile: ApplicationProfile = .inkling) -> Int {
        state.withLock { state in
            state.stations.append(Station(clock: clock, profile: profile))
            return state.stations.count - 1
        }
    }

    // MARK: Capture

    /// All frames that an observer could have heard, ordered by the first of each broadcast.
    public var broadcasts: [AirBroadcast] {
        state.withLock { state in
            let open = state.sessionOrder.compactMap { state.sessions[$0]?.broadcast }
            return (state.broadcasts + open).sorted { ($0.first, $0.address) < ($1.first, $1.address) }
        }
    }

    /// All links that an observer could have followed, ordered by their beginning.
    public var links: [AirLink] {
        state.withLock { state in
            let open = state.connections.values.map(\.log)
            return (state.links + open).sorted { ($0.first, $0.initiator) < ($1.first, $1.initiator) }
        }
    }

    /// Every attempt to connect, in order.
    public var calls: [AirCall] { state.withLock { $0.calls } }

    /// Returns the frames sent by a radio.
    public func broadcasts(from radio: SimulatedRadio) -> [AirBroadcast] {
        broadcasts.filter { $0.station == radio.station }
    }

    /// Returns the links made by a radio.
    public func links(from radio: SimulatedRadio) -> [AirLink] { links.filter { $0.stations.first == radio.station } }

    /// Returns the links accepted by a radio.
    public func links(to radio: SimulatedRadio) -> [AirLink] { links.filter { $0.stations.last == radio.station } }

    /// Returns a radio's attempts to connect.
    public func calls(from radio: SimulatedRadio) -> [AirCall] { calls.filter { $0.station == radio.station } }

    /// Returns when a radio was told to go on the air, whether or not it did, in milliseconds since the simulation
    /// began.
    public func openings(of radio: SimulatedRadio) -> [UInt64] {
        state.withLock { $0.openings.filter { $0.station == radio.station }.map(\.time) }
    }

    /// The number of open links.
    public var linkCount: Int { state.withLock { $0.connections.values.count { $0.log.last == nil } } }

    /// The number of radios that are on the air or listen.
    public var sessionCount: Int { state.withLock { $0.sessions.count } }

    // MARK: Waiting

    /// A wait for time to pass or for a session to end.
    struct Wait {
        let session: Int?
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Returns after a delay, or as soon as the session has ended.
    ///
    /// - Throws: `LinkError.closed` as soon as the task is cancelled.
    func pause(_ delay: UInt64, during session: Int? = nil) async throws(LinkError) {
        let number = state.withLock { $0.nextNumber() }
        let end: @Sendable () -> Void = { [self] in
            state.withLock { $0.waits.removeValue(forKey: number) }?.continuation.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waits[number] = Wait(session: session, continuation: continuation) }
                timeline.schedule(after: delay, end)
                let isOver = session.map { session in state.withLock { $0.sessions[session] == nil } } ?? false
                if Task.isCancelled || isOver { end() }
            }
        } onCancel: {
            end()
        }
        if Task.isCancelled { throw .closed }
    }

    func endWaits(during session: Int) {
        let ended = state.withLock { state in
            let numbers = state.waits.filter { $0.value.session == session }.keys.sorted()
            return numbers.compactMap { state.waits.removeValue(forKey: $0) }
        }
        for wait in ended { wait.continuation.resume() }
    }

    /// Runs an action on a station after `delay` milliseconds, or, if its host is asleep then, when it wakes.
    func deliver(to station: Int, after delay: UInt64, _ action: @escaping @Sendable () -> Void) {
        let clock = state.withLock { $0.stations[station].clock }
        clock.schedule(at: clock.read().tick.advanced(byMilliseconds: delay), action)
    }
}

extension SimulatedAir.State {
    mutating func nextNumber() -> Int {
        count += 1
        return count
    }

    func reaches(_ one: Int, _ other: Int) -> Bool {
        stations[one].isPowered && stations[other].isPowered && !cuts.contains(.init(one, other))
    }

    /// Draws a random address of a type that has one.
    mutating func nextAddress(_ type: AirAddressType) -> DeviceAddress {
        while true {
            let random = UInt64.random(in: 0..<(1 << 46), using: &generator)
            if let address = DeviceAddress((type.prefix ?? 0) << 46 | random) { return address }
        }
    }

    mutating func note(_ broadcast: AirBroadcast) { broadcasts.appendBounded(broadcast) }
    mutating func note(_ link: AirLink) { links.appendBounded(link) }
    mutating func note(_ call: AirCall) { calls.appendBounded(call) }
}

extension Array {
    mutating func appendBounded(_ element: Element) {
        if count >= SimulatedAir.logLimit { removeFirst(SimulatedAir.logLimit / 10) }
        append(element)
    }
}
