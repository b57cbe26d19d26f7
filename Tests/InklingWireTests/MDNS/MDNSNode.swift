import InklingKeys
import InklingTesting

@testable import InklingWire

/// Draws that are always the same: 0 makes every delay the shortest.
struct FixedDraws: RandomNumberGenerator {
    var value: UInt64 = 0
    mutating func next() -> UInt64 { value }
}

/// A machine with its time: due actions are carried out while time passes.
struct MDNSNode {
    struct Sent: Equatable {
        let time: UInt64
        let packet: [UInt8]
        let path: MDNSPath
        let destination: MDNSMachine.Destination
    }

    static let wired = MDNSPath(interface: 2, family: .v4)
    static let instance = ServiceInstance(
        name: OpaqueServiceName(Octets16(high: 0xee86_ffa3_9982_5968, low: 0xe402_a683_2c86_3656)),
        host: OpaqueHostName(Octets16(high: 0x247f_2895_250d_23da, low: 0x6bb0_d8d9_e980_8ea3)), port: 41969)

    static func interface(
        _ index: UInt32 = 2, families: [AddressFamily] = [.v4], published: [Endpoint.Address] = [.v4(0x0a4d_0001)],
        isShown: Bool = true
    ) -> MDNSInterface {
        MDNSInterface(
            index: index, families: families, published: published,
            prefixes: [MDNSInterface.Prefix(.v4(0x0a4d_0000), length: 24)], isShown: isShown)
    }

    var machine: MDNSMachine
    var known: [OpaqueServiceName: OpaqueHostName] = [:]
    var draws = FixedDraws()
    private(set) var now: UInt64 = 0
    private(set) var sent: [Sent] = []
    private(set) var reports: [MDNSMachine.Effect] = []
    private var wake: UInt64?

    init(
        announced: ServiceInstance? = MDNSNode.instance, answered: [ServiceInstance] = [], browses: Bool = true,
        interfaces: [MDNSInterface] = [MDNSNode.interface()], starts: Bool = true
    ) {
        machine = MDNSMachine(announced: announced, answered: answered, browses: browses)
        handle(.interfacesChanged(interfaces))
        if starts { handle(.started) }
    }

    mutating func handle(_ event: MDNSMachine.Event) {
        take(machine.handle(event, at: Tick(milliseconds: now), using: &draws))
    }

    mutating func pass(_ milliseconds: UInt64) {
        let end = now + milliseconds
        while let next = wake, next <= end {
            now = max(now, next)
            wake = nil
            handle(.timerFired)
        }
        now = end
    }

    /// Delivers a packet of another host.
    mutating func receive(
        _ packet: [UInt8], from address: Endpoint.Address = .v4(0x0a4d_0002), port: UInt16 = MDNSMachine.port,
        path: MDNSPath = MDNSNode.wired, hopLimit: UInt8 = 255
    ) throws(MDNSMessageError) {
        let source = MDNSMachine.Source(
            path: path, endpoint: Endpoint(address: address, port: port), hopLimit: hopLimit)
        let known = known
        take(
            try machine.receive(packet.span, from: source, at: Tick(milliseconds: now), using: &draws) { known[$0] })
    }

    /// Returns the packets sent since the last call.
    mutating func takeSent() -> [Sent] {
        defer { sent = [] }
        return sent
    }

    mutating func takeReports() -> [MDNSMachine.Effect] {
        defer { reports = [] }
        return reports
    }

    private mutating func take(_ effects: [MDNSMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let packet, let path, let destination):
                sent.append(Sent(time: now, packet: packet, path: path, destination: destination))
            case .wake(let tick): wake = tick.milliseconds
            case .appeared, .vanished, .found, .notFound, .asked, .imitated: reports.append(effect)
            }
        }
    }
}

/// A contact's device, with the packets that it sends.
struct MDNSPeer {
    let instance: ServiceInstance
    let address: Endpoint.Address

    init(_ number: UInt64, at address: UInt32? = nil) {
        instance = ServiceInstance(
            name: OpaqueServiceName(Octets16(high: number, low: 1)),
            host: OpaqueHostName(Octets16(high: number, low: 2)), port: 4000)
        self.address = .v4(address ?? 0x0a4d_0002)
    }

    var announcement: [UInt8] { ServicePacket.response(instance, isAnnounced: true, addresses: [address]) }

    func packet(
        port: UInt16 = 4000, host: OpaqueHostName? = nil, addresses: [Endpoint.Address]? = nil,
        for purpose: ServicePacket.Purpose = .answer
    ) -> [UInt8] {
        ServicePacket.response(
            ServiceInstance(name: instance.name, host: host ?? instance.host, port: port), isAnnounced: true,
            addresses: addresses ?? [address], for: purpose)
    }
}

/// A packet with questions as other implementations write it: without compression.
func query(
    _ questions: [(name: [String], type: UInt16, class: UInt16)], id: UInt16 = 0, flags: UInt16 = 0,
    knownAnswers: [[UInt8]] = [], authorities: [[UInt8]] = []
) -> [UInt8] {
    var packet: [UInt8] = []
    packet.append(u16: id)
    packet.append(u16: flags)
    packet.append(u16: UInt16(questions.count))
    packet.append(u16: UInt16(knownAnswers.count))
    packet.append(u16: UInt16(authorities.count))
    packet.append(u16: 0)
    for question in questions {
        packet += dnsName(question.name)
        packet.append(u16: question.type)
        packet.append(u16: question.class)
    }
    for record in knownAnswers + authorities { packet += record }
    return packet
}

func dnsName(_ labels: [String]) -> [UInt8] {
    labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
}

func dnsRecord(
    _ owner: [String], type: UInt16, class recordClass: UInt16 = 0x8001, timeToLive: UInt32 = 120, _ data: [UInt8]
) -> [UInt8] {
    var record = dnsName(owner)
    record.append(u16: type)
    record.append(u16: recordClass)
    record.append(u32: timeToLive)
    record.append(u16: UInt16(data.count))
    return record + data
}

let serviceType = ["_inkling", "_tcp", "local"]
