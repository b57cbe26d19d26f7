public import CInkling
internal import InklingKeys
internal import InklingWire

// Format: version, kind, nonce, and the object sealed by XChaCha20-Poly1305 with version and kind as associated data.
private let version: UInt8 = 1
private let nonceOffset = 2
private let cipher = AuthenticatedCipher.xChaCha20Poly1305

private enum Kind: UInt8 {
    case identity = 1
    case tree = 2
    case secret = 3
    case deviceKey = 4
}

@c @implementation
public func inkling_seal(
    _ object: inkling_handle, _ key: UnsafePointer<UInt8>?, _ keyCount: Int, _ start: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let key = try unsafe secretKey(key, keyCount)
        var writer = SecretWriter()
        let kind = try write(object, to: &writer)
        var generator = Randomness()
        var sealed: [UInt8] = [version, kind.rawValue]
        let header = sealed
        for _ in 0..<cipher.nonceByteCount { sealed.append(generator.next()) }
        let nonce = Array(sealed[nonceOffset...])
        try writer.withBytes { plaintext throws(Fault) in
            do throws(AuthenticatedCipherError) {
                try cipher.seal(
                    plaintext, key: key, nonce: nonce.span, associatedData: header.span, appendingTo: &sealed)
            } catch {
                throw Fault(error)
            }
        }
        try out.set(sealed.span)
    }
}

@c @implementation
public func inkling_unseal(
    _ sealed: UnsafePointer<UInt8>?, _ count: Int, _ key: UnsafePointer<UInt8>?, _ keyCount: Int,
    _ object: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(object)
        let key = try unsafe secretKey(key, keyCount)
        let handle = try unsafe withInput(sealed, count) { sealed throws(Fault) in
            let body = nonceOffset + cipher.nonceByteCount
            guard sealed.count >= body else { throw Fault(AuthenticatedCipherError.truncated) }
            guard sealed[0] == version, let kind = Kind(rawValue: sealed[1]) else {
                throw Fault(INKLING_REFUSED, stage: "version", reason: "unknown")
            }
            let plaintext: SecretBytes
            do throws(AuthenticatedCipherError) {
                plaintext = try cipher.open(
                    sealed.extracting(body...), key: key, nonce: sealed.extracting(nonceOffset..<body),
                    associatedData: sealed.extracting(..<nonceOffset))
            } catch {
                throw Fault(error)
            }
            return try plaintext.withBytes { bytes throws(Fault) in try add(kind, bytes) }
        }
        out.set(handle)
    }
}

/// Writes a storable object and returns its kind.
///
/// - Throws: `INKLING_WRONG_KIND` for other objects.
private func write(_ object: inkling_handle, to writer: inout SecretWriter) throws(Fault) -> Kind {
    if let tree = try stored(object, AudienceTree.self, { $0.stored() }) {
        tree.withBytes { writer.append($0) }
        return .tree
    }
    if let secret = try stored(object, SharedSecret.self, { $0.bytes.duplicate() }) {
        secret.withBytes { writer.append($0) }
        return .secret
    }
    if let key = try stored(
        object, SecretBox<NoiseKeyPair>.self, { $0.value.withPrivateKey { SecretBytes(copying: $0) } })
    {
        key.withBytes { writer.append($0) }
        return .deviceKey
    }
    let identity = try borrowed(object, SecretBox<OwnIdentity>.self)
    writer.append(u32: identity.value.generation)
    identity.value.seed.withBytes { writer.append($0) }
    return .identity
}

/// Returns the bytes of an object of type `Value`; `nil` if the object has another type.
private func stored<Value: ~Copyable & Sendable>(
    _ object: inkling_handle, _ kind: Value.Type, _ bytes: (borrowing Value) -> SecretBytes
) throws(Fault) -> SecretBytes? {
    do {
        return try HandleTable.shared.with(object, Value.self) { bytes($0) }
    } catch {
        guard error.status == INKLING_WRONG_KIND else { throw error }
        return nil
    }
}

/// Adds a stored object to the handle table. Authentic bytes are malformed only if a later version wrote them.
private func add(_ kind: Kind, _ bytes: Span<UInt8>) throws(Fault) -> inkling_handle {
    switch kind {
    case .identity where bytes.count == 36:
        let generation = UInt32(truncatingIfNeeded: bytes.bigEndian(at: 0, count: 4))
        if generation > 0, let seed = RootSeed(SecretBytes(copying: bytes.extracting(4...))) {
            return try HandleTable.shared.add(SecretBox(OwnIdentity(seed, generation: generation)))
        }
    case .tree where bytes.count % 37 == 0:
        if let tree = AudienceTree(stored: bytes) { return try HandleTable.shared.add(tree) }
    case .secret where bytes.count == 32:
        return try HandleTable.shared.add(SharedSecret(bytes: SecretBytes(copying: bytes)))
    case .deviceKey:
        if let pair = NoiseKeyPair(privateKey: SecretBytes(copying: bytes)) {
            return try HandleTable.shared.add(SecretBox(pair))
        }
    default: break
    }
    throw Fault(INKLING_REFUSED, stage: "content", reason: "malformed")
}

extension AudienceTree {
    /// The depth, the prefix and the key of each node.
    fileprivate borrowing func stored() -> SecretBytes {
        let nodes = nodes
        var writer = SecretWriter(capacity: nodes.count * 37)
        withKeyBytes { keys in
            for (index, node) in nodes.enumerated() {
                writer.append(u8: node.depth)
                writer.append(u32: node.prefix)
                writer.append(keys.extracting(index * 32..<(index + 1) * 32))
            }
        }
        return writer.finish()
    }

    fileprivate init?(stored bytes: Span<UInt8>) {
        var nodes: [TreeNode] = []
        var keys = SecretWriter(capacity: bytes.count)
        for start in stride(from: 0, to: bytes.count, by: 37) {
            let prefix = UInt32(truncatingIfNeeded: bytes.bigEndian(at: start + 1, count: 4))
            guard let node = TreeNode(depth: bytes[start], prefix: prefix) else { return nil }
            nodes.append(node)
            keys.append(bytes.extracting(start + 5..<start + 37))
        }
        self.init(nodes: nodes, keys: keys.finish())
    }
}
