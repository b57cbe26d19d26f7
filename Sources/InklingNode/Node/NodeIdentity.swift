public import InklingKeys
internal import InklingSession

/// How a person's keys begin, and how a device's certificate is kept alive.
public enum NodeIdentity {
    /// For how many periods before its end a certificate is replaced: longer than the longest grant, so that contacts
    /// always hear of the new one in time.
    static let renewalLead: UInt32 = Grant.longestSpan + 24

    /// Creates the contents of a new vault: an identity, this device as its primary one, and one audience for all contacts.
    ///
    /// - Parameters:
    ///   - name: shown to contacts; at most 64 bytes, without control or bidirectional characters.
    ///   - now: the current period; nothing before it can ever be derived.
    ///   - generator: draws every key.
    /// - Returns: what a vault is made with.
    /// - Throws: `CardError` when the name is unfit.
    public static func makeContents(
        name: String, now: Period, using generator: inout some RandomNumberGenerator
    ) throws(CardError) -> VaultContents {
        let seed = RootSeed(from: &generator)
        let noise = SecretBytes(count: keyByteCount, from: &generator)
        let card = try card(
            name: name, serial: 1, seed: seed, generation: 1, device: .first, noiseKey: X25519.publicKey(of: noise),
            now: now)
        var contents = VaultContents(
            displayName: name, rootSeed: SecretBox(seed), device: .first, noiseKey: SecretBox(noise), card: card.bytes)
        contents.audiences = [Audience(from: now, using: &generator)]
        return contents
    }

    /// Signs a card with one device on it, valid from the period before `now` for the longest time allowed.
    static func card(
        name: String, serial: UInt32, seed: borrowing RootSeed, generation: UInt32, device: DeviceIndex,
        noiseKey: Octets32, now: Period
    ) throws(CardError) -> ContactCard {
        let identity = seed.identityKey(generation: generation)
        let from = now.previous ?? now
        let to = Period(from.number + DeviceCertificate.longestSpan - 1) ?? .last
        let certificate: DeviceCertificate
        do throws(CertificateError) {
            certificate = try DeviceCertificate(
                index: device, key: noiseKey, from: from, to: to, isPrimary: true, signedBy: identity)
        } catch {
            throw .certificates(error)
        }
        return try ContactCard(
            identity: identity, generation: generation, serial: serial,
            presence: seed.presenceKey(generation: generation).publicKey, certificates: [certificate], name: name)
    }
}

extension StoredContact {
    /// The contact's card as a value.
    ///
    /// - Throws: `CardError`, when its certificates have ended.
    func parsedCard(now: Period) throws(CardError) -> ContactCard {
        try ContactCard(parsing: card.span, now: now)
    }

    /// The serial of the card, also when its certificates have all ended: nothing older may take its place even then.
    var cardSerial: UInt32 {
        ContactCard.serial(ofUnverified: card.span) ?? 0
    }
}

extension VaultContents {
    /// The card as a value.
    ///
    /// - Throws: `CardError`, when its certificates have ended or the vault holds something else.
    func ownCard(now: Period) throws(CardError) -> ContactCard {
        try ContactCard(parsing: card.span, now: now)
    }

    /// Signs a new card when this device's certificate is about to end. True when the card changed.
    mutating func renewCertificate(now: Period) throws(CardError) -> Bool {
        guard let rootSeed else { return false }
        let publicKey = X25519.publicKey(of: noiseKey.value)
        if let card = try? ownCard(now: now), let own = card.certificate(ofKey: publicKey, in: now),
            own.to.number > now.number + NodeIdentity.renewalLead || own.to == .last
        {
            return false
        }
        cardSerial += 1
        card = try NodeIdentity.card(
            name: displayName, serial: cardSerial, seed: rootSeed.value, generation: identityGeneration,
            device: device, noiseKey: publicKey, now: now
        ).bytes
        return true
    }
}
