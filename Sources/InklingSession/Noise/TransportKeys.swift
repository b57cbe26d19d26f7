package import InklingKeys

/// What a finished handshake leaves: a key for each direction, and the handshake hash.
package struct TransportKeys: ~Copyable, Sendable {
    /// h after the last message; both parties have the same. It is not a secret.
    package let handshakeHash: Octets32
    private let initiator: SecretBytes
    private let responder: SecretBytes

    init(handshakeHash: Octets32, initiator: consuming SecretBytes, responder: consuming SecretBytes) {
        self.handshakeHash = handshakeHash
        self.initiator = initiator
        self.responder = responder
    }

    /// A cipher for what the party with `role` sends.
    package borrowing func sending(as role: Role) -> CipherState {
        CipherState(key: role == .initiator ? initiator.duplicate() : responder.duplicate())
    }

    /// A cipher for what the party with `role` receives.
    package borrowing func receiving(as role: Role) -> CipherState {
        sending(as: role == .initiator ? .responder : .initiator)
    }

    /// The secret from which everything outside the records is derived.
    package borrowing func exporter() -> Exporter {
        initiator.withBytes { initiator in
            responder.withBytes { responder in
                Exporter(initiatorKey: initiator, responderKey: responder, handshakeHash: handshakeHash)
            }
        }
    }
}
