internal import InklingKeys
internal import InklingWire

/// One operation on poisoned secrets.
struct Operation: Sendable {
    let name: String
    let run: @Sendable () throws -> Void

    init(_ name: String, _ run: @escaping @Sendable () throws -> Void) {
        self.name = name
        self.run = run
    }

    static let all =
        keyOperations + treeOperations + cipherOperations + noiseOperations + sessionOperations + vaultOperations

    static let keyOperations = [
        Operation("a copy, a comparison and the wiping of a secret") {
            let secret = poisoned(1)
            let twin = secret.duplicate()
            try expect(secret.equals(twin))
            try expect(!secret.equals(poisoned(2)))
        },
        Operation("a secret grows in a writer") {
            var writer = SecretWriter(capacity: 8)
            for seed: UInt8 in 0..<8 { poisoned(seed).withBytes { writer.append($0) } }
            try expect(writer.finish().count == 256)
        },
        Operation("derive") { _ = derive("planted", from: poisoned(1)) { $0.append(u8: 7) } },
        Operation("extract") { _ = poisoned(1).withBytes { extract(salt: "salt", from: $0) } },
        Operation("HKDF over several blocks") {
            let result = poisoned(1).withBytes { key in
                poisoned(2).withBytes { salt in
                    hkdfSHA256(inputKeyMaterial: key, salt: salt, info: salt, count: 100)
                }
            }
            switch result {
            case .some(let result): try expect(result.count == 100)
            case .none: throw Unexpected()
            }
        },
        Operation("an identity key and its signature") {
            let seed = try RootSeed(poisoned(1)).orThrow()
            let key = seed.identityKey(generation: 1)
            let message = [UInt8]("message".utf8)
            let signature = key.sign(message.span)
            try expect(isValidSignature(signature.span, of: message.span, by: key.publicKey))
        },
        Operation("a presence key, pair roots and the static pairwise key") {
            let seed = try RootSeed(poisoned(1)).orThrow()
            let own = seed.presenceKey(generation: 1)
            let peer = PresenceKey(poisoned(2))
            let mine = try PairAudience.root(own: own, peer: peer.publicKey, advertising: true)
            let theirs = try PairAudience.root(own: peer, peer: own.publicKey, advertising: false)
            try expect(mine.equals(theirs))
            let left = try PairAudience.staticPairwiseKey(own: own, peer: peer.publicKey)
            try expect(left.equals(try PairAudience.staticPairwiseKey(own: peer, peer: own.publicKey)))
        },
        Operation("X25519, and a point of low order") {
            let own = poisoned(3)
            _ = try X25519.agree(own, with: X25519.publicKey(of: poisoned(4)))
            let zero = Octets32(InlineArray<32, UInt8>(repeating: 0))
            do {
                _ = try X25519.agree(own, with: zero)
                throw Unexpected()
            } catch is KeyAgreementError {}
        },
        Operation("the keys of an invitation") {
            let keys = InvitationKeys(secret: poisoned(5))
            try expect(!keys.psk0.equals(keys.psk3))
            try expect(!keys.gateKey.equals(keys.root))
        },
    ]

    static let treeOperations = [
        Operation("a leaf of the tree, its device keys and every identifier") {
            let tree = AudienceTree(root: poisoned(1))
            let leaf = try tree.periodKey(try Period(496_000).orThrow()).orThrow()
            let keys = leaf.deviceKeys(.first)
            let epoch = try Epoch(1_984_000).orThrow()
            var name = keys.mdns.serviceName(epoch)
            var inviter = keys.mdns.hostName(epoch)
            var minor = keys.beacon.minor(epoch)
            var tag = keys.gatt.tag(epoch)
            declarePublic(&name)
            declarePublic(&inviter)
            declarePublic(&minor)
            declarePublic(&tag)
            try expect(name.description.count + inviter.description.count + tag.description.count == 96)
            try expect(minor.value <= .max)
            try expect(!keys.confirm.preSharedKey(epoch).equals(keys.confirm.gateKey(epoch)))
        },
        Operation("names and minors of many devices side by side, on every path") {
            let (hour, epoch) = (try Period(496_000).orThrow(), try Epoch(1_984_000).orThrow())
            let whole = AudienceTree(root: poisoned(1))
            let part = try whole.constrained(from: hour, to: hour).orThrow()
            for path in LanePath.allCases where path.isAvailable {
                var nodes = NodeLanes(covering: hour, capacity: 2)
                // The operations begin at different levels, so values for other levels are restored.
                let wereAdded = [nodes.append(whole), nodes.append(part)]
                let lanes = DeviceLanes(.first, of: nodes.leaves(by: path).picked([1, 0]), by: path)
                var (names, minors) = (lanes.names(epoch), lanes.minors(epoch))
                for index in names.indices { declarePublic(&names[index]) }
                for index in minors.indices { declarePublic(&minors[index]) }
                try expect(wereAdded == [true, true] && names[0] == names[1] && minors[0] == minors[1])
            }
        },
        Operation("the keys of later periods from what is kept of the trees, on every path") {
            let whole = AudienceTree(root: poisoned(1))
            let start: UInt32 = 496_001
            let part = try whole.constrained(from: try Period(start).orThrow(), to: try Period(start + 1).orThrow())
                .orThrow()
            let rest = try whole.constrained(from: try Period(start).orThrow(), to: try Period(start + 20).orThrow())
                .orThrow()
            for path in LanePath.allCases where path.isAvailable {
                var nodes = NodeLanes(covering: try Period(start).orThrow(), capacity: 2)
                let wereAdded = [nodes.append(whole), nodes.append(part)]
                var siblings = SiblingLanes()
                _ = nodes.leaves(by: path, keeping: &siblings)
                // Over one and several levels, with a lane whose node is used up.
                for number in [start + 1, start + 3, start + 20] {
                    let period = try Period(number).orThrow()
                    var later = try NodeLanes(covering: period, after: siblings).orThrow()
                    for lane in later.missing { try expect(later.replace(lane, by: rest)) }
                    let lanes = DeviceLanes(.first, of: later.leaves(by: path, keeping: &siblings), by: path)
                    var names = lanes.names(period.firstEpoch)
                    for index in names.indices { declarePublic(&names[index]) }
                    try expect(wereAdded == [true, true] && names[0] == names[1])
                }
            }
        },
        Operation("a tree forgets its past") {
            var tree = AudienceTree(root: poisoned(1))
            for hour: UInt32 in 496_000..<496_005 { tree.forget(before: try Period(hour).orThrow()) }
            try expect(tree.interval?.lowerBound == 496_004)
        },
        Operation("a grant is cut, signed, and read") {
            let issuer = IdentityKey(seed: poisoned(1))
            let tree = AudienceTree(root: poisoned(2))
            let from = try Period(496_000).orThrow()
            let to = try Period(496_719).orThrow()
            let device = NoiseKeyPair(privateKey: poisoned(3))
            let key = try publicKey(of: device)
            let certificate = try DeviceCertificate(
                index: .first, key: key, from: from, to: to, isPrimary: true, signedBy: issuer)
            let grantee = UserID(identity: issuer.publicKey)
            let grant = try Grant(
                issuer: issuer, audience: AudienceID(7), generation: 1, of: tree, from: from, to: to,
                certificates: [certificate], grantee: grantee)
            let bytes = grant.signed(by: issuer)
            let read = try bytes.withBytes {
                try Grant(parsing: $0, issuer: issuer.publicKey, grantee: grantee, now: from, heldGeneration: 0)
            }
            try expect(read.tree.value.nodes == grant.tree.value.nodes)
        },
    ]

    static let cipherOperations = AuthenticatedCipher.allCases.map { cipher in
        Operation("\(cipher): seal, open, refuse") {
            let key = poisoned(1)
            let nonce = [UInt8](repeating: 9, count: cipher.nonceByteCount)
            var sealed: [UInt8] = []
            try poisoned(2, count: 100).withBytes { plaintext throws(AuthenticatedCipherError) in
                try cipher.seal(
                    plaintext, key: key, nonce: nonce.span, associatedData: nonce.span, appendingTo: &sealed)
            }
            let opened = try cipher.open(sealed.span, key: key, nonce: nonce.span, associatedData: nonce.span)
            try expect(opened.equals(poisoned(2, count: 100)))
            sealed[3] ^= 1
            do {
                _ = try cipher.open(sealed.span, key: key, nonce: nonce.span, associatedData: nonce.span)
                throw Unexpected()
            } catch is AuthenticatedCipherError {}
        }
    }
}

/// The error of an operation whose result was wrong.
struct Unexpected: Error {}

func expect(_ condition: Bool) throws {
    guard condition else { throw Unexpected() }
}

extension Optional where Wrapped: ~Copyable {
    consuming func orThrow() throws -> Wrapped {
        switch consume self {
        case .some(let value): return value
        case .none: throw Unexpected()
        }
    }
}

func publicKey(of pair: borrowing NoiseKeyPair?) throws -> Octets32 {
    switch pair {
    case .some(let pair): return pair.publicKey
    case .none: throw Unexpected()
    }
}
