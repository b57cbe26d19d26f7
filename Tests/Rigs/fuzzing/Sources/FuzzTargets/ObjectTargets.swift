internal import CFuzzing
internal import InklingKeys

extension FuzzTarget {
    /// Signed objects; the first byte decides whether signatures are checked.
    static let objectTargets = [
        FuzzTarget("card") { input in
            guard let now = Period(496_000), let card = parsing(input, { try ContactCard(parsing: $0, now: now) })
            else {
                return nil
            }
            promise(
                card.bytes.count == input.count - 1 && card.bytes.count <= ContactCard.byteLimit, "a card is its bytes")
            promise(card.name.utf8.count <= ContactCard.nameByteLimit, "a name is bounded")
            promise((1...16).contains(card.certificates.count), "a card names devices")
            return UInt32(truncatingIfNeeded: card.presence.first.high >> 48 & 0xffff)
        },

        FuzzTarget("grant") { input in
            // The issuer and the grantee are those that the grant names.
            guard let now = Period(496_000), input.count > 81, let issuer = Octets32(input.extracting(2..<34)),
                let grantee = Octets16(input.extracting(input.count - 80..<input.count - 64)),
                let grant = parsing(
                    input,
                    {
                        try Grant(parsing: $0, issuer: issuer, grantee: UserID(grantee), now: now, heldGeneration: 0)
                    })
            else { return nil }
            promise(grant.tree.value.nodes == TreeNode.cover(from: grant.from, to: grant.to), "a grant is its cover")
            promise(grant.to.number - grant.from.number < Grant.longestSpan, "a grant is bounded")
            promise((1...16).contains(grant.certificates.count), "a grant names devices")
            return UInt32(truncatingIfNeeded: grant.audience.value & 0xffff)
        },

        FuzzTarget("invitation") { input in
            guard let invitation = try? Invitation(parsing: input, minute: 29_760_000) else { return nil }
            promise(invitation.encoded().withBytes { $0.isEqual(to: input) }, "an invitation is its bytes")
            return UInt32(truncatingIfNeeded: invitation.commitment.low & 0xffff)
        },

        FuzzTarget("certificate-key") { input in
            // Points of small order and non-canonical encodings, in the only object that may contain them.
            guard let key = Octets32(input), let shared = try? X25519.agree(probe.value, with: key) else { return nil }
            promise(!shared.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == 0 } }, "no zero secret")
            return UInt32(truncatingIfNeeded: key.first.high & 0xffff)
        },
    ]

    private static let probe = SecretBox(SecretBytes(count: 32) { $0[0] = 8 })
}

/// Parses the bytes after the first; if the first is 1, every signature counts as valid.
private func parsing<Parsed>(_ input: Span<UInt8>, _ parse: (Span<UInt8>) throws -> Parsed) -> Parsed? {
    guard !input.isEmpty else { return nil }
    accept_every_signature(input[0] == 1 ? 1 : 0)
    defer { accept_every_signature(0) }
    return try? parse(input.extracting(1...))
}
