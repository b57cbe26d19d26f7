package import InklingKeys

/// The result of a handshake: a key for each direction, and the handshake hash.
package struct TransportKeys: ~Copyable, Sendable {
    /// The handshake hash h after the last message, the same for both parties. It is not a secret.
    package let handshakeHash: Octets32
    private let initiator: SecretBytes
    private let responder: SecretBytes

    init(handshakeHash: Octets32, initiator: consuming SecretBytes, responder: consuming SecretBytes) {
        self.handshakeHash = handshakeHash
        self.initiator = initiator
        self.responder = responder
    }

    /// Returns a cipher for the records that the party with `role` sends.
    package borrowing func sending(as role: Role) -> CipherState {
        CipherState(key: role == .initiator ? initiator.duplicate() : responder.duplicate())
    }

    /// Returns a cipher for the records that the party with `role` receives.
    package borrowing func receiving(as role: Role) -> CipherState {
        sending(as: role == .initiator ? .responder : .initiator)
    }

    /// Returns the exporter, from which the other secrets of the session are derived.
    package borrowing func exporter() -> Exporter {
        initiator.withBytes { initiator in
            responder.withBytes { responder in
                Exporter(initiatorKey: initiator, responderKey: responder, handshakeHash: handshakeHash)
            }
        }
    }
}
