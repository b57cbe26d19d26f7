package import InklingKeys

/// The state of one party of a handshake: HandshakeState of the Noise specification, section 5.3.
///
/// Each step consumes the state and returns the next one. If a step throws, the handshake has ended and its keys are
/// wiped.
package struct HandshakeState: ~Copyable, Sendable {
    /// Returns the pre-shared key at a position when the handshake reaches it; nil ends the handshake. `remoteStatic`
    /// is the static key of the other party if it has been received.
    package typealias PresharedKeys = (_ position: Int, _ remoteStatic: Octets32?) -> SecretBytes?

    /// The maximum length of a message in bytes.
    package static let messageLimit = 65_535

    private let pattern: HandshakePattern
    private let role: Role
    private let localStatic: NoiseKeyPair?
    private let localEphemeral: NoiseKeyPair?
    private var symmetric: SymmetricState
    private var nextMessage = 0
    private var remoteEphemeral: Octets32?
    /// The static public key of the other party; nil until it is known.
    package private(set) var remoteStatic: Octets32?

    /// Creates the state before the first message.
    ///
    /// `localStatic` must be given exactly if the pattern uses it, `remoteStatic` exactly if the pattern requires that
    /// it is known beforehand, and `ephemeral`, a fresh key pair for this handshake, exactly if this party sends one.
    ///
    /// - Throws: `NoiseError.missingKey`, or `.unexpectedKey` if a key is given that the pattern does not use.
    package init(
        _ name: NoiseProtocolName,
        role: Role,
        prologue: Span<UInt8>,
        localStatic: consuming NoiseKeyPair? = nil,
        remoteStatic: Octets32? = nil,
        ephemeral: consuming NoiseKeyPair? = nil
    ) throws(NoiseError) {
        let pattern = name.pattern
        let peer: Role = role == .initiator ? .responder : .initiator
        let ownPublic = publicKey(of: localStatic)
        let given = [ownPublic != nil, remoteStatic != nil, publicKey(of: ephemeral) != nil]
        let used = [pattern.usesStatic(of: role), pattern.knowsStatic(of: peer), pattern.usesEphemeral(of: role)]
        for (isGiven, isUsed) in zip(given, used) where isUsed && !isGiven { throw .missingKey }
        for (isGiven, isUsed) in zip(given, used) where isGiven && !isUsed { throw .unexpectedKey }

        self.pattern = pattern
        self.role = role
        var symmetric = SymmetricState(protocolName: Array(name.description.utf8).span, prologue: prologue)
        for party in [Role.initiator, .responder] where pattern.knowsStatic(of: party) {
            let key = party == role ? ownPublic : remoteStatic
            key?.withBytes { symmetric.mixHash($0) }
        }
        self.symmetric = symmetric
        self.localStatic = localStatic
        self.localEphemeral = ephemeral
        self.remoteStatic = remoteStatic
    }

    private init(copying other: borrowing HandshakeState) {
        pattern = other.pattern
        role = other.role
        localStatic = copy(of: other.localStatic)
        localEphemeral = copy(of: other.localEphemeral)
        symmetric = other.symmetric.duplicate()
        nextMessage = other.nextMessage
        remoteEphemeral = other.remoteEphemeral
        remoteStatic = other.remoteStatic
    }

    /// Returns a state with the same keys, to read one message with several pre-shared keys. Nothing may be written with
    /// both.
    borrowing func duplicate() -> HandshakeState { HandshakeState(copying: self) }

    /// Whether every handshake message has been written or read.
    package var isComplete: Bool { nextMessage == pattern.messages.count }

    /// Whether this party writes the next message.
    package var isOwnTurn: Bool { !isComplete && pattern.sender(ofMessage: nextMessage) == role }

    /// Writes the next handshake message, with `payload` inside, and appends it to `message`.
    ///
    /// - Throws: `NoiseError.outOfTurn`, `.tooLong`, `.missingKey` if `presharedKeys` returns nil, `.lowOrderPoint`.
    package consuming func write(
        _ payload: Span<UInt8>,
        appendingTo message: inout [UInt8],
        presharedKeys: PresharedKeys = { _, _ in nil }
    ) throws(NoiseError) -> HandshakeState {
        guard isOwnTurn else { throw .outOfTurn }
        let count = pattern.overhead(ofMessage: nextMessage) + payload.count
        guard count <= Self.messageLimit else { throw .tooLong }
        for token in pattern.messages[nextMessage] {
            switch token {
            case .e: try writeEphemeral(appendingTo: &message)
            case .s:
                guard let key = publicKey(of: localStatic) else { throw .missingKey }
                try key.withBytes { key throws(NoiseError) in
                    try symmetric.encryptAndHash(key, appendingTo: &message)
                }
            default: try mix(token, presharedKeys)
            }
        }
        try symmetric.encryptAndHash(payload, appendingTo: &message)
        nextMessage += 1
        return self
    }

    /// Reads the next handshake message of the other party, and replaces `payload` with its payload.
    ///
    /// If the message contains the static key of the other party, `checkStatic` is called with it, before anything is
    /// computed with the key and before the party has proven that it holds the private key. It can end the handshake by
    /// throwing.
    /// - Throws: `NoiseError.outOfTurn`, `.wrongLength`, `.missingKey` if `presharedKeys` returns nil,
    ///   `.lowOrderPoint`, `.decryptionFailed`, and the errors of `checkStatic`. `payload` is then unchanged.
    package consuming func read(
        _ message: Span<UInt8>,
        into payload: inout SecretBytes,
        presharedKeys: PresharedKeys = { _, _ in nil },
        checkStatic: (Octets32) throws(NoiseError) -> Void = { _ in }
    ) throws(NoiseError) -> HandshakeState {
        guard !isComplete, !isOwnTurn else { throw .outOfTurn }
        let overhead = pattern.overhead(ofMessage: nextMessage)
        guard message.count >= overhead, message.count <= Self.messageLimit else { throw .wrongLength }
        var offset = 0
        for token in pattern.messages[nextMessage] {
            switch token {
            case .e:
                readEphemeral(message.extracting(offset..<offset + 32))
                offset += 32
            case .s:
                let count = symmetric.hasKey ? 48 : 32
                let key = try readStatic(message.extracting(offset..<offset + count))
                try checkStatic(key)
                remoteStatic = key
                offset += count
            default: try mix(token, presharedKeys)
            }
        }
        payload = try symmetric.decryptAndHash(message.extracting(offset...))
        nextMessage += 1
        return self
    }

    /// Ends the handshake and returns the keys of the session.
    ///
    /// - Throws: `NoiseError.outOfTurn` if messages are missing.
    package consuming func finish() throws(NoiseError) -> TransportKeys {
        guard isComplete else { throw .outOfTurn }
        return symmetric.split()
    }

    private mutating func writeEphemeral(appendingTo message: inout [UInt8]) throws(NoiseError) {
        guard let key = publicKey(of: localEphemeral) else { throw .missingKey }
        message.append(key)
        key.withBytes { mixEphemeral($0) }
    }

    private mutating func readEphemeral(_ key: Span<UInt8>) {
        remoteEphemeral = Octets32(key)
        mixEphemeral(key)
    }

    private mutating func readStatic(_ bytes: Span<UInt8>) throws(NoiseError) -> Octets32 {
        let key: SecretBytes
        do {
            key = try symmetric.decryptAndHash(bytes)
        } catch {
            throw error == .decryptionFailed(.payload) ? .decryptionFailed(.staticKey) : error
        }
        guard let key = key.withBytes({ Octets32($0) }) else { throw .wrongLength }
        return key
    }

    private mutating func mixEphemeral(_ key: Span<UInt8>) {
        symmetric.mixHash(key)
        if !pattern.pskPositions.isEmpty { symmetric.mixKey(key) }
    }

    private mutating func mix(_ token: NoiseToken, _ presharedKeys: PresharedKeys) throws(NoiseError) {
        if case .psk(let position) = token {
            guard let key = presharedKeys(position, remoteStatic), key.count == keyByteCount else { throw .missingKey }
            key.withBytes { symmetric.mixKeyAndHash($0) }
        } else {
            let shared = try agreement(token)
            shared.withBytes { symmetric.mixKey($0) }
        }
    }

    /// Returns the Diffie-Hellman result of a token, whose first letter stands for the initiator's key and whose second
    /// letter stands for the responder's.
    private borrowing func agreement(_ token: NoiseToken) throws(NoiseError) -> SecretBytes {
        switch (token, role) {
        case (.ee, _): try agree(localEphemeral, remoteEphemeral)
        case (.es, .initiator), (.se, .responder): try agree(localEphemeral, remoteStatic)
        case (.es, .responder), (.se, .initiator): try agree(localStatic, remoteEphemeral)
        default: try agree(localStatic, remoteStatic)
        }
    }
}

private func agree(
    _ own: borrowing NoiseKeyPair?, _ peer: Octets32?
) throws(NoiseError) -> SecretBytes {
    guard let peer else { throw .missingKey }
    switch own {
    case .some(let own): return try own.agree(with: peer)
    case .none: throw .missingKey
    }
}

private func copy(of pair: borrowing NoiseKeyPair?) -> NoiseKeyPair? {
    switch pair {
    case .some(let pair): pair.duplicate()
    case .none: nil
    }
}

private func publicKey(of pair: borrowing NoiseKeyPair?) -> Octets32? {
    switch pair {
    case .some(let pair): pair.publicKey
    case .none: nil
    }
}
