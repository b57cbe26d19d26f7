package import InklingKeys

/// A token of a handshake message (Noise specification, section 7.1).
package enum NoiseToken: Hashable, Sendable {
    case e, s, ee, es, se, ss
    /// The pre-shared key at a position.
    case psk(Int)
}

/// A handshake pattern of the Noise specification: the keys that the parties know beforehand, and the tokens of each
/// message.
package struct HandshakePattern: Hashable, Sendable {
    /// The name without modifiers, such as `IK`.
    package let name: String
    /// Whether the responder knows the initiator's static key beforehand.
    package let initiatorIsKnown: Bool
    /// Whether the initiator knows the responder's static key beforehand.
    package let responderIsKnown: Bool
    /// The tokens of each message. The parties take turns, beginning with the initiator, which sends all messages of a
    /// one-way pattern.
    package private(set) var messages: [[NoiseToken]]
    /// The positions of the pre-shared keys, ascending.
    package private(set) var pskPositions: [Int] = []

    /// Creates the pattern with this name, without pre-shared keys; returns nil if the name is unknown.
    package init?(named name: String) {
        guard let pattern = Self.table[name] else { return nil }
        self = pattern
    }

    private init(_ name: String, knows known: String = "", _ messages: [NoiseToken]...) {
        self.name = name
        initiatorIsKnown = known.contains("i")
        responderIsKnown = known.contains("r")
        self.messages = messages
    }

    /// Returns the pattern with another pre-shared key: position 0 is the beginning of the first message, and position
    /// n the end of message n.
    ///
    /// Returns nil if the pattern has no such message, or if the position is not above those of its pre-shared keys.
    package func adding(pskAt position: Int) -> HandshakePattern? {
        guard (0...messages.count).contains(position), position > pskPositions.last ?? -1 else { return nil }
        var result = self
        result.pskPositions.append(position)
        if position == 0 {
            result.messages[0].insert(.psk(0), at: 0)
        } else {
            result.messages[position - 1].append(.psk(position))
        }
        return result
    }

    /// Whether only the initiator sends.
    package var isOneWay: Bool { name.count == 1 }

    /// Returns the sender of the message with this index, counted from 0.
    package func sender(ofMessage index: Int) -> Role {
        isOneWay || index % 2 == 0 ? .initiator : .responder
    }

    /// Returns whether the party with `role` needs a static key of its own.
    package func usesStatic(of role: Role) -> Bool {
        knowsStatic(of: role) || sends(.s, role)
    }

    /// Returns whether the other party knows the static key of `role` beforehand.
    package func knowsStatic(of role: Role) -> Bool {
        role == .initiator ? initiatorIsKnown : responderIsKnown
    }

    /// Returns whether the party with `role` sends an ephemeral key.
    package func usesEphemeral(of role: Role) -> Bool { sends(.e, role) }

    /// Returns the number of bytes in the message with this index, counted from 0, in addition to its payload: keys and
    /// tags.
    package func overhead(ofMessage index: Int) -> Int {
        var hasKey = false
        var count = 0
        for message in messages.prefix(index + 1) {
            count = 0
            for token in message {
                switch token {
                case .e:
                    count += 32
                    // With pre-shared keys the ephemeral key is mixed into the cipher key as well (section 9.2).
                    if !pskPositions.isEmpty { hasKey = true }
                case .s: count += hasKey ? 48 : 32
                case .ee, .es, .se, .ss, .psk: hasKey = true
                }
            }
            if hasKey { count += 16 }
        }
        return count
    }

    private func sends(_ token: NoiseToken, _ role: Role) -> Bool {
        messages.indices.contains { sender(ofMessage: $0) == role && messages[$0].contains(token) }
    }
}

extension HandshakePattern {
    /// The patterns of the Noise specification, sections 7.4, 7.5 and 18.1.
    private static let table: [String: HandshakePattern] = Dictionary(
        uniqueKeysWithValues: [
            HandshakePattern("N", knows: "r", [.e, .es]),
            HandshakePattern("K", knows: "ir", [.e, .es, .ss]),
            HandshakePattern("X", knows: "r", [.e, .es, .s, .ss]),

            HandshakePattern("NN", [.e], [.e, .ee]),
            HandshakePattern("NK", knows: "r", [.e, .es], [.e, .ee]),
            HandshakePattern("NX", [.e], [.e, .ee, .s, .es]),
            HandshakePattern("KN", knows: "i", [.e], [.e, .ee, .se]),
            HandshakePattern("KK", knows: "ir", [.e, .es, .ss], [.e, .ee, .se]),
            HandshakePattern("KX", knows: "i", [.e], [.e, .ee, .se, .s, .es]),
            HandshakePattern("XN", [.e], [.e, .ee], [.s, .se]),
            HandshakePattern("XK", knows: "r", [.e, .es], [.e, .ee], [.s, .se]),
            HandshakePattern("XX", [.e], [.e, .ee, .s, .es], [.s, .se]),
            HandshakePattern("IN", [.e, .s], [.e, .ee, .se]),
            HandshakePattern("IK", knows: "r", [.e, .es, .s, .ss], [.e, .ee, .se]),
            HandshakePattern("IX", [.e, .s], [.e, .ee, .se, .s, .es]),

            HandshakePattern("NK1", knows: "r", [.e], [.e, .ee, .es]),
            HandshakePattern("NX1", [.e], [.e, .ee, .s], [.es]),
            HandshakePattern("X1N", [.e], [.e, .ee], [.s], [.se]),
            HandshakePattern("X1K", knows: "r", [.e, .es], [.e, .ee], [.s], [.se]),
            HandshakePattern("XK1", knows: "r", [.e], [.e, .ee, .es], [.s, .se]),
            HandshakePattern("X1K1", knows: "r", [.e], [.e, .ee, .es], [.s], [.se]),
            HandshakePattern("X1X", [.e], [.e, .ee, .s, .es], [.s], [.se]),
            HandshakePattern("XX1", [.e], [.e, .ee, .s], [.es, .s, .se]),
            HandshakePattern("X1X1", [.e], [.e, .ee, .s], [.es, .s], [.se]),
            HandshakePattern("K1N", knows: "i", [.e], [.e, .ee], [.se]),
            HandshakePattern("K1K", knows: "ir", [.e, .es], [.e, .ee], [.se]),
            HandshakePattern("KK1", knows: "ir", [.e], [.e, .ee, .se, .es]),
            HandshakePattern("K1K1", knows: "ir", [.e], [.e, .ee, .es], [.se]),
            HandshakePattern("K1X", knows: "i", [.e], [.e, .ee, .s, .es], [.se]),
            HandshakePattern("KX1", knows: "i", [.e], [.e, .ee, .se, .s], [.es]),
            HandshakePattern("K1X1", knows: "i", [.e], [.e, .ee, .s], [.se, .es]),
            HandshakePattern("I1N", [.e, .s], [.e, .ee], [.se]),
            HandshakePattern("I1K", knows: "r", [.e, .es, .s], [.e, .ee], [.se]),
            HandshakePattern("IK1", knows: "r", [.e, .s], [.e, .ee, .se, .es]),
            HandshakePattern("I1K1", knows: "r", [.e, .s], [.e, .ee, .es], [.se]),
            HandshakePattern("I1X", [.e, .s], [.e, .ee, .s, .es], [.se]),
            HandshakePattern("IX1", [.e, .s], [.e, .ee, .se, .s], [.es]),
            HandshakePattern("I1X1", [.e, .s], [.e, .ee, .s], [.se, .es]),
        ].map { ($0.name, $0) })
}
