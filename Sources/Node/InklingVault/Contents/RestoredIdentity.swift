package import InklingKeys

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

extension RestoredCopy {
    /// The maximum distance by which the serial of a restored copy's first card exceeds its regular serial. It is below
    /// the limit up to which a HELLO raises a serial.
    static var serialLead: UInt32 { 512 }

    /// Draws how far a restored copy's generations are above the period: the original uses the number of the period,
    /// and contacts refuse generations more than 24 above it.
    package static func generationLead(using generator: inout some RandomNumberGenerator) -> UInt32 {
        UInt32.random(in: 1...8, using: &generator)
    }
}
