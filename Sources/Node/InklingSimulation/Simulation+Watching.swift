package import InklingEngine
package import InklingWire
internal import Synchronization

// What a world of many nodes needs beyond the tests of single ones: captures that are taken away, so that a day of many
// nodes fits into memory, hosts that lose their power, and hosts that leave out what the specification requires.

extension SimulatedNetwork {
    /// Returns the traffic since the last call, in order, and forgets it.
    package func takeSightings() -> [NetworkSighting] {
        state.withLock { state in
            defer { state.log.removeAll(keepingCapacity: true) }
            return state.log
        }
    }

    /// Returns the number of the host that has or had an address; nil for an address that none had.
    package func owner(of address: Endpoint.Address) -> Int? {
        guard case .v4(let value) = address, value > Self.addressBase else { return nil }
        let place = Int(value - Self.addressBase) - 1
        return state.withLock { $0.owners.indices.contains(place) ? $0.owners[place] : nil }
    }

    /// Returns the largest number of links of one source to a host that have not authenticated and are open at its end.
    package func strangers(at host: SimulatedHost) -> Int {
        state.withLock { state in
            var counts: [Int: Int] = [:]
            for connection in state.connections.values
            where connection.isStranger && connection.ends[1].host == host.number && !connection.ends[1].isClosed {
                counts[connection.ends[0].host, default: 0] += 1
            }
            return counts.values.max() ?? 0
        }
    }
}

extension SimulatedAir {
    /// Returns the broadcasts and links that have ended since the last call, and forgets them.
    package func takeEnded() -> (broadcasts: [AirBroadcast], links: [AirLink]) {
        state.withLock { state in
            defer {
                state.broadcasts = []
                state.links = []
            }
            return (state.broadcasts, state.links)
        }
    }
}

extension SimulatedHost {
    /// The number of the host, by which captures name it.
    package var place: Int { number }
    /// The number of the host's radio, by which captures name it.
    package var station: Int { radio.station }

    /// Turns the host off, as when its battery is empty: nothing leaves it and nothing arrives any more. What runs on it
    /// must be ended by its owner.
    package func losePower() {
        network.setConnected(number, false)
        radio.air.state.withLock { $0.stations[radio.station].isPowered = false }
    }

    /// Turns the host on again; nothing of what ran on it is left.
    package func regainPower() {
        network.setConnected(number, true)
        radio.air.state.withLock { $0.stations[radio.station].isPowered = true }
    }

    /// Makes the listeners of the host keep every link of a stranger, as no node may.
    package func keepEveryStranger() {
        var limits = UnauthenticatedLinks<Int, Endpoint.Address>.Limits()
        limits.strangers = .max
        limits.strangersPerSource = .max
        limits.passed = .max
        limits.passedPerSource = .max
        network.state.withLock { [limits] in $0.hosts[number].limits = limits }
    }

    /// Makes the radio use one address for ever, as no node may.
    package func pinAddress(_ address: DeviceAddress) {
        radio.air.state.withLock { $0.stations[radio.station].pinned = address }
    }
}
