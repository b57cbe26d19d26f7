internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on packets and records (`Specs/packets.md`, `Specs/records.md`).
let framingOperations: [ShimOperation] = [
    ShimOperation("packet-encode", [.integer("type", in: 0...15), .bytes("body")]) { arguments throws(ShimRefusal) in
        guard let type = PacketType(rawValue: arguments.u8("type")) else { throw ShimRefusal(PacketError.unknownType) }
        let packet = try refusing { () throws(PacketError) in try Packet(type, body: arguments.bytes("body")) }
        return ["packet": .hex(packet)]
    },
    ShimOperation("packet-decode", [.bytes("packet")]) { arguments throws(ShimRefusal) in
        let packet = try arguments.packet()
        return ["type": .integer(packet.type.rawValue), "body": .hex(packet.body.span)]
    },
    ShimOperation("tcp-frame-encode", [.bytes("packet")]) { arguments throws(ShimRefusal) in
        var frame: [UInt8] = []
        try arguments.packet().appendFrame(to: &frame)
        return ["frame": .hex(frame.span)]
    },
    ShimOperation("tcp-frame-decode", [.bytes("stream")]) { arguments throws(ShimRefusal) in
        var decoder = FrameDecoder()
        let stream = arguments.bytes("stream")
        decoder.append(stream.span)
        var packets: [JSON] = []
        do throws(FrameError) {
            while let packet = try decoder.next() { packets.append(.hex(packet.span)) }
        } catch {
            throw ShimRefusal(error)
        }
        return ["packets": .list(packets), "rest": .hex(Array(decoder.remainder).span)]
    },
    ShimOperation(
        "gatt-fragment",
        [
            .bytes("packet"),
            .integer("mtu", in: Int128(Packet.mtuRange.lowerBound)...Int128(Packet.mtuRange.upperBound)),
        ]
    ) { arguments throws(ShimRefusal) in
        let fragments = try arguments.packet().gattFragments(mtu: Int(arguments.u16("mtu")))
        return ["fragments": .list(fragments.map { .hex($0.span) })]
    },
    ShimOperation("gatt-reassemble", [.bytesList("fragments")]) { arguments throws(ShimRefusal) in
        var reassembler = FragmentReassembler()
        var packet: Packet?
        for fragment in arguments.bytesList("fragments") {
            // The reassembler would begin another packet, but the operation is about one.
            guard packet == nil else { throw ShimRefusal("fragment", "trailing-fragment") }
            do throws(FragmentError) {
                packet = try reassembler.append(fragment.span, at: 0)
            } catch {
                throw ShimRefusal(error)
            }
        }
        guard let packet else { throw ShimRefusal("packet", "incomplete") }
        return ["packet": .hex(packet)]
    },
    ShimOperation(
        "record-encode", [.u8("type"), .bytes("body", in: 0...Record.bodyLimit)]
    ) { arguments throws(ShimRefusal) in
        let record = try refusing { () throws(RecordError) in
            try Record(RecordType(rawValue: arguments.u8("type")), body: arguments.secret("body"))
        }
        return ["plaintext": .hex(record.encoded())]
    },
    ShimOperation("record-decode", [.bytes("plaintext")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("plaintext")
        let record = try refusing { () throws(RecordError) in try Record(parsing: bytes.span) }
        return ["type": .integer(record.type.rawValue), "body": record.withBody { .hex($0) }]
    },
    ShimOperation(
        "hello-encode",
        [
            .u32("ownSerial", from: 1), .u32("peerSerial"),
            .list(
                "grants", of: .object([.bytes("audience", 8), .u32("generation", from: 1), .period("to")]),
                limit: Hello.grantLimit),
        ]
    ) { arguments throws(ShimRefusal) in
        var grants: [Hello.GrantReport] = []
        for grant in arguments.objects("grants") {
            let audience = AudienceID(grant.bytes("audience").span.bigEndian(at: 0, count: 8))
            grants.append(
                Hello.GrantReport(audience: audience, generation: grant.u32("generation"), to: try grant.period("to")))
        }
        var body: [UInt8] = []
        do throws(HelloError) {
            try Hello(
                ownSerial: arguments.u32("ownSerial"), peerSerial: arguments.u32("peerSerial"), grants: grants
            )
            .append(to: &body)
        } catch {
            // Here the caller supplied the malformed HELLO, not a peer.
            throw .arguments(error.reason)
        }
        return ["body": .hex(body.span)]
    },
    ShimOperation("hello-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let hello = try refusing { () throws(HelloError) in try Hello(parsing: body.span) }
        return [
            "ownSerial": .integer(hello.ownSerial), "peerSerial": .integer(hello.peerSerial),
            "grants": .list(
                hello.grants.map { grant in
                    var audience: [UInt8] = []
                    audience.append(u64: grant.audience.value)
                    return .object([
                        "audience": .hex(audience.span), "generation": .integer(grant.generation),
                        "to": .integer(grant.to.number),
                    ])
                }),
        ]
    },
    ShimOperation("state-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let (state, record) = try refusing { () throws(OwnStateError) in
            let state = try OwnState(parsing: body.span)
            return (state, SecretBox(try state.record().encoded()))
        }
        var result = try members(of: state)
        result["tag"] = .integer(state.tag)
        let again = try refusing { () throws(RecordError) in
            try record.value.withBytes { plaintext throws(RecordError) in try Record(parsing: plaintext) }
        }
        result["body"] = again.withBody { .hex($0) }
        return result
    },
]

/// Returns the members of a STATE record, by its tag.
private func members(of state: OwnState) throws(ShimRefusal) -> JSONObject {
    func hex(_ audience: AudienceID) -> JSON {
        var bytes: [UInt8] = []
        bytes.append(u64: audience.value)
        return .hex(bytes.span)
    }
    switch state {
    case .certificate(let bytes): return ["certificate": .hex(bytes.span)]
    case .audience(let audience, let generation, let tree):
        return ["audience": hex(audience), "generation": .integer(generation), "nodes": nodes(tree.value)]
    case .contact(let key, let shown, let expected, let card):
        return [
            "pairwiseKey": key.value.withBytes { .hex($0) }, "shown": nodes(shown.value),
            "expected": nodes(expected.value), "card": .hex(card.span),
        ]
    case .receivedGrant(let issuer, let terms, let tree):
        return [
            "issuer": .hex(issuer), "audience": hex(terms.audience), "generation": .integer(terms.generation),
            "to": .integer(terms.to.number), "devices": .integer(terms.devices), "nodes": nodes(tree.value),
        ]
    case .grant(let grant): return ["grant": grant.value.withBytes { .hex($0) }]
    case .mark(let mark): return ["mark": hex(AudienceID(mark))]
    case .standing(let identity, let decision):
        return [
            "identity": .hex(identity), "blocked": .flag(decision.isBlocked), "lapsing": .flag(decision.isLapsing),
            "revoked": .list(decision.revokedDevices.map { .hex($0) }),
        ]
    case .more: return [:]
    }
}

extension ShimArguments {
    fileprivate func packet() throws(ShimRefusal) -> Packet {
        let bytes = bytes("packet")
        return try refusing { () throws(PacketError) in try Packet(parsing: bytes.span) }
    }
}

extension JSON {
    fileprivate static func hex(_ packet: Packet) -> JSON {
        var bytes: [UInt8] = []
        packet.append(to: &bytes)
        return .hex(bytes.span)
    }
}
