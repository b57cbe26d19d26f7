public import InklingKeys
internal import InklingWire

/// Functions that create a new user's identity and sign cards.
public enum NodeIdentity {
    /// The remaining periods at which a certificate is replaced: more than the longest grant, so that contacts always
    /// receive the new one in time.
    static let renewalLead: UInt32 = Grant.longestSpan + 24

    /// Creates the contents of a new vault: an identity, this device as primary one, and one audience for all contacts.
    ///
    /// - Parameters:
    ///   - name: the name that contacts see; at most 64 bytes, without control or bidirectional characters.
    ///   - now: the current period; keys of earlier periods cannot be derived.
    ///   - generator: the source of every key.
    /// - Returns: contents for `VaultFile.create`.
    /// - Throws: `CardError` if the name is invalid.
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

    /// Signs a card of this primary device and the `others`, each valid from the period before `now` for the longest
    /// time allowed.
    package static func card(
        name: String, serial: UInt32, seed: borrowing RootSeed, generation: UInt32, device: DeviceIndex,
        noiseKey: Octets32, others: [ListedDevice] = [], now: Period
    ) throws(CardError) -> ContactCard {
        let identity = seed.identityKey(generation: generation)
        let from = now.previous ?? now
        let to = Period(from.number + DeviceCertificate.longestSpan - 1) ?? .last
        var certificates: [DeviceCertificate] = []
        do throws(CertificateError) {
            let own = ListedDevice(index: device, key: noiseKey)
            for one in ([own] + others).sorted(by: { $0.index.number < $1.index.number }) {
                certificates.append(
                    try DeviceCertificate(
                        index: one.index, key: one.key, from: from, to: to, isPrimary: one.key == noiseKey,
                        signedBy: identity))
            }
        } catch {
            throw .certificates(error)
        }
        return try ContactCard(
            identity: identity, generation: generation, serial: serial,
            presence: seed.presenceKey(generation: generation).publicKey, certificates: certificates, name: name)
    }
}

/// A device of this user, as listed on the own card.
public struct ListedDevice: Hashable, Sendable {
    /// The index of the device.
    public let index: DeviceIndex
    /// The Noise static key of the device.
    public let key: Octets32

    /// Creates an entry.
    public init(index: DeviceIndex, key: Octets32) {
        self.index = index
        self.key = key
    }
}

extension VaultContents {
    /// The public half of this device's key.
    package var ownKey: Octets32 { X25519.publicKey(of: noiseKey.value) }

    /// The devices on the own card, without this one.
    package var otherDevices: [ListedDevice] {
        let own = ownKey
        return ContactCard.listedDevices(ofUnverified: card.span)
            .map { ListedDevice(index: $0.index, key: $0.key) }
            .filter { $0.key != own && $0.index != device }
    }

    /// Parses and verifies the user's own card.
    ///
    /// - Throws: `CardError` if the stored bytes are invalid or the certificates have expired.
    package func ownCard(now: Period) throws(CardError) -> ContactCard {
        try ContactCard(parsing: card.span, now: now)
    }

    /// Signs a new card if this device's certificate is about to expire, and returns whether the card changed.
    ///
    /// - Throws: `CardError` if the new card would be invalid.
    package mutating func renewCertificate(now: Period) throws(CardError) -> Bool {
        guard rootSeed != nil else { return false }
        let publicKey = X25519.publicKey(of: noiseKey.value)
        if let card = try? ownCard(now: now), let own = card.certificate(ofKey: publicKey, in: now),
            own.to.number > now.number + NodeIdentity.renewalLead || own.to == .last
        {
            return false
        }
        try signCard(now: now)
        return true
    }

    /// The maximum lead of a reported serial over the current period, so that contacts cannot exhaust the serials.
    private static var serialLead: UInt32 { 1024 }

    /// Signs a card with a higher serial than a contact reports to hold, if that exceeds ours: it then holds a card
    /// that this copy of the contents does not know, and would refuse all others. Returns whether the card changed.
    ///
    /// - Throws: `CardError` when the new card would be invalid.
    package mutating func raiseSerial(above reported: UInt32, now: Period) throws(CardError) -> Bool {
        guard rootSeed != nil, reported > cardSerial, reported <= now.number + Self.serialLead else { return false }
        cardSerial = reported
        try signCard(now: now)
        return true
    }

    /// Signs a new card for this device and the `others`, by default those on the current card. Its serial is above the
    /// last one and at least the current period's number, hence above those that a restored copy has forgotten
    /// (INK-CRD-009). Does nothing without a root seed.
    ///
    /// - Throws: `CardError` when the new card would be invalid.
    package mutating func signCard(now: Period, with others: [ListedDevice]? = nil) throws(CardError) {
        guard let rootSeed else { return }
        let others = others ?? otherDevices
        let serial = max(cardSerial &+ 1, now.number)
        card = try NodeIdentity.card(
            name: displayName, serial: serial, seed: rootSeed.value, generation: identityGeneration,
            device: device, noiseKey: X25519.publicKey(of: noiseKey.value), others: others, now: now
        ).bytes
        cardSerial = serial
    }
}

// A restored copy differs from what the original may still show: another device index, and numbers that the original
// does not use.
extension VaultContents {
    /// Signs the card of a restored copy: this device alone, under an index that no device of the copy had.
    ///
    /// Contacts may hold later cards than the copy knows, and refuse those that are not newer. The original, if it
    /// still runs, uses the number of the period as serial, so this one is drawn above it.
    ///
    /// - Throws: `CardError` if the card would be invalid.
    package func restoredCard(
        now: Period, using generator: inout some RandomNumberGenerator
    ) throws(CardError) -> ContentsChange.SignedCard {
        var renewed = self
        renewed.device = unusedIndex
        let lead = UInt32.random(in: 1...RestoredCopy.serialLead, using: &generator)
        renewed.cardSerial = max(cardSerial, now.number) &+ lead
        try renewed.signCard(now: now, with: [])
        return ContentsChange.SignedCard(bytes: renewed.card, serial: renewed.cardSerial, device: renewed.device)
    }

    /// The index after the highest on the own card, wrapping after 15 to the first unused one.
    private var unusedIndex: DeviceIndex {
        let used = ContactCard.devices(ofUnverified: card.span) | 1 << UInt16(device.number)
        func isUsed(_ index: UInt8) -> Bool { used & 1 << UInt16(index) != 0 }
        var highest: UInt8 = 0
        for index in 0..<DeviceIndex.limit where isUsed(index) { highest = index }
        let places = (1...DeviceIndex.limit).map { (highest + $0) % DeviceIndex.limit }
        let free = places.first { !isUsed($0) } ?? (highest + 1) % DeviceIndex.limit
        return DeviceIndex(free) ?? .first
    }
}
