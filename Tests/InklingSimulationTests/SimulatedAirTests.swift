import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Synchronization
import Testing

@Suite struct SimulatedAirTests {
    @Test func `a radio hears the beacons of the radios in range, and not its own`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (one, other, far) = (Air.host(simulation), Air.host(simulation), Air.host(simulation))
            simulation.air.separate([[one.radio, other.radio], [far.radio]])
            let listening = try await Air.open(one, minor: 1)
            _ = try await Air.open(other, minor: 2)
            _ = try await Air.open(far, minor: 3)
            let heard = Air.collect(listening, in: simulation)
            await simulation.advance(bySeconds: 60)
            let sightings = heard.sightings
            #expect(Set(sightings.map(\.minor.value)) == [2])
            #expect(Set(sightings.map(\.address)) == [try #require(other.radio.address)])
            // Half of sixty, which the scan does not miss.
            #expect((15...45).contains(sightings.count))
            #expect(sightings.allSatisfy { (-66...(-54)).contains($0.rssi) })
            simulation.air.bringTogether()
            await simulation.advance(bySeconds: 60)
            #expect(Set(heard.sightings.map(\.minor.value)) == [2, 3])
        }
    }

    @Test func `the time of a sighting is that of the frame, on the clock of the radio that hears it`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let one = simulation.addHost(clockError: 70_000, hasRadio: true)
            let other = Air.host(simulation)
            simulation.air.conditions.reportDelay = 400...400
            simulation.air.conditions.duty = 1
            let heard = Air.collect(try await Air.open(one, minor: 1), in: simulation)
            _ = try await Air.open(other, minor: 2)
            let sent = one.clock.read().unixMilliseconds
            await simulation.advance(byMilliseconds: 399)
            #expect(heard.sightings.isEmpty)
            await simulation.advance(byMilliseconds: 1)
            #expect(heard.sightings.map(\.observed.unixMilliseconds) == [sent])
        }
    }

    @Test func `each session has a new private address, and the capture tells them apart`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let host = Air.host(simulation)
            for minor in 1...20 as ClosedRange<UInt16> {
                let session = try await Air.open(host, minor: minor)
                await simulation.advance(bySeconds: 5)
                await session.close()
                await simulation.advance(bySeconds: 5)
            }
            let broadcasts = simulation.air.broadcasts(from: host.radio)
            #expect(broadcasts.compactMap(\.minor?.value) == Array(1...20))
            #expect(Set(broadcasts.map(\.address)).count == 20)
            #expect(broadcasts.allSatisfy { $0.addressType == .resolvablePrivate && $0.address.value >> 46 == 0b01 })
            #expect(broadcasts.allSatisfy { $0.isConnectable && $0.frames == 5 })
            for (broadcast, next) in zip(broadcasts, broadcasts.dropFirst()) {
                #expect((4000...4050).contains(broadcast.last - broadcast.first))
                #expect(next.first >= broadcast.last + 5000)
            }
            #expect(broadcasts.allSatisfy { (try? IBeacon(parsing: $0.bytes.span))?.minor == $0.minor })
        }
    }

    @Test func `a closed session sends nothing, and its streams end`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (one, other) = (Air.host(simulation), Air.host(simulation))
            let session = try await Air.open(one, minor: 1)
            let heard = Air.collect(session, in: simulation)
            _ = try await Air.open(other, minor: 2)
            await simulation.advance(bySeconds: 10)
            await session.close()
            await simulation.settle()
            #expect(heard.hasEnded)
            let before = simulation.air.broadcasts(from: one.radio)
            let count = heard.sightings.count
            await simulation.advance(bySeconds: 60)
            #expect(simulation.air.broadcasts(from: one.radio) == before)
            #expect(heard.sightings.count == count)
            #expect(one.radio.address == nil)
            #expect(simulation.air.sessionCount == 1)
        }
    }

    @Test func `a radio refuses a second session, and an error that a test asks for`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let host = Air.host(simulation)
            let session = try await Air.open(host, minor: 1)
            await #expect(throws: RadioError.refused) { try await Air.open(host, minor: 2) }
            await session.close()
            host.radio.faults.opening = .exposed(.privacy)
            await #expect(throws: RadioError.exposed(.privacy)) { try await Air.open(host, minor: 2) }
            #expect(simulation.air.broadcasts.count == 1)
            host.radio.faults.opening = nil
            _ = try await Air.open(host, minor: 2)
        }
    }

    @Test func `a radio that crashes is off the air and says why`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (one, other) = (Air.host(simulation), Air.host(simulation))
            let session = try await Air.open(one, minor: 1)
            let heard = Air.collect(session, in: simulation)
            let peer = try await Air.open(other, minor: 2)
            let link = try await one.radio.connect(to: try #require(other.radio.address), within: .seconds(5))
            one.radio.crash(with: .noAdapter)
            await simulation.settle()
            #expect(heard.reports.last == .failed(.noAdapter))
            #expect(heard.hasEnded)
            await #expect(throws: LinkError.closed) { try await link.send([0x10]) }
            await #expect(throws: LinkError.closed) { try await one.radio.connect(to: .some(1), within: .seconds(5)) }
            await session.close()
            _ = try await Air.open(one, minor: 3)
            await peer.close()
        }
    }

    @Test func `a deaf radio hears nothing, and says so in every session`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (one, other) = (Air.host(simulation), Air.host(simulation))
            _ = try await Air.open(other, minor: 2)
            let session = try await Air.open(one, minor: 1)
            let heard = Air.collect(session, in: simulation)
            await simulation.advance(bySeconds: 20)
            let count = heard.sightings.count
            #expect(count > 0)
            one.radio.becomeDeaf()
            one.radio.becomeDeaf(taking: .powerCycle)
            await simulation.advance(bySeconds: 60)
            #expect(heard.sightings.count <= count + 1)
            #expect(
                heard.reports.filter { if case .deaf = $0 { true } else { false } } == [
                    .deaf(.scanAgain), .deaf(.powerCycle),
                ])
            await session.close()
            let later = Air.collect(try await Air.open(one, minor: 3), in: simulation)
            await simulation.advance(bySeconds: 20)
            #expect(later.sightings.isEmpty)
            #expect(later.reports.contains(.deaf(.powerCycle)))
            one.radio.hearAgain()
            await simulation.advance(bySeconds: 20)
            #expect(later.reports.contains(.hearing))
            #expect(!later.sightings.isEmpty)
        }
    }

    @Test func `a host that is asleep neither sends nor hears`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (one, other) = (Air.host(simulation), Air.host(simulation))
            _ = try await Air.open(one, minor: 1)
            let heard = Air.collect(try await Air.open(other, minor: 2), in: simulation)
            await simulation.advance(bySeconds: 10)
            one.clock.suspend()
            let count = heard.sightings.count
            await simulation.advance(bySeconds: 60)
            #expect(heard.sightings.count == count)
            one.clock.resume()
            other.clock.suspend()
            await simulation.advance(bySeconds: 60)
            other.clock.resume()
            await simulation.settle()
            #expect(heard.sightings.count <= count + 1)
            await simulation.advance(bySeconds: 60)
            #expect(heard.sightings.count > count + 10)
        }
    }

    @Test func `loss and pauses of the scan follow the seed`() async throws {
        func heard(_ seed: UInt64, _ change: @escaping @Sendable (inout AirConditions) -> Void) async throws -> [UInt64]
        {
            try await Simulation.run(seed: seed) { simulation in
                change(&simulation.air.conditions)
                let (one, other) = (Air.host(simulation), Air.host(simulation))
                let heard = Air.collect(try await Air.open(one, minor: 1), in: simulation)
                _ = try await Air.open(other, minor: 2)
                await simulation.advance(bySeconds: 600)
                return heard.sightings.map(\.observed.unixMilliseconds)
            }
        }
        let all = try await heard(9) { $0.duty = 1 }
        #expect((590...600).contains(all.count))
        let lossy = try await heard(9) {
            $0.duty = 1; $0.loss = 0.75
        }
        #expect((100...200).contains(lossy.count))
        let paused = try await heard(9) {
            $0.duty = 1; $0.pauses = 0.1; $0.pause = 20_000...20_000
        }
        #expect(zip(paused, paused.dropFirst()).contains { $1 - $0 >= 20_000 })
        #expect(!zip(all, all.dropFirst()).contains { $1 - $0 > 1100 })
        #expect(
            try await heard(9) {
                $0.duty = 1; $0.loss = 0.75
            } == lossy)
        #expect(
            try await heard(10) {
                $0.duty = 1; $0.loss = 0.75
            } != lossy)
    }

    @Test func `a session says how long its radio may miss a device`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let host = Air.host(simulation)
            let heard = Air.collect(try await Air.open(host, minor: 1), in: simulation)
            await simulation.settle()
            // 1 of 2^14 times, fourteen frames in a row are missed.
            #expect(heard.reports.first == .gap(.seconds(14)))
        }
    }

    @Test func `a stranger shows any minor under any address`() async throws {
        try await Simulation.run(seed: 12) { simulation in
            simulation.air.conditions.duty = 1
            let host = Air.host(simulation)
            let heard = Air.collect(try await Air.open(host, minor: 1), in: simulation)
            let stranger = simulation.air.addStranger()
            let address = try #require(DeviceAddress("c0ffee000001"))
            for minor in 100..<110 as Range<UInt16> {
                stranger.show(BeaconMinor(minor), from: address, rssi: -90)
                await simulation.advance(byMilliseconds: 50)
            }
            stranger.showOverflow(from: address)
            await simulation.advance(byMilliseconds: 50)
            #expect(heard.sightings.map(\.minor.value) == Array(100..<110))
            #expect(heard.sightings.allSatisfy { $0.address == address && $0.rssi < -80 })
            guard case .overflow(address, _) = heard.reports.last else {
                Issue.record("the overflow area was not reported")
                return
            }
            let shown = simulation.air.broadcasts(from: stranger.radio)
            #expect(shown.count == 11)
            #expect(shown.allSatisfy { $0.addressType == .staticRandom && $0.first == $0.last })
            let area = try #require(shown.last).bytes
            let isOurs = try OverflowArea.matches(.service, parsing: area.span)
            #expect(isOurs)
        }
    }

    @Test func `a host has Bluetooth among its ports only when it was added with a radio`() async throws {
        try await Simulation.run(seed: 13) { simulation in
            #expect(simulation.addHost().ports.bluetooth == nil)
            #expect(simulation.addHost(hasRadio: true).ports.bluetooth != nil)
        }
    }
}

/// Helpers for tests of the air.
enum Air {
    /// The reports of a session so far.
    final class Heard: Sendable {
        private let state = Mutex<(reports: [RadioReport], hasEnded: Bool)>(([], false))

        var reports: [RadioReport] { state.withLock { $0.reports } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }
        var sightings: [BeaconSighting] {
            reports.compactMap { if case .heard(let sighting) = $0 { sighting } else { nil } }
        }

        func add(_ report: RadioReport) { state.withLock { $0.reports.append(report) } }
        func end() { state.withLock { $0.hasEnded = true } }
    }

    static func host(_ simulation: Simulation) -> SimulatedHost { simulation.addHost(hasRadio: true) }

    /// The publication with a minor, and a tag that has the minor as its last bytes.
    static func publication(_ minor: UInt16) -> RadioPublication {
        RadioPublication(minor: BeaconMinor(minor), tag: RecognitionTag(Octets16(high: 7, low: UInt64(minor))))
    }

    static func open(_ host: SimulatedHost, minor: UInt16) async throws(RadioError) -> any RadioSession {
        try await host.radio.open(publication(minor))
    }

    static func collect(_ session: any RadioSession, in simulation: Simulation) -> Heard {
        let heard = Heard()
        simulation.start {
            for await report in session.reports { heard.add(report) }
            heard.end()
        }
        return heard
    }
}

extension DeviceAddress {
    /// An address for tests, which nobody shows.
    static func some(_ number: UInt64) -> DeviceAddress { DeviceAddress(number) ?? .some(0) }
}
