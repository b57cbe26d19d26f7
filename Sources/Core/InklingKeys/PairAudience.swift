/// The audience of exactly one contact, whose root both users compute from their presence keys
/// (`Specs/pair-audiences.md`).
///
/// It is directional: A shows B other values than B shows A. It is not forward-secret, because the key agreement is
/// between static keys.
public enum PairAudience {
    /// Returns the root of the audience in which one user shows itself to the other: the user with the key `own` if
    /// `advertising` is true, otherwise the user with the key `peer`.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint` if `peer` is a point that would make the shared secret zero.
    public static func root(
        own: borrowing PresenceKey, peer: Octets32, advertising: Bool
    ) throws(KeyAgreementError) -> SecretBytes {
        let shared = try own.agree(with: peer)
        let salted = shared.withBytes { extract(salt: DerivationLabel.pairAudienceSalt, from: $0) }
        let (advertiser, observer) = advertising ? (own.publicKey, peer) : (peer, own.publicKey)
        return derive(DerivationLabel.pairRoot, from: salted) { input in
            input.append(advertiser)
            input.append(observer)
        }
    }

    /// Returns the pairwise key of two contacts that have exchanged cards without a first contact.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint` if `peer` is a point that would make the shared secret zero.
    public static func staticPairwiseKey(
        own: borrowing PresenceKey, peer: Octets32
    ) throws(KeyAgreementError) -> SecretBytes {
        let shared = try own.agree(with: peer)
        let salted = shared.withBytes { extract(salt: DerivationLabel.pairPSKSalt, from: $0) }
        let (lower, higher) = own.publicKey < peer ? (own.publicKey, peer) : (peer, own.publicKey)
        return derive(DerivationLabel.pairPSK, from: salted) { input in
            input.append(lower)
            input.append(higher)
        }
    }
}
