internal import InklingKeys

// What a restored copy shows instead of what the original may still show: another device index, and numbers that the
// original does not give to anything else.
extension VaultContents {
    /// Signs the card of a restored copy: this device alone, under an index that no device of the copy had.
    ///
    /// Contacts may hold later cards than the copy knows, and refuse those that are not newer. The original, if it still
    /// runs, signs cards whose serials are the number of the period, so this one is drawn above it.
    ///
    /// - Throws: `CardError` when the card would be invalid.
    func restoredCard(
        now: Period, using generator: inout some RandomNumberGenerator
    ) throws(CardError) -> ContentsChange.SignedCard {
        var renewed = self
        renewed.device = unusedIndex
        let lead = UInt32.random(in: 1...RestoredCopy.serialLead, using: &generator)
        renewed.cardSerial = max(cardSerial, now.number) &+ lead
        try renewed.signCard(now: now, with: [])
        return ContentsChange.SignedCard(bytes: renewed.card, serial: renewed.cardSerial, device: renewed.device)
    }

    /// The index after the highest of the devices on the own card, or after 15 the first that none of them has.
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
    /// How far the serial of the first card of a restored copy is above that which it would have otherwise, at most. It is
    /// below the limit up to which a HELLO raises a serial.
    static var serialLead: UInt32 { 512 }

    /// Draws how far the generations of a restored copy are above the period: the original gives them the number of the
    /// period, and contacts refuse those that are more than 24 above it.
    static func generationLead(using generator: inout some RandomNumberGenerator) -> UInt32 {
        UInt32.random(in: 1...8, using: &generator)
    }
}
