public import CInkling
internal import InklingKeys
internal import InklingWire

@c @implementation
public func inkling_grant_new(
    _ roster: inkling_handle, _ audienceID: UInt64, _ generation: UInt32, _ tree: inkling_handle, _ fromPeriod: UInt32,
    _ toPeriod: UInt32, _ grantee: UnsafePointer<UInt8>?, _ granteeCount: Int,
    _ grant: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(grant)
        let (from, to) = (try inRange(Period(fromPeriod)), try inRange(Period(toPeriod)))
        let grantee = try unsafe userID(grantee, granteeCount)
        let roster = try borrowed(roster, Roster.self)
        let issued = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            do throws(GrantError) {
                return try Grant(
                    issuer: roster.identity.value.signing, audience: AudienceID(audienceID), generation: generation,
                    of: tree, from: from, to: to, certificates: roster.certificates, grantee: grantee)
            } catch {
                throw Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(issued))
    }
}

@c @implementation
public func inkling_grant_read(
    _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ issuer: UnsafePointer<UInt8>?, _ issuerCount: Int,
    _ grantee: UnsafePointer<UInt8>?, _ granteeCount: Int, _ period: UInt32, _ heldGeneration: UInt32,
    _ grant: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(grant)
        let reader = try unsafe GrantReader(
            issuer, issuerCount, grantee, granteeCount, now: period, heldGeneration: heldGeneration)
        let grant = try unsafe withInput(bytes, count) { bytes throws(Fault) in try reader.read(bytes) }
        out.set(try HandleTable.shared.add(grant))
    }
}

@c @implementation
public func inkling_grant_seal(
    _ grant: inkling_handle, _ roster: inkling_handle, _ deviceKey: inkling_handle,
    _ recipient: UnsafePointer<UInt8>?, _ recipientCount: Int, _ pairwise: inkling_handle,
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let recipient = try unsafe publicKey(recipient, recipientCount)
        let signed = try signed(grant, by: roster)
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        var generator = Randomness()
        let ephemeral = SecretBox(NoiseKeyPair(from: &generator))
        let sealed = try HandleTable.shared.with(pairwise, SharedSecret.self) { secret throws(Fault) in
            try signed.withBytes { grant throws(Fault) in
                do throws(SealedGrantError) {
                    return try SealedGrant.seal(
                        grant, deviceKey: deviceKey.value, recipient: recipient, pairwiseKey: secret.bytes,
                        ephemeral: ephemeral.value.duplicate())
                } catch {
                    throw Fault(error)
                }
            }
        }
        try out.set(sealed.span)
    }
}

@c @implementation
public func inkling_grant_unseal(
    _ sealed: UnsafePointer<UInt8>?, _ count: Int, _ deviceKey: inkling_handle, _ sender: UnsafePointer<UInt8>?,
    _ senderCount: Int, _ pairwise: inkling_handle, _ issuer: UnsafePointer<UInt8>?, _ issuerCount: Int,
    _ grantee: UnsafePointer<UInt8>?, _ granteeCount: Int, _ period: UInt32, _ heldGeneration: UInt32,
    _ grant: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(grant)
        let sender = try unsafe publicKey(sender, senderCount)
        let reader = try unsafe GrantReader(
            issuer, issuerCount, grantee, granteeCount, now: period, heldGeneration: heldGeneration)
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        let opened = try HandleTable.shared.with(pairwise, SharedSecret.self) { secret throws(Fault) in
            try unsafe withInput(sealed, count) { sealed throws(Fault) in
                do throws(SealedGrantError) {
                    return try SealedGrant.open(
                        sealed, deviceKey: deviceKey.value, sender: sender, pairwiseKey: secret.bytes)
                } catch {
                    throw Fault(error)
                }
            }
        }
        out.set(try HandleTable.shared.add(try opened.withBytes { grant throws(Fault) in try reader.read(grant) }))
    }
}

@c @implementation
public func inkling_grant_facts_of(
    _ grant: inkling_handle, _ facts: UnsafeMutablePointer<inkling_grant_facts>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        let grant = try borrowed(grant, Grant.self)
        out.set { filled in
            filled.generation = grant.generation
            filled.audience_id = grant.audience.value
            filled.from_period = grant.from.number
            filled.to_period = grant.to.number
            filled.devices = bitmap(of: grant.certificates)
            write(grant.issuer, to: &filled.issuer)
            write(grant.grantee.octets, to: &filled.grantee)
        }
    }
}

@c @implementation
public func inkling_grant_device(
    _ grant: inkling_handle, _ device: UInt8, _ facts: UnsafeMutablePointer<inkling_device>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        try set(out, device, among: try borrowed(grant, Grant.self).certificates)
    }
}

@c @implementation
public func inkling_grant_tree(
    _ grant: inkling_handle, _ tree: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(tree)
        let grant = try borrowed(grant, Grant.self)
        guard let copy = grant.tree.value.constrained(from: grant.from, to: grant.to) else {
            throw Fault(INKLING_NOT_HELD)
        }
        out.set(try HandleTable.shared.add(copy))
    }
}

/// The context required to read a grant.
struct GrantReader {
    let issuer: Octets32
    let grantee: UserID
    let now: Period
    let heldGeneration: UInt32

    /// Creates a reader from the arguments of a call.
    ///
    /// - Throws: a fault for a null pointer, a wrong length or a period out of range.
    init(
        _ issuer: UnsafePointer<UInt8>?, _ issuerCount: Int, _ grantee: UnsafePointer<UInt8>?, _ granteeCount: Int,
        now: UInt32, heldGeneration: UInt32
    ) throws(Fault) {
        self.issuer = try unsafe publicKey(issuer, issuerCount)
        self.grantee = try unsafe userID(grantee, granteeCount)
        self.now = try inRange(Period(now))
        self.heldGeneration = heldGeneration
    }

    /// Reads a grant.
    ///
    /// - Throws: the `GrantError` as a refusal.
    func read(_ bytes: Span<UInt8>) throws(Fault) -> Grant {
        do throws(GrantError) {
            return try Grant(
                parsing: bytes, issuer: issuer, grantee: grantee, now: now, heldGeneration: heldGeneration)
        } catch {
            throw Fault(error)
        }
    }
}

/// Signs a grant with the identity of a roster and returns its bytes.
///
/// - Throws: `INKLING_OUT_OF_RANGE` unless the identity is the issuer.
func signed(_ grant: inkling_handle, by roster: inkling_handle) throws(Fault) -> SecretBytes {
    let grant = try borrowed(grant, Grant.self)
    let identity = try borrowed(roster, Roster.self).identity
    guard grant.issuer == identity.value.signing.publicKey else { throw Fault(INKLING_OUT_OF_RANGE) }
    return grant.signed(by: identity.value.signing)
}

extension inkling_grant_facts: Sized {
    static var leastSize: Int { 80 }
}
