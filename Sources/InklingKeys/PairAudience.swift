/// The audience of exactly one contact, known to both sides from their public presence keys (`Specs/pair-audiences.md`).
///
/// It is directional: what A shows B differs from what B shows A. It is not forward-secret, because the key agreement
/// is between static keys.
public enum PairAudience {
    /// The root of the tree under which `advertiser` shows itself to `observer`, one of whom holds `own`.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint` when `peer` is a point that would make the secret public.
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

    /// The pairwise key of two contacts who have exchanged cards but never held a first contact.
    ///
    /// - Throws: `KeyAgreementError.lowOrderPoint`.
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
