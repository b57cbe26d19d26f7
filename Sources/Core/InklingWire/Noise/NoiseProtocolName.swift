/// The name of a Noise protocol, such as `Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256` (`Specs/noise.md`).
package struct NoiseProtocolName: Hashable, Sendable, CustomStringConvertible {
    /// The full name, with which the handshake hash begins.
    package let description: String
    /// The handshake pattern in the name, including its pre-shared keys.
    package let pattern: HandshakePattern

    /// Parses a name; returns nil unless it has a known pattern, ascending `psk` modifiers that the pattern allows, and
    /// the cipher suite of the protocol.
    package init?(_ name: String) {
        guard name.hasPrefix("Noise_"), name.hasSuffix(Self.suite) else { return nil }
        let middle = name.dropFirst("Noise_".count).dropLast(Self.suite.count)
        let base = middle.prefix { !$0.isLowercase }
        guard var pattern = HandshakePattern(named: String(base)) else { return nil }
        let modifiers = middle.dropFirst(base.count)
        if !modifiers.isEmpty {
            for modifier in modifiers.split(separator: "+", omittingEmptySubsequences: false) {
                guard modifier.count == 4, modifier.hasPrefix("psk"), let position = modifier.last?.wholeNumberValue,
                    let next = pattern.adding(pskAt: position)
                else { return nil }
                pattern = next
            }
        }
        // Only the canonical spelling is accepted, because `wholeNumberValue` also accepts digits outside ASCII.
        let spelling = pattern.pskPositions.map { "psk\($0)" }.joined(separator: "+")
        guard name == "Noise_" + pattern.name + spelling + Self.suite else { return nil }
        description = name
        self.pattern = pattern
    }

    private static let suite = "_25519_ChaChaPoly_SHA256"
}

/// The protocols of the handshakes (`Specs/handshake.md`), parsed once: parsing a name takes longer than hashing it.
extension NoiseProtocolName {
    /// The protocol of the confirm handshake.
    static let confirm = constant("Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256")
    /// The protocol of a first contact and of a device link.
    static let invitation = constant("Noise_XXpsk0+psk3_25519_ChaChaPoly_SHA256")
    /// The protocol of a sealed grant.
    static let sealedGrant = constant("Noise_Kpsk0_25519_ChaChaPoly_SHA256")

    private static func constant(_ name: String) -> NoiseProtocolName {
        guard let name = NoiseProtocolName(name) else { preconditionFailure("\(name) is no name of a protocol") }
        return name
    }
}
