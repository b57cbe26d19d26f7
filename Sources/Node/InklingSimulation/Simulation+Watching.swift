package import InklingEngine
package import InklingWire
internal import Synchronization

// Additions for worlds of many nodes: captures that are taken away, so that a day of many nodes fits into memory, hosts
// that lose power, and hosts that violate the specification.

extension SimulatedNetwork {
    /// Returns the traffic since the last call, in order, and drops it.
    package func takeSightings() -> [NetworkSighting] {
        state.withLock { state in
            defer { state.log.removeAll(keepingCapacity: true) }
            return state.log
        }
    }

    /// Returns the number of the host that has or had an address; nil if none did.
    package func owner(of address: Endpoint.Address) -> Int? {
        guard case .v4(let value) = address, value > Self.addressBase else { return nil }
        let place = Int(value - Self.addressBase) - 1
        return state.withLock { $0.owners.indices.contains(place) ? $0.owners[place] : nil }
    }

    /// Returns the maximum number of unauthenticated links from one source that are open at a host's end.
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
    /// Returns the broadcasts and links that have ended since the last call, and drops them.
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
    /// The number of the host in captures.
    package var place: Int { number }
    /// The number of the host's radio in captures.
    package var station: Int { radio.station }

    /// Turns the host off, as if its battery were empty: nothing leaves it and nothing arrives. The owner must end what
    /// runs on it.
    package func losePower() {
        network.setConnected(number, false)
        radio.air.state.withLock { $0.stations[radio.station].isPowered = false }
    }

    /// Turns the host on again; nothing of what ran on it is left.
    package func regainPower() {
        network.setConnected(number, true)
        radio.air.state.withLock { $0.stations[radio.station].isPowered = true }
    }

    /// Makes the listeners of the host keep every stranger's link, which no node may do.
    package func keepEveryStranger() {
        var limits = UnauthenticatedLinks<Int, Endpoint.Address>.Limits()
        limits.strangers = .max
        limits.strangersPerSource = .max
        limits.passed = .max
        limits.passedPerSource = .max
        network.state.withLock { [limits] in $0.hosts[number].limits = limits }
    }

    /// Makes the radio use one address forever, which no node may do.
    package func pinAddress(_ address: DeviceAddress) {
        radio.air.state.withLock { $0.stations[radio.station].pinned = address }
    }
}
