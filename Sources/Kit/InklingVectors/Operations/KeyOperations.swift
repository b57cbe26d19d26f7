internal import InklingJSON
internal import InklingKeys

/// The operations on keys, identifiers and signed objects.
let keyOperations: [ShimOperation] = [
    ShimOperation(
        "epoch", [.integer("unixSeconds", in: 0...Int128(Epoch.limit) * Int128(Epoch.seconds) - 1)]
    ) { arguments throws(ShimRefusal) in
        guard let epoch = Epoch(containing: UInt64(arguments.integer("unixSeconds"))) else {
            throw .arguments("out-of-range")
        }
        return ["epoch": .integer(epoch.number), "period": .integer(epoch.period.number)]
    },
    ShimOperation("derive", [.bytes("key", 32), .label, .bytes("context", in: 0...1024)]) { arguments in
        let context = arguments.bytes("context")
        let key = derive(label: Array(arguments.text("label").utf8), from: arguments.secret("key"), context: context)
        return ["key": .hex(key)]
    },
    ShimOperation(
        "tree-node",
        [
            .bytes("root", 32), .integer("depth", in: 0...Int128(TreeNode.leafDepth)),
            .integer("prefix", in: 0...Int128(1) << TreeNode.leafDepth - 1),
        ]
    ) { arguments throws(ShimRefusal) in
        guard let node = TreeNode(depth: arguments.u8("depth"), prefix: arguments.u32("prefix")) else {
            throw .arguments("out-of-range")
        }
        let key = AudienceTree.descend(from: arguments.secret("root"), steps: node.depth, path: node.prefix)
        return ["key": .hex(key)]
    },
    ShimOperation("grant-cover", [.period("from"), .period("to")]) { arguments throws(ShimRefusal) in
        let from = try arguments.period("from")
        let to = try arguments.period("to")
        guard from <= to else { throw ShimRefusal(GrantError.reversed) }
        guard to.number - from.number < Grant.longestSpan else { throw ShimRefusal(GrantError.tooLong) }
        let nodes = TreeNode.cover(from: from, to: to).map { node in
            JSON.object(["depth": .integer(node.depth), "prefix": .integer(node.prefix)])
        }
        return ["nodes": .list(nodes)]
    },
    ShimOperation("device-keys", [.bytes("periodKey", 32), .device]) { arguments throws(ShimRefusal) in
        let keys = PeriodKey(arguments.secret("periodKey")).deviceKeys(try arguments.device())
        return [
            "mdnsKey": keys.mdns.withBytes { .hex($0) }, "beaconKey": keys.beacon.withBytes { .hex($0) },
            "gattKey": keys.gatt.withBytes { .hex($0) }, "confirmKey": keys.confirm.withBytes { .hex($0) },
        ]
    },
    ShimOperation("identity-keys", [.bytes("seed", 32), .u32("generation", from: 1)]) { arguments throws(ShimRefusal) in
        guard let seed = RootSeed(arguments.secret("seed")) else { throw .arguments("wrong-length") }
        let identity = seed.identityKey(generation: arguments.u32("generation")).publicKey
        let presence = seed.presenceKey(generation: arguments.u32("generation")).publicKey
        return [
            "identity": .hex(identity), "presence": .hex(presence), "userID": .hex(UserID(identity: identity).octets),
        ]
    },
    ShimOperation("mdns-name", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<MDNSUse>(arguments.secret("key"))
        return ["name": .text(key.serviceName(try arguments.epoch()).description)]
    },
    ShimOperation("mdns-host", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<MDNSUse>(arguments.secret("key"))
        return ["host": .text(key.hostName(try arguments.epoch()).description)]
    },
    ShimOperation("beacon-minor", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<BeaconUse>(arguments.secret("key"))
        return ["minor": .integer(key.minor(try arguments.epoch()).value)]
    },
    ShimOperation("gatt-tag", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<GATTUse>(arguments.secret("key"))
        return ["tag": .text(key.tag(try arguments.epoch()).description)]
    },
    ShimOperation("confirm-psk", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<ConfirmUse>(arguments.secret("key"))
        return ["psk": .hex(key.preSharedKey(try arguments.epoch()))]
    },
    ShimOperation("confirm-gate-key", [.bytes("key", 32), .epoch()]) { arguments throws(ShimRefusal) in
        let key = EpochKey<ConfirmUse>(arguments.secret("key"))
        return ["key": .hex(key.gateKey(try arguments.epoch()))]
    },
    ShimOperation("minor-schedule", [.integer("minutes", oneOf: [15, 30, 60]), .epoch()]) {
        arguments throws(ShimRefusal) in
        guard let schedule = RotationSchedule(minutes: arguments.u32("minutes")) else {
            throw .arguments("out-of-range")
        }
        return ["epoch": .integer(schedule.effectiveEpoch(for: try arguments.epoch()).number)]
    },
    ShimOperation(
        "accepted-epochs",
        [
            .integer("unixSeconds", in: 0...Int128(Epoch.limit) * Int128(Epoch.seconds) - 1),
            .integer("skew", in: 0...Int128(SkewAllowance.limit)),
        ]
    ) { arguments throws(ShimRefusal) in
        let now = UInt64(arguments.integer("unixSeconds"))
        guard let skew = SkewAllowance(seconds: UInt64(arguments.integer("skew"))),
            let current = Epoch(containing: now)
        else { throw .arguments("out-of-range") }
        return [
            "current": .integer(current.number),
            "lookUp": .list(skew.observedEpochs(at: now).map { .integer($0.number) }),
            "answer": .list(skew.answeredEpochs(at: now).map { .integer($0.number) }),
        ]
    },
    ShimOperation(
        "pair-root", [.bytes("secret", 32), .bytes("peerPublic", 32), .flag("advertising")]
    ) { arguments throws(ShimRefusal) in
        let own = PresenceKey(arguments.secret("secret"))
        let root = try refusing { () throws(KeyAgreementError) in
            try PairAudience.root(
                own: own, peer: arguments.octets32("peerPublic"), advertising: arguments.flag("advertising"))
        }
        return ["root": .hex(root)]
    },
    ShimOperation("pairwise-psk", [.bytes("secret", 32), .bytes("peerPublic", 32)]) { arguments throws(ShimRefusal) in
        let own = PresenceKey(arguments.secret("secret"))
        let key = try refusing { () throws(KeyAgreementError) in
            try PairAudience.staticPairwiseKey(own: own, peer: arguments.octets32("peerPublic"))
        }
        return ["psk": .hex(key)]
    },
    ShimOperation("invitation-keys", [.bytes("secret", 32)]) { arguments in
        let keys = InvitationKeys(secret: arguments.secret("secret"))
        return [
            "psk0": .hex(keys.psk0), "psk3": .hex(keys.psk3), "gateKey": .hex(keys.gateKey), "root": .hex(keys.root),
        ]
    },
    ShimOperation("invitation-decode", [.bytes("invitation"), .u32("minute")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("invitation")
        let invitation = try refusing { () throws(InvitationError) in
            try Invitation(parsing: bytes.span, minute: arguments.u32("minute"))
        }
        return [
            "commitment": .hex(invitation.commitment), "secret": .hex(invitation.secret.value),
            "transports": .integer(invitation.transports.rawValue), "expiry": .integer(invitation.expiryMinute),
        ]
    },
    ShimOperation("text-encode", [.kind, .bytes("bytes", in: 1...TextForm.contentLimit)]) {
        arguments throws(ShimRefusal) in
        guard let kind = arguments.text("kind").utf8.first.flatMap(TextForm.Kind.init(rawValue:)) else {
            throw .arguments("out-of-range")
        }
        let bytes = arguments.bytes("bytes")
        let text = try refusing { () throws(TextFormError) in try TextForm.encode(kind, bytes.span) }
        return ["text": .text(text)]
    },
    ShimOperation("text-decode", [.text("text")]) { arguments throws(ShimRefusal) in
        let text = Array(arguments.text("text").utf8)
        let content = try refusing { () throws(TextFormError) in try TextForm.decode(text.span) }
        let kind = String(Character(UnicodeScalar(content.kind.rawValue)))
        return ["kind": .text(kind), "bytes": .hex(content.bytes)]
    },
    ShimOperation("card-decode", [.bytes("card"), .period()]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("card")
        let period = try arguments.period()
        let card = try refusing { () throws(CardError) in try ContactCard(parsing: bytes.span, now: period) }
        return [
            "identity": .hex(card.identity), "generation": .integer(card.generation), "serial": .integer(card.serial),
            "presence": .hex(card.presence), "name": .text(card.name), "devices": devices(card.certificates),
            "userID": .hex(card.userID.octets), "commitment": .hex(card.commitment),
        ]
    },
    ShimOperation(
        "grant-decode",
        [.bytes("grant"), .bytes("issuer", 32), .bytes("grantee", 16), .period(), .u32("heldGeneration")]
    ) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("grant")
        let period = try arguments.period()
        let grant = try refusing { () throws(GrantError) in
            try Grant(
                parsing: bytes.span, issuer: arguments.octets32("issuer"),
                grantee: UserID(arguments.octets16("grantee")), now: period,
                heldGeneration: arguments.u32("heldGeneration"))
        }
        var audience: [UInt8] = []
        audience.append(u64: grant.audience.value)
        return [
            "audience": .hex(audience.span), "generation": .integer(grant.generation),
            "from": .integer(grant.from.number), "to": .integer(grant.to.number),
            "devices": devices(grant.certificates), "nodes": nodes(grant.tree.value),
        ]
    },
]

extension ShimParameter {
    fileprivate static var kind: Self {
        .text("kind", .oneOf(TextForm.Kind.allCases.map { String(Character(UnicodeScalar($0.rawValue))) }))
    }
}

private func devices(_ certificates: [DeviceCertificate]) -> JSON {
    .list(
        certificates.map { certificate in
            .object([
                "index": .integer(certificate.index.number), "key": .hex(certificate.key),
                "from": .integer(certificate.from.number), "to": .integer(certificate.to.number),
                "primary": .flag(certificate.isPrimary),
            ])
        })
}

func nodes(_ tree: borrowing AudienceTree) -> JSON {
    let nodes = tree.nodes
    return tree.withKeyBytes { keys in
        .list(
            nodes.enumerated().map { index, node in
                .object([
                    "depth": .integer(node.depth), "prefix": .integer(node.prefix),
                    "key": .hex(keys.extracting(index * keyByteCount..<(index + 1) * keyByteCount)),
                ])
            })
    }
}
