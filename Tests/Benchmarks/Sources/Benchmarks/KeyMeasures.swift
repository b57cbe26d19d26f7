import COpenSSLPeers
import CSodiumPeers
import InklingKeys

/// A contact list of an active person, and the moment of the known answers.
let keyCount = 1000
private let hour: UInt32 = 496_000
let quarter: UInt32 = 1_984_000

/// Keys that are the same in every run.
func exampleKeys(_ count: Int = keyCount) -> [UInt8] {
    (0..<UInt32(count)).flatMap { number in
        let digest = sha256 { $0.append(u32: number) }
        return digest.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}

private func secret(_ keys: [UInt8], _ index: Int) -> SecretBytes {
    SecretBytes(copying: keys.span.extracting(32 * index..<32 * (index + 1)))
}

/// The first eight bytes as C reads them.
private func word(_ high: UInt64) -> UInt64 { UInt64(bigEndian: high) }

/// What is derived under one key at a time: a device's own identifiers, and whatever comes from a tree.
func keyMeasures() -> [Measure] {
    guard let epoch = Epoch(quarter), let period = Period(hour), let last = Period(hour + 719) else { return [] }
    let keys = exampleKeys()
    return [
        names(keys, epoch), minors(keys, epoch), recognition(keys, epoch, period: period, last: last),
    ]
}

private func names(_ keys: [UInt8], _ epoch: Epoch) -> Measure {
    let own = (0..<keyCount).map { SecretBox(EpochKey<MDNSUse>(secret(keys, $0))) }
    return Measure(
        name: "service names, one key at a time", unit: "names", batch: keyCount,
        contestants: [
            Contestant("InklingKeys") {
                own.reduce(0) { $0 ^ word($1.value.serviceName(epoch).octets.high) }
            },
            Contestant("OpenSSL, SHA256_Transform of the four blocks", limit: 1.3) {
                keys.withUnsafeBufferPointer {
                    openssl_transform_keys($0.baseAddress, keyCount, "mDNS-name-", epoch.number)
                }
            },
        ] + sodiumPeers(keys, label: "mDNS-name-", epoch, cut: { $0 }))
}

private func minors(_ keys: [UInt8], _ epoch: Epoch) -> Measure {
    let own = (0..<keyCount).map { SecretBox(EpochKey<BeaconUse>(secret(keys, $0))) }
    return Measure(
        name: "beacon minors, one key at a time", unit: "minors", batch: keyCount,
        contestants: [
            Contestant("InklingKeys") { own.reduce(0) { $0 ^ UInt64($1.value.minor(epoch).value) } }
        ]
            + sodiumPeers(
                keys, label: "iBeacon-minor-", epoch, cut: { UInt64(UInt16(truncatingIfNeeded: $0).byteSwapped) }))
}

func sodiumPeers(
    _ keys: [UInt8], label: String, _ epoch: Epoch, cut: @escaping (UInt64) -> UInt64
) -> [Contestant] {
    let count = keys.count / 32
    let states = keys.withUnsafeBufferPointer { peers_states_prepare($0.baseAddress, count) }
    return [
        Contestant("libsodium, crypto_auth_hmacsha256") {
            cut(keys.withUnsafeBufferPointer { peers_hmac_naive($0.baseAddress, count, label, epoch.number) })
        },
        Contestant("libsodium, prepared states copied") {
            cut(peers_hmac_prepared(states, count, label, epoch.number))
        },
    ]
}

/// From a 30-day grant to a device's name and minor of one epoch: what a contact costs at the start of an hour.
private func recognition(_ keys: [UInt8], _ epoch: Epoch, period: Period, last: Period) -> Measure {
    let cover = TreeNode.cover(from: period, to: last)
    let depth = UInt32(TreeNode.leafDepth - (cover.first?.depth ?? 0))
    // Each contact's tree, and the node in it that covers the hour.
    let grants = (0..<keyCount).compactMap { index -> SecretBox<AudienceTree>? in
        guard let part = AudienceTree(root: secret(keys, index)).constrained(from: period, to: last) else { return nil }
        return SecretBox(part)
    }
    let nodes = grants.flatMap { grant in grant.value.withKeyBytes { bytes in (0..<32).map { bytes[$0] } } }
    return Measure(
        name: "tree walk (\(depth) steps), device keys, name and minor", unit: "contacts", batch: keyCount,
        contestants: [
            Contestant("InklingKeys, all four device keys") {
                var sum: UInt64 = 0
                for grant in grants {
                    guard let key = grant.value.periodKey(period) else { continue }
                    let keys = key.deviceKeys(.first)
                    sum ^= word(keys.mdns.serviceName(epoch).octets.high)
                    sum ^= UInt64(keys.beacon.minor(epoch).value)
                }
                return sum
            },
            Contestant("libsodium, the two device keys needed") {
                nodes.withUnsafeBufferPointer {
                    peers_recognise($0.baseAddress, keyCount, depth, period.number, epoch.number)
                }
            },
        ])
}
