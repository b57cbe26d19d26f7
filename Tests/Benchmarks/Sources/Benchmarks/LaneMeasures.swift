import CIPsecPeers
import COpenSSLPeers
import CSodiumPeers
import Crypto
import InklingKeys

private let label = "mDNS-name-"

/// One message under many keys side by side: the path that is chosen here for few and for many keys, and every other path
/// that this processor has.
func laneMeasures() -> [Measure] {
    [1008, 100_000].compactMap { names(count: $0, by: .best) }
        + LanePath.allCases.filter { $0.isAvailable && $0 != .best }.compactMap { names(count: 1008, by: $0) }
}

private func names(count: Int, by path: LanePath) -> Measure? {
    guard let epoch = Epoch(quarter), let message = LaneMessage({ $0 += Array("\(label)\(quarter)".utf8) }) else {
        return nil
    }
    let keys = exampleKeys(count)
    var lanes = KeyLanes(count: count)
    for index in 0..<count { lanes.set(index, to: keys.span.extracting(32 * index..<32 * (index + 1))) }
    let states = SecretBox(lanes.states(by: path))
    let isBest = path == .best
    var sodium = sodiumPeers(keys, label: label, epoch, cut: { $0 })
    sodium[0].promise = path.promise
    if isBest { sodium[1].promise = 14 }
    return Measure(
        name: "service names of \(count) keys side by side, \(path)\(isBest ? ", the best here" : "")", unit: "names",
        batch: count,
        contestants: [
            Contestant("InklingKeys, lanes") {
                states.value.first16(message, by: path).reduce(0) { $0 ^ UInt64(bigEndian: $1.high) }
            }
        ] + ipsecPeer(keys, epoch, promise: isBest ? 2 : nil) + sodium + openSSLPeers(keys, epoch)
            + [cryptoPeer(keys)])
}

extension LanePath {
    /// How many times as fast as libsodium's one call for each key was promised.
    fileprivate var promise: Double? {
        switch self {
        case .shaNI: 17
        case .portable: 4.5
        case .avx2, .avx512, .shaNIWithAVX512, .armv8: nil
        }
    }
}

private func ipsecPeer(_ keys: [UInt8], _ epoch: Epoch, promise: Double?) -> [Contestant] {
    #if arch(x86_64)
        let states = keys.withUnsafeBufferPointer {
            ipsec_states_prepare($0.baseAddress, keys.count / 32, label, epoch.number)
        }
        let implementation = String(cString: ipsec_implementation(states))
        return [
            Contestant("intel-ipsec-mb, prepared states, \(implementation)", promise: promise) {
                ipsec_hmac_prepared(states)
            }
        ]
    #else
        return []
    #endif
}

private func openSSLPeers(_ keys: [UInt8], _ epoch: Epoch) -> [Contestant] {
    let count = keys.count / 32
    let states = keys.withUnsafeBufferPointer { openssl_states_prepare($0.baseAddress, count) }
    return [
        Contestant("OpenSSL, SHA256_Transform of ready blocks") {
            openssl_transform_prepared(states, count, label, epoch.number)
        },
        Contestant("OpenSSL, SHA256_CTX of prepared states copied") {
            openssl_hmac_prepared(states, count, label, epoch.number)
        },
    ]
}

private func cryptoPeer(_ keys: [UInt8]) -> Contestant {
    let keys = (0..<keys.count / 32).map { SymmetricKey(data: keys[32 * $0..<32 * ($0 + 1)]) }
    let text = Array("\(label)\(quarter)".utf8)
    return Contestant("swift-crypto, HMAC<SHA256> with keys ready") {
        keys.reduce(0) { sum, key in
            sum ^ HMAC<SHA256>.authenticationCode(for: text, using: key).withUnsafeBytes { $0.load(as: UInt64.self) }
        }
    }
}
