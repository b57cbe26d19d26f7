internal import InklingEngine
internal import InklingKeys

/// The node's record of its antennas: their states, the addresses of minors that came without one, and which antenna
/// can call which device.
///
/// A value without clock or tasks: it takes reports and returns what the node must do, in order.
struct AntennaBoard: Sendable {
    enum Effect: Hashable, Sendable {
        /// A beacon was heard; the engine decides whether it is a contact's.
        case heard(BeaconSighting, room: String?)
        /// Trouble to report.
        case trouble(AntennaTrouble)
        /// The antenna with this index must listen again.
        case listenAgain(Int)
    }

    private struct Place {
        let facts: AntennaFacts
        var state = AntennaSummary.State.connecting
        var watch: RadioRecoveryMachine
        var beacons: UInt64 = 0, others: UInt64 = 0, refused: UInt64 = 0, dropped: UInt64 = 0
        var last: Tick?
    }

    /// An antenna through which a device can be called, and the power at which it last heard the device.
    private struct Caller {
        var index: Int
        var rssi: Int8
        var heard: Tick
    }

    /// The maximum number of minors with a known address, and of addresses with a known antenna.
    static let addressLimit = 4096
    /// The time for which a stronger antenna stays the caller of a device without hearing it again, in milliseconds.
    static let callerMemory: UInt64 = 30_000
    /// The interval of checks for deafness, in milliseconds.
    static let checkInterval: UInt64 = 30_000

    private var places: [Place]
    private var addresses: [BeaconMinor: DeviceAddress] = [:]
    private var callers: [DeviceAddress: Caller] = [:]
    private var epoch: Epoch?
    /// The time of the next check of the antennas; nil until one has listened.
    private(set) var due: Tick?

    init(_ facts: [AntennaFacts]) {
        places = facts.map { facts in
            var times = RadioRecoveryMachine.Times()
            times.patience = facts.patience.wholeMilliseconds
            times.rest = max(times.rest, times.patience)
            // An antenna cannot be switched off and on.
            times.memory = 0
            return Place(facts: facts, watch: RadioRecoveryMachine(times: times))
        }
    }

    /// Returns the antennas with their current states.
    func summaries(at now: ClockReading) -> [AntennaSummary] {
        places.map { place in
            AntennaSummary(
                facts: place.facts, state: place.state, beacons: place.beacons, others: place.others,
                refused: place.refused, dropped: place.dropped,
                silentFor: place.last.map { now.tick.milliseconds(since: $0) })
        }
    }

    /// Handles a report of an antenna. `own` holds the minors that this device shows, which its antennas hear as well.
    mutating func handle(
        _ report: AntennaReport, from index: Int, own: Set<BeaconMinor>, at now: ClockReading
    ) -> [Effect] {
        guard places.indices.contains(index) else { return [] }
        switch report {
        case .listening:
            places[index].state = .listening
            due = due ?? now.tick.advanced(byMilliseconds: Self.checkInterval)
            return perform(places[index].watch.handle(.started, at: now.tick), for: index)
        case .heard(let minor, let sighting):
            places[index].beacons &+= 1
            let effects = hears(index, at: now.tick)
            guard !own.contains(minor) else { return effects }
            let heard = BeaconSighting(
                minor, from: address(of: minor, sighting, at: now), rssi: sighting.rssi, observed: sighting.observed,
                isReachable: noteCaller(index, of: sighting, at: now.tick))
            return effects + [.heard(heard, room: sighting.room ?? places[index].facts.room)]
        case .others(let count):
            places[index].others &+= UInt64(clamping: count)
            return hears(index, at: now.tick)
        case .refused(let count):
            places[index].refused &+= UInt64(clamping: count)
            return []
        case .dropped(let count):
            places[index].dropped &+= UInt64(clamping: count)
            return []
        case .failed(let error):
            let isNew = places[index].state != .failed(error)
            places[index].state = .failed(error)
            _ = places[index].watch.handle(.stopped, at: now.tick)
            return isNew ? [.trouble(AntennaTrouble(places[index].facts.name, .failed(error)))] : []
        case .ended:
            places[index].state = .ended
            _ = places[index].watch.handle(.stopped, at: now.tick)
            return [.trouble(AntennaTrouble(places[index].facts.name, .ended))]
        }
    }

    /// Returns the antenna that can call the device heard at this address in this epoch; nil if there is none.
    func caller(of address: DeviceAddress) -> Int? {
        callers[address].flatMap { places[$0.index].state == .listening ? $0.index : nil }
    }

    /// Checks the antennas once `due` has passed.
    mutating func timerFired(at now: Tick) -> [Effect] {
        guard let due, due <= now else { return [] }
        self.due = now.advanced(byMilliseconds: Self.checkInterval)
        return places.indices.flatMap { perform(places[$0].watch.handle(.timerFired, at: now), for: $0) }
    }

    private mutating func hears(_ index: Int, at now: Tick) -> [Effect] {
        places[index].last = now
        return perform(places[index].watch.handle(.heard, at: now), for: index)
    }

    private mutating func perform(_ effects: [RadioRecoveryMachine.Effect], for index: Int) -> [Effect] {
        var result: [Effect] = []
        for effect in effects {
            switch effect {
            case .hearing: places[index].state = .listening
            case .recover(let step):
                let isNew = places[index].state != .deaf
                places[index].state = .deaf
                if isNew { result.append(.trouble(AntennaTrouble(places[index].facts.name, .deaf))) }
                if step == .scanAgain { result.append(.listenAgain(index)) }
            }
        }
        return result
    }

    /// Returns the address at which a minor was heard. Antennas with and without addresses must not make one device
    /// look like two, so a sighting without an address gets the one known for the minor in this epoch.
    private mutating func address(
        of minor: BeaconMinor, _ sighting: AntennaSighting, at now: ClockReading
    ) -> DeviceAddress {
        let current = Epoch(containing: now.unixSeconds)
        if current != epoch || addresses.count >= Self.addressLimit { addresses = [:] }
        if current != epoch { callers = [:] }
        epoch = current
        if let address = sighting.address {
            addresses[minor] = address
            return address
        }
        return addresses[minor] ?? DeviceAddress(standingForMinor: minor.value)
    }

    /// Keeps the connectable antenna that hears a device best; returns whether this one can call the device.
    private mutating func noteCaller(_ index: Int, of sighting: AntennaSighting, at now: Tick) -> Bool {
        guard places[index].facts.canConnect, let address = sighting.address else { return false }
        if let other = callers[address], other.index != index, other.rssi >= sighting.rssi,
            places[other.index].state == .listening, now.milliseconds(since: other.heard) < Self.callerMemory
        {
            return true
        }
        guard callers[address] != nil || callers.count < Self.addressLimit else { return false }
        callers[address] = Caller(index: index, rssi: sighting.rssi, heard: now)
        return true
    }
}
