internal import InklingKeys

// The additions of version 4 to a contact (`Specs/vault.md`): the delays after which it counts as arrived and as left.
extension StoredContact {
    /// Appends the delays of the contact.
    func writeDelays(to output: inout SecretWriter) {
        for delay in [delays.arrive, delays.leave, delays.goodbye] {
            output.append(u8: delay == nil ? 0 : 1)
            if let delay { output.append(u32: UInt32(clamping: delay.wholeMilliseconds / 1000)) }
        }
    }

    /// Parses the delays of the contact.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    mutating func parseDelays(_ input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        let arrive = try cursor.delay(in: ContactDelays.arrivals, of: input)
        let leave = try cursor.delay(in: ContactDelays.departures, of: input)
        delays = ContactDelays(
            arrive: arrive, leave: leave, goodbye: try cursor.delay(in: ContactDelays.departures, of: input))
    }
}

extension ContentsCursor {
    fileprivate mutating func delay(
        in seconds: ClosedRange<UInt32>, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Duration? {
        try presence(of: bytes) ? .seconds(try number(seconds, of: bytes)) : nil
    }
}
