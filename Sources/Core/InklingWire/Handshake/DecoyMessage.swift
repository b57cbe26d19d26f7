internal import InklingKeys

extension Packet {
    /// Returns a packet in the form of message 1 of a confirm handshake that no device can answer: a random gate, a fresh
    /// public key and random bytes (INK-BLE-030 in `Specs/bluetooth.md`).
    ///
    /// A central that has read a tag always writes a first message, so that nobody learns from its silence that the tag
    /// belongs to no contact.
    public static func decoyFirstMessage(using generator: inout some RandomNumberGenerator) -> Packet? {
        var body: [UInt8] = []
        func appendRandom(_ count: Int) { for _ in 0..<count { body.append(.random(in: 0...255, using: &generator)) } }
        appendRandom(Gate.byteCount)
        body.append(NoiseKeyPair(from: &generator).publicKey)
        appendRandom(PacketType.confirmFirst.largestBody - body.count)
        return try? Packet(.confirmFirst, body: body)
    }
}
