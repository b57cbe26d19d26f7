internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingWire
internal import Synchronization

/// Somebody without keys on the network and on the air, who copies what is shown and sends what was sent.
actor Attacker {
    private let simulation: Simulation
    private let host: SimulatedHost
    private let radio: SimulatedStranger
    private var generator: SimulationGenerator
    /// First messages that somebody has answered already, and may not be answered again.
    private var answered: Set<[UInt8]> = []
    private var found: [(time: UInt64, words: String)] = []
    private(set) var replays = 0

    init(in simulation: Simulation, seed: UInt64) {
        self.simulation = simulation
        host = simulation.addHost()
        radio = simulation.air.addStranger()
        generator = SimulationGenerator(seed: seed)
    }

    /// The replays that were answered since the last call.
    func takeFindings() -> [(time: UInt64, words: String)] {
        defer { found = [] }
        return found
    }

    nonisolated var place: SimulatedHost { host }
    nonisolated var station: SimulatedRadio { radio.radio }

    /// Shows the name of a node with another address, and takes calls without an answer.
    func imitate(_ announcement: Watch.Announcement, forSeconds seconds: UInt64) async {
        guard let listener = try? await host.links.listen() else { return }
        let instance = ServiceInstance(
            name: announcement.instance.name, host: announcement.instance.host, port: listener.port)
        let session = try? await host.discovery.open(
            Publication(announced: instance, browses: false), recognising: KnownNames())
        simulation.start { [generator] in
            var generator = generator
            for await link in listener.links {
                _ = try? await link.receive(upTo: 4096, within: .seconds(3))
                // Half of the calls get an answer of the right size.
                if Bool.random(using: &generator) { try? await link.send(Self.noise(97, 0x20, using: &generator)) }
                await link.close()
            }
        }
        await pause(seconds * 1000)
        await session?.close(goodbye: Bool.random(using: &generator))
        await listener.close()
    }

    /// Sends a first message to its receiver again.
    func replay(_ message: Watch.FirstMessage, to announcement: Watch.Announcement) async {
        replays += 1
        let endpoint = Endpoint(address: announcement.address, port: announcement.instance.port)
        guard let link = try? await host.links.connect(to: endpoint, within: .seconds(5)) else { return }
        try? await link.send(message.packet)
        let answer = try? await link.receive(upTo: 65_535, within: .seconds(4))
        await link.close()
        guard answer != nil else { return }
        if message.isAnswered || answered.contains(message.packet) {
            found.append((simulation.elapsed, "\(message.to) answered a first message of \(message.from) again"))
        }
        answered.insert(message.packet)
    }

    /// Opens many links to a node and sends what no contact sends.
    func flood(_ announcement: Watch.Announcement, links count: Int) async {
        let endpoint = Endpoint(address: announcement.address, port: announcement.instance.port)
        for number in 0..<count {
            let length = number % 2 == 0 ? 129 : Int.random(in: 1...400, using: &generator)
            let bytes = Self.noise(length, 0x10, using: &generator)
            let isWordless = number % 5 == 4
            simulation.start { [host] in
                guard let link = try? await host.links.connect(to: endpoint, within: .seconds(5)) else { return }
                if let link = link as? SimulatedLink, isWordless {
                    try? link.announce(byteCount: 60_000)
                } else {
                    try? await link.send(bytes)
                }
                _ = try? await link.receive(upTo: 65_535, within: .seconds(20))
                await link.close()
            }
        }
    }

    /// Shows minors that nodes have shown, from other addresses.
    func copy(_ minors: [BeaconMinor]) async {
        for _ in 0..<30 {
            for minor in minors.suffix(4) {
                let random = UInt64.random(in: 1..<(1 << 46), using: &generator)
                if let address = DeviceAddress(0b01 << 46 | random) { radio.show(minor, from: address) }
            }
            await pause(2000)
        }
    }

    private func pause(_ milliseconds: UInt64) async {
        try? await host.clock.sleep(until: host.clock.read().tick.advanced(byMilliseconds: milliseconds))
    }

    private static func noise(_ count: Int, _ first: UInt8, using generator: inout SimulationGenerator) -> [UInt8] {
        [first] + (1..<max(count, 2)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
