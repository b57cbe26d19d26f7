internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on multicast DNS (`Specs/mdns.md`).
let mdnsOperations: [ShimOperation] = [
    ShimOperation("mdns-response", [.flag("goodbye")] + shownParameters) { arguments in
        let packet = arguments.response(for: arguments.flag("goodbye") ? .goodbye : .answer)
        return ["packet": .hex(packet.span)]
    },
    ShimOperation(
        "mdns-legacy-reply",
        [.u16("id"), .text("question", .oneOf(["service-type", "instance", "host"])), .u16("type")] + shownParameters
    ) { arguments in
        let name: MDNSName =
            switch arguments.text("question") {
            case "instance": .instance(arguments.serviceInstance.name)
            case "host": .host(arguments.serviceInstance.host)
            default: .serviceType
            }
        let question = MDNSMessage.Question(name: name, type: arguments.u16("type"), wantsUnicast: false)
        return ["packet": .hex(arguments.response(for: .legacy(id: arguments.u16("id"), question)).span)]
    },
    ShimOperation("mdns-query", [.bytes("name", 16).optional]) { arguments in
        let packet =
            arguments.has("name")
            ? ServicePacket.instanceQuery(OpaqueServiceName(arguments.octets16("name"))) : ServicePacket.browseQuery()
        return ["packet": .hex(packet.span)]
    },
    ShimOperation("mdns-decode", [.bytes("packet")]) { arguments throws(ShimRefusal) in
        let packet = arguments.bytes("packet")
        let message = try refusing { () throws(MDNSMessageError) in try MDNSMessage(parsing: packet.span) }
        return [
            "id": .integer(message.id), "response": .flag(message.isResponse),
            "truncated": .flag(message.isTruncated), "authority": .flag(message.hasAuthority),
            "questions": .list(message.questions.map { .object($0.facts) }),
            "records": .list(message.records.map { .object($0.facts) }),
        ]
    },
    ShimOperation(
        "mdns-address", [.address("address"), .prefixes, .flag("loopback")]
    ) { arguments throws(ShimRefusal) in
        let interface = MDNSInterface(
            index: 1, families: [], published: [], prefixes: arguments.prefixes, isLoopback: arguments.flag("loopback"))
        let reachable = try refusing { () throws(MDNSAddressError) in
            try interface.reachable(arguments.address("address"))
        }
        guard case .v6(_, let scope) = reachable else { return ["withInterface": .flag(false)] }
        return ["withInterface": .flag(scope != 0)]
    },
    mdnsOperation,
]

private let shownParameters: [ShimParameter] =
    [.flag("announced")] + ShimParameter.instance + [.list("addresses", of: .bytesOf([4, 16]), limit: 8)]

extension ShimParameter {
    /// The members of a service instance.
    static var instance: [Self] { [.bytes("name", 16), .bytes("host", 16), .u16("port")] }

    /// An IPv4 or IPv6 address.
    static func address(_ name: String) -> Self { Self(name: name, kind: .bytesOf([4, 16])) }

    static var prefixes: Self {
        .list("prefixes", of: .object([.address("address"), .integer("length", in: 0...128)]), limit: 16)
    }
}

extension ShimArguments {
    /// The service instance described by the arguments.
    var serviceInstance: ServiceInstance {
        ServiceInstance(
            name: OpaqueServiceName(octets16("name")), host: OpaqueHostName(octets16("host")), port: u16("port"))
    }

    var prefixes: [MDNSInterface.Prefix] {
        objects("prefixes").map { MDNSInterface.Prefix($0.address("address"), length: $0.u8("length")) }
    }

    func address(_ name: String) -> Endpoint.Address { Endpoint.Address(bytes(name).span) }

    func addresses(_ name: String) -> [Endpoint.Address] { bytesList(name).map { Endpoint.Address($0.span) } }

    fileprivate func response(for purpose: ServicePacket.Purpose) -> [UInt8] {
        ServicePacket.response(
            serviceInstance, isAnnounced: flag("announced"), addresses: addresses("addresses"), for: purpose)
    }
}

extension Endpoint.Address {
    /// Creates the address from 4 or 16 bytes, without scope.
    fileprivate init(_ bytes: Span<UInt8>) {
        if let octets = Octets16(bytes) {
            self = .v6(octets, scope: 0)
        } else {
            self = .v4(UInt32(truncatingIfNeeded: bytes.bigEndian(at: 0, count: 4)))
        }
    }

    var json: JSON {
        switch self {
        case .v4(let value):
            var bytes: [UInt8] = []
            bytes.append(u32: value)
            return .hex(bytes.span)
        case .v6(let octets, _): return .hex(octets)
        }
    }
}

extension MDNSMessage.Question {
    fileprivate var facts: JSONObject {
        var facts: JSONObject = ["type": .integer(type), "unicast": .flag(wantsUnicast)]
        switch name {
        case .serviceType: facts["about"] = .text("service-type")
        case .instance(let name): (facts["about"], facts["name"]) = (.text("instance"), .hex(name.octets))
        case .host(let host): (facts["about"], facts["name"]) = (.text("host"), .hex(host.octets))
        case .other: break
        }
        return facts
    }
}

extension MDNSMessage.Record {
    fileprivate var facts: JSONObject {
        var facts: JSONObject = ["ttl": .integer(timeToLive)]
        facts["section"] =
            switch section {
            case .answer: .text("answer")
            case .authority: .text("authority")
            case .additional: .text("additional")
            }
        switch content {
        case .pointer(let name): (facts["kind"], facts["name"]) = (.text("PTR"), .hex(name.octets))
        case .service(let name, let host, let port):
            (facts["kind"], facts["name"], facts["port"]) = (.text("SRV"), .hex(name.octets), .integer(port))
            facts["host"] = host.map { .hex($0.octets) }
        case .text(let name, let isVersion1):
            (facts["kind"], facts["name"], facts["version1"]) = (.text("TXT"), .hex(name.octets), .flag(isVersion1))
        case .address(let host, let address):
            (facts["host"], facts["address"]) = (.hex(host.octets), address.json)
            if case .v4 = address { facts["kind"] = .text("A") } else { facts["kind"] = .text("AAAA") }
        }
        return facts
    }
}
