import CFigures
import InklingKeys

@testable import InklingWire

/// The time in which a responder refuses the first message of a stranger, of a removed contact and of a contact that comes
/// too late. Whoever measures it must not learn which of them it was.
///
/// A message that passes the gate costs more, by design: its sender knows the audience, and the reset of the link comes 5 s
/// after its beginning in either case.
struct ReplyTimes {
    enum Sender: Int, CaseIterable {
        /// Knows nothing.
        case stranger
        /// Has the keys of the audience's last generation.
        case removed
        /// Has the keys, and calls in an epoch that is over.
        case contact
    }

    /// What is planted in the messages of contacts.
    enum Gates {
        /// Nothing.
        case wrong
        /// Their gates differ from the right one in the last byte alone.
        case nearMiss
        /// Their gates are right, and their refusal costs Diffie-Hellman steps.
        case right
    }

    let device: SecretBox<NoiseKeyPair>
    let contexts: [ConfirmContext]
    private(set) var inputs: [[Packet]] = []

    /// Makes `kinds` messages of each sender beforehand.
    init(kinds: Int, seed: UInt64, gates: Gates) throws {
        var draws = Draws(seed)
        device = try Scene.key(2)
        let contact = try Scene.key(3)
        contexts = try [Scene.context(quarter: 2, transport: .tcp), Scene.context(quarter: 1, transport: .tcp)]
        let payload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: Scene.milliseconds)
        for sender in Sender.allCases {
            var packets: [Packet] = []
            for _ in 0..<kinds {
                let context: ConfirmContext
                switch sender {
                case .stranger:
                    packets.append(try Packet(.confirmFirst, body: draws.bytes(128)))
                    continue
                case .removed: context = try Scene.context(quarter: 2, transport: .tcp, root: 0x77)
                case .contact: context = try Scene.context(quarter: 0, transport: .tcp)
                }
                let packet = try ConfirmInitiator(
                    context, deviceKey: contact.value, responder: device.value.publicKey, payload: payload,
                    using: &draws
                ).packet
                var body = packet.body
                if gates != .wrong, sender == .contact {
                    body = Gate.body(
                        key: contexts[0].gateKey.value, transport: .tcp, message: Array(body.dropFirst(Gate.byteCount)))
                    if gates == .nearMiss { body[Gate.byteCount - 1] ^= 1 }
                }
                packets.append(try Packet(.confirmFirst, body: body))
            }
            inputs.append(packets)
        }
    }

    /// Measures `count` refusals of each sender in random order, and returns the times in nanoseconds.
    func measure(_ count: Int, seed: UInt64) throws -> [[Double]] {
        var draws = Draws(seed)
        var times = Sender.allCases.map { _ in [Double]() }
        for index in times.indices { times[index].reserveCapacity(count) }
        var responder = ConfirmResponder()
        var generator = Draws(1)
        let warmUp = 20_000
        for round in 0..<count * times.count + warmUp {
            let sender = draws.below(times.count)
            let packet = inputs[sender][draws.below(inputs[sender].count)]
            var isRefused = false
            let begun = nanoseconds()
            do {
                _ = try responder.receive(
                    packet, contexts: contexts, deviceKey: device.value, at: 0, using: &generator
                ) { _ in nil }
            } catch {
                isRefused = true
            }
            let taken = nanoseconds() - begun
            guard isRefused else { throw RigFault(step: "a first message that must not pass the gate") }
            if round >= warmUp { times[sender].append(Double(taken)) }
        }
        return times
    }
}

/// Welch's t of two samples, of the values below several quantiles of both, as dudect does: the slowest are the machine's.
func largestT(_ one: [Double], _ other: [Double]) -> Double {
    let sorted = (one + other).sorted()
    var largest = 0.0
    for share in [0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1] {
        let limit = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        let t = welchT(one.filter { $0 <= limit }, other.filter { $0 <= limit })
        if abs(t) > abs(largest) { largest = t }
    }
    return largest
}

func welchT(_ one: [Double], _ other: [Double]) -> Double {
    func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
        let mean = values.reduce(0, +) / Double(max(values.count, 1))
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, squares / Double(max(values.count - 1, 1)))
    }
    let (left, right) = (moments(one), moments(other))
    let error = (left.variance / Double(max(one.count, 1)) + right.variance / Double(max(other.count, 1))).squareRoot()
    return error > 0 ? (left.mean - right.mean) / error : 0
}
