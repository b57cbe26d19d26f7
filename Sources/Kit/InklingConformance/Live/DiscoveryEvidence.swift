internal import InklingVectors

/// The observations of a node over multicast DNS, and their assessment against `Specs/mdns.md`.
public struct DiscoveryEvidence: Sendable {
    /// The first label of the instance under test, as received.
    public var name: String
    /// Every packet that was received.
    public var packets: [ObservedPacket]
    /// The addresses of the observer's own machine. A packet from one of them may come from any program on it.
    public var ownAddresses: OwnAddresses
    /// Words that must not occur in records, such as the name of the person.
    public var words: [String]

    public init(name: String, packets: [ObservedPacket], ownAddresses: OwnAddresses = [], words: [String] = []) {
        self.name = name
        self.packets = packets
        self.ownAddresses = ownAddresses
        self.words = words
    }

    /// The verdicts of the checks of this part.
    public var verdicts: [LiveVerdict] {
        let host = packets.shown(name)?.host
        let records = ownPackets.flatMap(\.message.records)
        return [
            LiveVerdict(
                "live-discovery-name",
                faults: ServiceNames.isOpaque(name) ? [] : ["the name is “\(name)”"]),
            LiveVerdict("live-discovery-host", faults: hostFaults(host)),
            LiveVerdict("live-discovery-records", faults: missing(host) + records.compactMap(strange)),
            LiveVerdict(
                "live-discovery-ttl",
                faults: records.filter { $0.timeToLive != 120 && $0.timeToLive != 0 }.map {
                    "\($0.kind) with a time to live of \($0.timeToLive) s"
                }),
            LiveVerdict(
                "live-discovery-text",
                faults: records.compactMap { record in
                    guard case .text(let bytes) = record.content, bytes != [0x03, 0x76, 0x3d, 0x31] else { return nil }
                    return "TXT is \(Hex.encode(bytes.span).prefix(64))"
                }),
            LiveVerdict("live-discovery-service", faults: records.compactMap(Self.badService)),
            LiveVerdict(
                "live-discovery-unique",
                faults: records.compactMap { record in
                    guard case .pointer = record.content else {
                        return record.isUnique ? nil : "\(record.kind) is shared"
                    }
                    return record.isUnique ? "PTR is unique" : nil
                }),
            LiveVerdict("live-discovery-addresses", faults: addressFaults(host)),
            machineVerdict("live-discovery-machine", machineFaults),
            machineVerdict("live-discovery-meta", metaFaults),
            questionVerdict,
        ]
    }

    /// Whether the node sends from an address of the observer's own machine. Its packets are then indistinguishable
    /// from those of the observer and other programs.
    private var sharesAddress: Bool { ownAddresses.intersects(packets.sources(of: name)) }

    /// Returns a verdict about everything sent by the node's machine. If the address is shared, only packets with
    /// records of the node are known to be the node's: a fault in them counts, but finding none proves nothing.
    private func machineVerdict(_ id: String, _ faults: [String]) -> LiveVerdict {
        sharesAddress && faults.isEmpty
            ? LiveVerdict(id, .skipped(OwnAddresses.sharedAddress)) : LiveVerdict(id, faults: faults)
    }

    /// The responses with a record of the instance or of its host.
    private var ownPackets: [ObservedPacket] {
        let host = packets.shown(name)?.host
        return packets.filter { packet in
            packet.message.isResponse
                && packet.message.records.contains { record in
                    record.instance?.lowercased() == name.lowercased()
                        || host.map { record.isAddress && record.owner.means($0) } == true
                }
        }
    }

    /// The responses from the node's machine, with or without records of the instance. On the observer's own machine,
    /// only the responses with such records.
    private var machinePackets: [ObservedPacket] {
        let sources = ownAddresses.others(of: packets.sources(of: name))
        let own = ownPackets
        return packets.filter { $0.message.isResponse && (sources.contains($0.source) || own.contains($0)) }
    }

    private func hostFaults(_ host: DNSName?) -> [String] {
        guard let host else { return ["no SRV record names a host"] }
        if !ServiceNames.isOpaqueHost(host) { return ["the host is “\(host)”"] }
        return host.labels.first == name ? ["the host has the name of the instance"] : []
    }

    private func missing(_ host: DNSName?) -> [String] {
        let records = ownPackets.flatMap(\.message.records).filter { $0.timeToLive > 0 }
        var faults: [String] = []
        if !records.contains(where: { $0.kind == "PTR" }) { faults.append("no PTR record was received") }
        if !records.contains(where: { $0.kind == "SRV" }) { faults.append("no SRV record was received") }
        if !records.contains(where: { $0.kind == "TXT" }) { faults.append("no TXT record was received") }
        if host.map({ packets.addresses(of: $0).isEmpty }) != false {
            faults.append("no address record of the host was received")
        }
        return faults
    }

    /// Returns why a record does not belong to an instance; `nil` if it does. Other checks assess the form of names.
    private func strange(_ record: DNSMessage.Record) -> String? {
        let ours =
            switch record.content {
            case .pointer(let target): record.owner.means(ServiceNames.type) && ServiceNames.label(of: target) != nil
            case .service, .text: ServiceNames.label(of: record.owner) != nil
            case .address4, .address6: true
            case .other: false
            }
        return ours ? nil : "\(record.kind) of \(record.owner)"
    }

    private static func badService(_ record: DNSMessage.Record) -> String? {
        guard case .service(let priority, let weight, let port, _) = record.content else { return nil }
        if priority != 0 || weight != 0 { return "priority \(priority), weight \(weight)" }
        return port == 0 ? "the port is 0" : nil
    }

    private func addressFaults(_ host: DNSName?) -> [String] {
        guard let host else { return ["no host is named, so no address is known"] }
        let addresses = packets.addresses(of: host)
        let overLoopback = packets.sources(of: name).allSatisfy(\.isLoopback)
        var faults: [String] = []
        var count4 = 0
        var count6 = 0
        for address in addresses {
            switch address {
            case .address4(let bytes):
                count4 += 1
                if bytes[0] == 127, !overLoopback { faults.append("a loopback address is shown") }
            case .address6(let bytes):
                count6 += 1
                if bytes[11] == 0xff, bytes[12] == 0xfe {
                    faults.append("an address made from the hardware address is shown")
                }
                if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] == 1, !overLoopback {
                    faults.append("a loopback address is shown")
                }
            default: break
            }
        }
        if count4 > 4 { faults.append("\(count4) IPv4 addresses are shown") }
        if count6 > 4 { faults.append("\(count6) IPv6 addresses are shown") }
        return faults
    }

    private var machineFaults: [String] {
        let responder = "another responder on that machine could be the sender"
        return machinePackets.flatMap(\.message.records).compactMap { record in
            if record.isAddress, !ServiceNames.isOpaqueHost(record.owner) {
                return "\(record.kind) of \(record.owner) (\(responder))"
            }
            if case .service(_, _, _, let host) = record.content, ServiceNames.label(of: record.owner) != nil,
                !ServiceNames.isOpaqueHost(host)
            {
                return "SRV names the host \(host)"
            }
            // Among 32 random digits, a short name such as Ada can occur by chance.
            let texts = (record.owner.labels + record.texts).filter { !ServiceNames.isOpaque($0) }
            for word in words where word.count > 2 {
                if texts.contains(where: { $0.lowercased().contains(word.lowercased()) }) {
                    return "\(record.kind) contains “\(word)”"
                }
            }
            return nil
        }
    }

    private var metaFaults: [String] {
        machinePackets.flatMap(\.message.records).compactMap { record in
            guard case .pointer(let target) = record.content, record.timeToLive > 0 else { return nil }
            if record.owner.means(ServiceNames.meta), target.means(ServiceNames.type) {
                return "the list of services names the type"
            }
            if record.owner.ends(in: DNSName(["arpa"])) {
                return "\(record.owner) points to \(target) (another responder on that machine could be the sender)"
            }
            return nil
        }
    }

    private var questionVerdict: LiveVerdict {
        let id = "live-discovery-questions"
        guard !sharesAddress else { return LiveVerdict(id, .skipped(OwnAddresses.sharedAddress)) }
        let sources = packets.sources(of: name)
        let asked = packets.filter { !$0.message.isResponse && sources.contains($0.source) }.flatMap(
            \.message.questions)
        let faults = asked.compactMap { question -> String? in
            let isAllowed =
                switch question.type {
                case DNSMessage.RecordType.ptr: question.name.means(ServiceNames.type)
                case DNSMessage.RecordType.srv: ServiceNames.label(of: question.name) != nil
                case DNSMessage.RecordType.a, DNSMessage.RecordType.aaaa: true
                default: false
                }
            // Questions about other names come from another program.
            let isOurs = question.name.ends(in: ServiceNames.type) || ServiceNames.isOpaqueHost(question.name)
            return isAllowed || !isOurs ? nil : "it asks for type \(question.type) of \(question.name)"
        }
        return LiveVerdict(
            id, faults: faults, note: "\(ConformanceReport.counted(asked.count, "question", "questions")) received")
    }
}

extension DNSMessage.Record {
    /// The name of the record's type.
    var kind: String {
        switch content {
        case .pointer: "PTR"
        case .service: "SRV"
        case .text: "TXT"
        case .address4: "A"
        case .address6: "AAAA"
        case .other(let type): "type \(type)"
        }
    }

    /// The strings in the data of the record.
    fileprivate var texts: [String] {
        switch content {
        case .pointer(let name): name.labels
        case .service(_, _, _, let host): host.labels
        case .text(let bytes): [String(decoding: bytes, as: UTF8.self)]
        case .address4, .address6, .other: []
        }
    }
}
