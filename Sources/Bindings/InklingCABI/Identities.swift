public import CInkling
internal import InklingKeys
internal import InklingWire

/// A user's identity and presence keys of one generation, and the root seed from which they are derived.
struct OwnIdentity: ~Copyable, Sendable {
    let seed: RootSeed
    let generation: UInt32
    let signing: IdentityKey
    let presence: PresenceKey

    init(_ seed: consuming RootSeed, generation: UInt32) {
        signing = seed.identityKey(generation: generation)
        presence = seed.presenceKey(generation: generation)
        self.seed = seed
        self.generation = generation
    }
}

/// The devices certified by an identity.
struct Roster: Sendable {
    let identity: SecretBox<OwnIdentity>
    var certificates: [DeviceCertificate] = []
}

/// A secret of 32 bytes shared by two users, such as the pairwise key.
struct SharedSecret: ~Copyable, Sendable {
    let bytes: SecretBytes
}

@c @implementation
public func inkling_identity_new(
    _ seed: UnsafePointer<UInt8>?, _ count: Int, _ generation: UInt32,
    _ identity: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(identity)
        guard generation > 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
        guard let seed = RootSeed(try unsafe secretKey(seed, count)) else { throw Fault(INKLING_WRONG_LENGTH) }
        out.set(try HandleTable.shared.add(SecretBox(OwnIdentity(seed, generation: generation))))
    }
}

@c @implementation
public func inkling_identity_random(_ identity: UnsafeMutablePointer<inkling_handle>?) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(identity)
        var generator = Randomness()
        out.set(try HandleTable.shared.add(SecretBox(OwnIdentity(RootSeed(from: &generator), generation: 1))))
    }
}

@c @implementation
public func inkling_identity_public(
    _ identity: inkling_handle, _ keys: UnsafeMutablePointer<inkling_identity_keys>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(keys)
        let identity = try borrowed(identity, SecretBox<OwnIdentity>.self)
        out.set { filled in
            filled.generation = identity.value.generation
            write(identity.value.signing.publicKey, to: &filled.identity)
            write(identity.value.presence.publicKey, to: &filled.presence)
            write(UserID(identity: identity.value.signing.publicKey).octets, to: &filled.user)
        }
    }
}

@c @implementation
public func inkling_identity_tree_of_pair(
    _ identity: inkling_handle, _ peerPresence: UnsafePointer<UInt8>?, _ peerCount: Int, _ advertising: UInt32,
    _ tree: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(tree)
        let isAdvertising = try flag(advertising)
        let peer = try unsafe publicKey(peerPresence, peerCount)
        let identity = try borrowed(identity, SecretBox<OwnIdentity>.self)
        let root = try refusing { () throws(KeyAgreementError) in
            try PairAudience.root(own: identity.value.presence, peer: peer, advertising: isAdvertising)
        }
        out.set(try HandleTable.shared.add(AudienceTree(root: root)))
    }
}

@c @implementation
public func inkling_identity_pairwise(
    _ identity: inkling_handle, _ peerPresence: UnsafePointer<UInt8>?, _ peerCount: Int,
    _ secret: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(secret)
        let peer = try unsafe publicKey(peerPresence, peerCount)
        let identity = try borrowed(identity, SecretBox<OwnIdentity>.self)
        let key = try refusing { () throws(KeyAgreementError) in
            try PairAudience.staticPairwiseKey(own: identity.value.presence, peer: peer)
        }
        out.set(try HandleTable.shared.add(SharedSecret(bytes: key)))
    }
}

@c @implementation
public func inkling_secret_new(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ secret: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(secret)
        out.set(try HandleTable.shared.add(SharedSecret(bytes: try unsafe secretKey(bytes, count))))
    }
}

@c @implementation
public func inkling_device_key_new(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ key: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(key)
        guard let pair = NoiseKeyPair(privateKey: try unsafe secretKey(bytes, count)) else {
            throw Fault(INKLING_WRONG_LENGTH)
        }
        out.set(try HandleTable.shared.add(SecretBox(pair)))
    }
}

@c @implementation
public func inkling_device_key_random(_ key: UnsafeMutablePointer<inkling_handle>?) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(key)
        var generator = Randomness()
        out.set(try HandleTable.shared.add(SecretBox(NoiseKeyPair(from: &generator))))
    }
}

@c @implementation
public func inkling_device_key_public(
    _ key: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let key = try borrowed(key, SecretBox<NoiseKeyPair>.self).value.publicKey
        try key.withBytes { bytes throws(Fault) in try out.set(bytes) }
    }
}

@c @implementation
public func inkling_roster_new(
    _ identity: inkling_handle, _ roster: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(roster)
        let identity = try borrowed(identity, SecretBox<OwnIdentity>.self)
        out.set(try HandleTable.shared.add(Roster(identity: identity)))
    }
}

@c @implementation
public func inkling_roster_add(
    _ roster: inkling_handle, _ device: UInt8, _ key: UnsafePointer<UInt8>?, _ count: Int, _ fromPeriod: UInt32,
    _ toPeriod: UInt32, _ isPrimary: UInt32, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let index = try inRange(DeviceIndex(device))
        let key = try unsafe publicKey(key, count)
        let (from, to) = (try inRange(Period(fromPeriod)), try inRange(Period(toPeriod)))
        let isPrimary = try flag(isPrimary)
        try HandleTable.shared.with(roster, Roster.self) { roster throws(Fault) in
            if let last = roster.certificates.last, last.index >= index { throw Fault(INKLING_OUT_OF_RANGE) }
            let identity = roster.identity
            let certificate = try refusing { () throws(CertificateError) in
                try DeviceCertificate(
                    index: index, key: key, from: from, to: to, isPrimary: isPrimary,
                    signedBy: identity.value.signing)
            }
            roster.certificates.append(certificate)
        }
    }
}

/// Copies an object out of the handle table: a value without secrets, or a reference to a secret.
func borrowed<Value: Sendable>(_ handle: inkling_handle, _ kind: Value.Type) throws(Fault) -> Value {
    try HandleTable.shared.with(handle, Value.self) { $0 }
}

extension inkling_identity_keys: Sized {
    static var leastSize: Int { 88 }
}
