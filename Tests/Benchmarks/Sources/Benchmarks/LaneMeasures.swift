import COpenSSLPeers
import CSodiumPeers
import Crypto
import InklingKeys

private let label = "mDNS-name-"

/// One message under many keys side by side, in every way that this processor has.
func laneMeasures() -> [Measure] {
    guard let epoch = Epoch(quarter), let message = LaneMessage({ $0 += Array("\(label)\(quarter)".utf8) }) else {
        return []
    }
    let keys = exampleKeys()
    return LanePath.allCases.filter(\.isAvailable).map { path in
        var lanes = KeyLanes(count: keyCount)
        for index in 0..<keyCount { lanes.set(index, to: keys.span.extracting(32 * index..<32 * (index + 1))) }
        let states = SecretBox(lanes.states(by: path))
        var sodium = sodiumPeers(keys, label: label, epoch, cut: { $0 })
        sodium[0].promise = path.promise
        return Measure(
            name: "service names side by side, \(path)\(path == .best ? ", the best here" : "")", unit: "names",
            batch: keyCount,
            contestants: [
                Contestant("InklingKeys, lanes") {
                    states.value.first16(message, by: path).reduce(0) { $0 ^ UInt64(bigEndian: $1.high) }
                }
            ] + sodium + [openSSLPeer(keys, epoch), cryptoPeer(keys)])
    }
}

extension LanePath {
    /// How many times as fast as libsodium's one call for each key was promised.
    fileprivate var promise: Double? {
        switch self {
        case .avx512: 40
        case .shaNI: 17
        case .portable: 4.5
        case .avx2: nil
        }
    }
}

private func openSSLPeer(_ keys: [UInt8], _ epoch: Epoch) -> Contestant {
    let states = keys.withUnsafeBufferPointer { openssl_states_prepare($0.baseAddress, keyCount) }
    return Contestant("OpenSSL, SHA256_CTX of prepared states copied") {
        openssl_hmac_prepared(states, keyCount, label, epoch.number)
    }
}

private func cryptoPeer(_ keys: [UInt8]) -> Contestant {
    let keys = (0..<keyCount).map { SymmetricKey(data: keys[32 * $0..<32 * ($0 + 1)]) }
    let text = Array("\(label)\(quarter)".utf8)
    return Contestant("swift-crypto, HMAC<SHA256> with keys ready") {
        keys.reduce(0) { sum, key in
            sum ^ HMAC<SHA256>.authenticationCode(for: text, using: key).withUnsafeBytes { $0.load(as: UInt64.self) }
        }
    }
}
