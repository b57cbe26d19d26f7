/// The full name of a Noise protocol, such as `Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256` (`Specs/noise.md`).
package struct NoiseProtocolName: Hashable, Sendable, CustomStringConvertible {
    /// The whole name, whose bytes begin the handshake hash.
    package let description: String
    /// What the name says about keys and messages, pre-shared keys included.
    package let pattern: HandshakePattern

    /// Reads a name; nil unless it is a known pattern, ascending `psk` modifiers that fit it, and our cipher suite.
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
        // The one spelling of this pattern, so that look-alike digits and letters are not another name for it.
        let spelling = pattern.pskPositions.map { "psk\($0)" }.joined(separator: "+")
        guard name == "Noise_" + pattern.name + spelling + Self.suite else { return nil }
        description = name
        self.pattern = pattern
    }

    private static let suite = "_25519_ChaChaPoly_SHA256"
}
