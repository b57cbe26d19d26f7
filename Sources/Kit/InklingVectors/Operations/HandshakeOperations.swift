internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on the parts of handshakes other than Noise itself (`Specs/handshake.md`).
let handshakeOperations: [ShimOperation] = [
    ShimOperation(
        "confirm-prologue", [.transport, .epoch(), .device, .bytes("identifier", 16)]
    ) { arguments throws(ShimRefusal) in
        let prologue = HandshakePrologue.confirm(
            transport: try arguments.transport(), epoch: try arguments.epoch(), device: try arguments.device(),
            identifier: arguments.octets16("identifier"))
        return ["prologue": .hex(prologue.span)]
    },
    invitationPrologue("first-contact-prologue", .firstContact),
    invitationPrologue("device-link-prologue", .deviceLink),
    ShimOperation(
        "gate", [.bytes("key", 32), .transport, .bytes("message", Gate.messageByteCount)]
    ) { arguments throws(ShimRefusal) in
        let message = arguments.bytes("message")
        let gate = Gate.value(
            key: arguments.secret("key"), transport: try arguments.transport(), message: message.span)
        return ["gate": .hex(gate)]
    },
    ShimOperation(
        "confirm-payload-encode",
        [.integer("message", in: 1...2), .u16("transports"), .u32("generation"), .u64("unixMilliseconds")]
    ) { arguments in
        let payload = ConfirmPayload(
            transports: TransportSet(rawValue: arguments.u16("transports")), generation: arguments.u32("generation"),
            unixMilliseconds: arguments.u64("unixMilliseconds"))
        return ["payload": .hex(payload.encoded(for: arguments.message()).span)]
    },
    ShimOperation(
        "confirm-payload-decode", [.integer("message", in: 1...2), .bytes("payload")]
    ) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("payload")
        let payload = try refusing { () throws(PayloadError) in
            try ConfirmPayload(parsing: bytes.span, of: arguments.message())
        }
        return [
            "transports": .integer(payload.transports.rawValue), "generation": .integer(payload.generation),
            "unixMilliseconds": .text(String(payload.unixMilliseconds)),
        ]
    },
    ShimOperation(
        "first-contact-payload-encode",
        [.u64("unixMilliseconds"), .bytes("card", in: 1...FirstContactPayload.cardLimit)]
    ) { arguments throws(ShimRefusal) in
        let payload = try refusing { () throws(PayloadError) in
            try FirstContactPayload(
                unixMilliseconds: arguments.u64("unixMilliseconds"), card: arguments.bytes("card"))
        }
        return ["payload": .hex(payload.encoded().span)]
    },
    ShimOperation("first-contact-payload-decode", [.bytes("payload")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("payload")
        let payload = try refusing { () throws(PayloadError) in try FirstContactPayload(parsing: bytes.span) }
        return ["unixMilliseconds": .text(String(payload.unixMilliseconds)), "card": .hex(payload.card.span)]
    },
    ShimOperation(
        "seal-grant",
        [
            .bytes("localStatic", 32), .bytes("ephemeral", 32), .bytes("remoteStatic", 32), .bytes("psk", 32),
            .bytes("grant", in: 1...Grant.byteLimit),
        ]
    ) { arguments throws(ShimRefusal) in
        let grant = arguments.bytes("grant")
        let sealed = try refusing { () throws(SealedGrantError) in
            guard let device = arguments.keyPair("localStatic"), let ephemeral = arguments.keyPair("ephemeral") else {
                throw .outOfRange
            }
            return try SealedGrant.seal(
                grant.span, deviceKey: device, recipient: arguments.octets32("remoteStatic"),
                pairwiseKey: arguments.secret("psk"), ephemeral: ephemeral)
        }
        return ["sealed": .hex(sealed.span)]
    },
    ShimOperation(
        "open-sealed-grant",
        [.bytes("localStatic", 32), .bytes("remoteStatic", 32), .bytes("psk", 32), .bytes("sealed")]
    ) { arguments throws(ShimRefusal) in
        let sealed = arguments.bytes("sealed")
        let grant = try refusing { () throws(SealedGrantError) in
            guard let device = arguments.keyPair("localStatic") else { throw .outOfRange }
            return try SealedGrant.open(
                sealed.span, deviceKey: device, sender: arguments.octets32("remoteStatic"),
                pairwiseKey: arguments.secret("psk"))
        }
        return ["grant": .hex(grant)]
    },
    ShimOperation("export", sessionKeys + [.label, .bytes("context", in: 0...1024)]) { arguments in
        let key = arguments.exporter().secret(
            label: Array(arguments.text("label").utf8), context: arguments.bytes("context"))
        return ["key": .hex(key)]
    },
    ShimOperation("fingerprint", sessionKeys) { arguments in
        ["fingerprint": .text(arguments.exporter().fingerprint())]
    },
]

/// The outputs of a finished handshake, in the order of Noise's `Split`.
let sessionKeys: [ShimParameter] = [.bytes("k1", 32), .bytes("k2", 32), .bytes("handshakeHash", 32)]

private func invitationPrologue(_ name: String, _ use: InvitationUse) -> ShimOperation {
    ShimOperation(name, [.transport, .bytes("commitment", 16)]) { arguments throws(ShimRefusal) in
        let prologue = HandshakePrologue.invitation(
            use, transport: try arguments.transport(), commitment: arguments.octets16("commitment"))
        return ["prologue": .hex(prologue.span)]
    }
}

extension ShimArguments {
    fileprivate func message() -> ConfirmPayload.Message { u8("message") == 1 ? .first : .second }

    func exporter() -> Exporter {
        let first = bytes("k1")
        let second = bytes("k2")
        return Exporter(
            initiatorKey: first.span, responderKey: second.span, handshakeHash: octets32("handshakeHash"))
    }
}
