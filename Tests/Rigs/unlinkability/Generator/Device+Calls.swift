internal import InklingKeys
internal import InklingWire

extension Device {
    /// Adds a handshake with a contact: this device calls, over TCP, and over Bluetooth if both have links.
    func call(
        _ contact: Device, in epoch: Epoch, at time: Double, mine: inout Bundle, theirs: inout Bundle,
        using draws: inout Draws
    ) throws {
        for transport in hasLinks ? [Transport.tcp, .gatt] : [.tcp] {
            let context = try contact.own(epoch, over: transport).context
            let pairwise = SecretBytes(count: 32, from: &draws)
            let milliseconds = UInt64(time + clock)
            let initiator = try ConfirmInitiator(
                context, deviceKey: deviceKey.value, responder: contact.deviceKey.value.publicKey,
                payload: ConfirmPayload(transports: [], generation: 496_000, unixMilliseconds: milliseconds),
                using: &draws)
            let first = initiator.packet
            let key = SecretBox(pairwise.duplicate())
            var responder = ConfirmResponder()
            let request = try responder.receive(
                first, contexts: [context], deviceKey: contact.deviceKey.value, at: 1000, using: &draws
            ) { _ in key.value.duplicate() }
            let reply = try request.reply(
                ConfirmPayload(transports: [], generation: 496_000, unixMilliseconds: milliseconds))
            var session = try initiator.receive(reply.packet, pairwiseKey: pairwise)
            let hello = try session.seal(Hello(ownSerial: 1, peerSerial: 1, grants: []).record)
            switch transport {
            case .tcp:
                mine.add("first", at: time, Self.frame(first))
                let padding = [UInt8](repeating: 0, count: contact.leaks.length)
                theirs.add("second", at: time + 5, Self.frame(reply.packet) + padding)
                mine.add("record", at: time + 10, Self.frame(hello))
            case .gatt:
                mine.add("write", at: time + 500, Self.values(first))
                theirs.add("notify", at: time + 600, Self.values(reply.packet))
                mine.add("written", at: time + 700, Self.values(hello))
            default: break
            }
        }
    }

    private static func frame(_ packet: Packet) -> [UInt8] {
        var bytes: [UInt8] = []
        packet.appendFrame(to: &bytes)
        return bytes
    }

    /// The values of the fragments one after the other, each after its length.
    private static func values(_ packet: Packet) -> [UInt8] {
        packet.gattFragments(mtu: 247).flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }
}
