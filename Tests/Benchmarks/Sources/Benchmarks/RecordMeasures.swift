import CSodiumPeers
import InklingKeys
import InklingWire

/// Two sides of a session. Records go from the first to the second.
final class ConfirmedLink {
    private var sender: EstablishedSession
    private var receiver: EstablishedSession

    init(sender: consuming EstablishedSession, receiver: consuming EstablishedSession) {
        self.sender = sender
        self.receiver = receiver
    }

    /// A link whose sides have confirmed each other.
    static func confirmed() -> ConfirmedLink {
        do {
            var generator = SystemRandomNumberGenerator()
            guard let epoch = Epoch(1_984_000) else { fail("no such epoch") }
            let own = NoiseKeyPair(from: &generator), other = NoiseKeyPair(from: &generator)
            let pairwise = SecretBytes(count: 32, from: &generator)
            let context = ConfirmContext(
                transport: .tcp, epoch: epoch, device: .first, identifier: Octets16(high: 1, low: 2),
                preSharedKey: SecretBytes(count: 32, from: &generator),
                gateKey: SecretBytes(count: 32, from: &generator))
            let payload = ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: 1_785_600_000_000)
            let initiator = try ConfirmInitiator(
                context, deviceKey: own, responder: other.publicKey, payload: payload, using: &generator)
            var host = ConfirmResponder()
            let request = try host.receive(
                initiator.packet, contexts: [context], deviceKey: other, at: 0, using: &generator,
                pairwiseKey: { _ in pairwise.duplicate() })
            let answer = try request.reply(payload)
            let hello = try Hello(ownSerial: 1, peerSerial: 1, grants: [])
            var sender = try initiator.receive(answer.packet, pairwiseKey: pairwise)
            var receiver = try answer.receive(try sender.seal(hello.record))
            _ = try sender.open(try receiver.seal(hello.record))
            return ConfirmedLink(sender: sender, receiver: receiver)
        } catch {
            fail("no session: \(error)")
        }
    }

    /// Seals a copy of `body`.
    func seal(_ body: Span<UInt8>) -> Packet {
        do { return try sender.seal(try Record(.state, copying: body)) } catch { fail("not sealed: \(error)") }
    }

    /// Opens a packet and returns the length of the body.
    func open(_ packet: Packet) -> Int {
        do { return try receiver.open(packet).withBody { $0.count } } catch { fail("not opened: \(error)") }
    }
}

/// What a record costs beside its encryption: its body is made a secret, padded, counted, and put into a packet; and
/// back. Records are padded, so libsodium encrypts as many bytes as ours, and for comparison the body alone.
func recordMeasures() -> [Measure] {
    [(64, 1000, nil), (1024, 500, 1.3), (16_384, 50, nil)].flatMap { count, batch, limit in
        records(of: count, batch: batch, limit: limit)
    }
}

private func records(of count: Int, batch: Int, limit: Double?) -> [Measure] {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let key = [UInt8](repeating: 7, count: 32)
    // What one link seals is opened by nobody.
    let sealing = ConfirmedLink.confirmed(), link = ConfirmedLink.confirmed()
    let padded = Record.paddedCount(ofBody: count)
    var room = [UInt8](repeating: 0, count: padded + 16)
    var sealed: [Packet] = []

    func bareSealing(_ name: String, _ length: Int, limit: Double? = nil) -> Contestant {
        let text = [UInt8](repeating: 1, count: length)
        return Contestant(name, isEquivalent: false, limit: limit) {
            peers_seal(key, text, length, &room, batch, 0)
        }
    }
    func bareOpening(_ name: String, _ length: Int) -> Contestant {
        let text = [UInt8](repeating: 1, count: length)
        var all: [UInt8] = []
        for counter in 0..<UInt64(batch) {
            _ = peers_seal(key, text, length, &room, 1, counter)
            all += room.prefix(length + 16)
        }
        let sealed = all
        return Contestant(name, isEquivalent: false) {
            guard peers_open(key, sealed, length, &room, batch) == 0 else { fail("libsodium does not open its text") }
            return 0
        }
    }
    // Each packet opens once.
    var own = Contestant("InklingWire") { sealed.reduce(0) { $0 + UInt64(link.open($1)) } }
    own.prepare = { sealed = (0..<batch).map { _ in link.seal(body.span) } }
    let label = count < 1024 ? "\(count) bytes" : "\(count / 1024) KiB"
    return [
        Measure(
            name: "sealing a record of \(label), padded to \(padded) bytes", unit: "records", batch: batch,
            contestants: [
                Contestant("InklingWire") {
                    var sum: UInt64 = 0
                    for _ in 0..<batch { sum ^= UInt64(sealing.seal(body.span).body[0]) }
                    return sum
                },
                bareSealing("libsodium, only ChaCha20-Poly1305 of \(padded) bytes", padded, limit: limit),
                bareSealing("libsodium, only ChaCha20-Poly1305 of \(count) bytes", count),
            ]),
        Measure(
            name: "opening a record of \(label), padded to \(padded) bytes", unit: "records", batch: batch,
            contestants: [
                own,
                bareOpening("libsodium, only ChaCha20-Poly1305 of \(padded) bytes", padded),
                bareOpening("libsodium, only ChaCha20-Poly1305 of \(count) bytes", count),
            ]),
    ]
}
