import CSodiumPeers
import InklingKeys
import InklingWire

private let pairCount = 8

/// A whole confirm handshake, both sides, in memory.
func handshakeMeasures() -> [Measure] {
    guard let epoch = Epoch(1_984_000) else { return [] }
    var generator = SystemRandomNumberGenerator()
    let caller = SecretBox(NoiseKeyPair(from: &generator))
    let responder = SecretBox(NoiseKeyPair(from: &generator))
    let pairwise = SecretBox(SecretBytes(count: 32, from: &generator))
    let context = ConfirmContext(
        transport: .tcp, epoch: epoch, device: .first, identifier: Octets16(high: 1, low: 2),
        preSharedKey: SecretBytes(count: 32, from: &generator), gateKey: SecretBytes(count: 32, from: &generator))
    let payload = ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: 1_785_600_000_000)
    let secrets = (0..<32 * pairCount).map { _ in UInt8.random(in: 0...255) }

    func handshake() throws -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        let initiator = try ConfirmInitiator(
            context, deviceKey: caller.value, responder: responder.value.publicKey, payload: payload,
            using: &generator)
        // A new responder each time: its budgets and its memory of first messages would refuse the crowd.
        var host = ConfirmResponder()
        let request = try host.receive(
            initiator.packet, contexts: [context], deviceKey: responder.value, at: 0, using: &generator,
            pairwiseKey: { _ in pairwise.value.duplicate() })
        let answer = try request.reply(payload)
        let session = try initiator.receive(answer.packet, pairwiseKey: pairwise.value)
        return session.peerKey == responder.value.publicKey ? 0 : 1
    }
    return [
        Measure(
            name: "confirm handshake (Noise IKpsk0+psk2), both sides", unit: "handshakes", batch: pairCount,
            contestants: [
                Contestant("InklingWire") {
                    (0..<pairCount).reduce(0) { sum, _ in
                        guard let fault = try? handshake(), fault == 0 else { fatalError("the handshake failed") }
                        return sum
                    }
                },
                Contestant("libsodium, only its 10 scalar multiplications", isEquivalent: false, limit: 1.1) {
                    secrets.withUnsafeBufferPointer { peers_agreements($0.baseAddress, pairCount) }
                },
            ])
    ]
}
