internal import InklingKeys

/// The chaining key, handshake hash and cipher of a handshake: SymmetricState of the Noise specification, section 5.2.
struct SymmetricState: ~Copyable, Sendable {
    private var chainingKey: SecretBytes
    private var cipher: CipherState?
    /// The handshake hash h, which covers all messages so far. It is not a secret.
    private(set) var handshakeHash: Octets32

    /// Creates the state at the start of a handshake. Both parties must use the same name and prologue.
    init(protocolName: Span<UInt8>, prologue: Span<UInt8>) {
        let start: Octets32
        if protocolName.count <= keyByteCount {
            let padded = InlineArray<32, UInt8> { $0 < protocolName.count ? protocolName[$0] : 0 }
            start = Octets32(padded)
        } else {
            start = sha256 { $0.append(protocolName) }
        }
        chainingKey = start.withBytes { SecretBytes(copying: $0) }
        handshakeHash = start
        mixHash(prologue)
    }

    private init(copying other: borrowing SymmetricState) {
        chainingKey = other.chainingKey.duplicate()
        handshakeHash = other.handshakeHash
        switch other.cipher {
        case .some(let cipher): self.cipher = cipher.duplicate()
        case .none: cipher = nil
        }
    }

    /// Returns a state with the same keys.
    borrowing func duplicate() -> SymmetricState { SymmetricState(copying: self) }

    /// Whether there is a cipher key, so that messages are encrypted.
    var hasKey: Bool {
        switch cipher {
        case .some: true
        case .none: false
        }
    }

    mutating func mixHash(_ data: Span<UInt8>) {
        let previous = handshakeHash
        handshakeHash = sha256 { input in
            input.append(previous)
            input.append(data)
        }
    }

    mutating func mixKey(_ material: Span<UInt8>) {
        let salted = extracted(material)
        let first = expanded(salted, 1)
        cipher = CipherState(key: expanded(salted, 2, after: first))
        chainingKey = first
    }

    mutating func mixKeyAndHash(_ material: Span<UInt8>) {
        let salted = extracted(material)
        let first = expanded(salted, 1)
        let second = expanded(salted, 2, after: first)
        cipher = CipherState(key: expanded(salted, 3, after: second))
        chainingKey = first
        second.withBytes { mixHash($0) }
    }

    /// Appends `plaintext` to `output`, encrypted if there is a cipher key.
    mutating func encryptAndHash(_ plaintext: Span<UInt8>, appendingTo output: inout [UInt8]) throws(NoiseError) {
        let start = output.count
        if hasKey {
            try handshakeHash.withBytes { hash throws(NoiseError) in
                try cipher?.encrypt(plaintext, associatedData: hash, appendingTo: &output)
            }
        } else {
            output.append(plaintext)
        }
        mixHash(output.span.extracting(start...))
    }

    /// Returns the plaintext of `data`, which is encrypted if there is a cipher key.
    mutating func decryptAndHash(_ data: Span<UInt8>) throws(NoiseError) -> SecretBytes {
        let plaintext = try handshakeHash.withBytes { hash throws(NoiseError) in
            try cipher?.decrypt(data, associatedData: hash) ?? SecretBytes(copying: data)
        }
        mixHash(data)
        return plaintext
    }

    /// Returns the keys of the two directions.
    consuming func split() -> TransportKeys {
        let salted = extracted(Span())
        let first = expanded(salted, 1)
        let second = expanded(salted, 2, after: first)
        return TransportKeys(handshakeHash: handshakeHash, initiator: first, responder: second)
    }

    // The two steps of HKDF in the Noise specification, section 4.3.

    private borrowing func extracted(_ material: Span<UInt8>) -> SecretBytes {
        chainingKey.withBytes { key in hmacSHA256(key: key) { $0.append(material) } }
    }

    private func expanded(_ salted: borrowing SecretBytes, _ counter: UInt8) -> SecretBytes {
        salted.withBytes { key in hmacSHA256(key: key) { $0.append(u8: counter) } }
    }

    private func expanded(
        _ salted: borrowing SecretBytes, _ counter: UInt8, after previous: borrowing SecretBytes
    ) -> SecretBytes {
        salted.withBytes { key in
            previous.withBytes { previous in
                hmacSHA256(key: key) { input in
                    input.append(previous)
                    input.append(u8: counter)
                }
            }
        }
    }
}
