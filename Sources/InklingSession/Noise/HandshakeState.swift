package import InklingKeys

/// One party of a running handshake: HandshakeState of the Noise specification, section 5.3.
///
/// Each step consumes the state and returns the next one. A step that throws returns none: the handshake has ended, and
/// its keys are wiped.
package struct HandshakeState: ~Copyable, Sendable {
    /// Yields the pre-shared key of a position once the handshake reaches it, knowing the other party's static key if
    /// that has been received; nil ends the handshake.
    package typealias PresharedKeys = (_ position: Int, _ remoteStatic: Octets32?) -> SecretBytes?

    /// The longest message in bytes.
    package static let messageLimit = 65_535

    private let pattern: HandshakePattern
    private let role: Role
    private let localStatic: NoiseKeyPair?
    private let localEphemeral: NoiseKeyPair?
    private var symmetric: SymmetricState
    private var nextMessage = 0
    private var remoteEphemeral: Octets32?
    /// The other party's static public key, once known.
    package private(set) var remoteStatic: Octets32?

    /// The state before the first message.
    ///
    /// `localStatic` is present exactly when the pattern uses it, `remoteStatic` exactly when the pattern says that it
    /// is known beforehand, and `ephemeral`, freshly drawn for this handshake, exactly when this party sends one.
    ///
    /// - Throws: `NoiseError.missingKey`, `.unexpectedKey`.
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

    /// Whether every handshake message has been written or read.
    package var isComplete: Bool { nextMessage == pattern.messages.count }

    /// Whether the next message is this party's to write.
    package var isOwnTurn: Bool { !isComplete && pattern.sender(ofMessage: nextMessage) == role }

    /// Appends the next handshake message, which carries `payload`, to `message`.
    ///
    /// - Throws: `NoiseError.outOfTurn`, `.tooLong`, `.missingKey` when `presharedKeys` has none, `.lowOrderPoint`.
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

    /// Reads the other party's next handshake message; its payload replaces `payload`.
    ///
    /// `welcomes` is shown the other party's static key when the message brings it, before anything is computed with
    /// it and before that party has proven that it holds it, and ends the handshake by throwing.
    /// - Throws: `NoiseError.outOfTurn`, `.wrongLength`, `.missingKey` when `presharedKeys` has none, `.lowOrderPoint`,
    ///   `.decryptionFailed`, and what `welcomes` throws. `payload` is then as it was.
    package consuming func read(
        _ message: Span<UInt8>,
        into payload: inout SecretBytes,
        presharedKeys: PresharedKeys = { _, _ in nil },
        welcomes: (Octets32) throws(NoiseError) -> Void = { _ in }
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
                try welcomes(key)
                remoteStatic = key
                offset += count
            default: try mix(token, presharedKeys)
            }
        }
        payload = try symmetric.decryptAndHash(message.extracting(offset...))
        nextMessage += 1
        return self
    }

    /// The keys of the session.
    ///
    /// - Throws: `NoiseError.outOfTurn` while messages are missing.
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

    /// The Diffie-Hellman result of a token: its first letter names the initiator's key, its second the responder's.
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

private func publicKey(of pair: borrowing NoiseKeyPair?) -> Octets32? {
    switch pair {
    case .some(let pair): pair.publicKey
    case .none: nil
    }
}
