/// A part of the protocol that an implementation can conform to by itself (`Specs/conformance.md`, Profiles).
public enum ConformanceProfile: String, Sendable, CaseIterable {
    /// The rules that two implementations must agree on: derivations, codecs, handshakes and framing.
    case core
    /// The behaviour of a device: recognition, and everything that a running node publishes. Includes `core`.
    case node
    /// The platforms' constraints: facts, transport plans, lifecycle machines, and values for Apple and Wi-Fi Aware.
    case platforms

    /// The operations of each profile; every family belongs to the profile of its operation. Live checks belong to
    /// `node`, and the lines that are not requests to `core`.
    static let operations: [ConformanceProfile: [String]] = [
        .core: [
            "epoch", "derive", "tree-node", "device-keys", "identity-keys",
            "mdns-name", "mdns-host", "beacon-minor", "gatt-tag", "confirm-psk", "confirm-gate-key", "minor-schedule",
            "accepted-epochs", "pair-root", "pairwise-psk", "grant-cover", "grant-decode", "card-decode",
            "invitation-keys", "invitation-decode", "text-encode", "text-decode",
            "ad-structures", "ibeacon-decode", "ibeacon-encode", "overflow-bit", "overflow-match",
            "service-uuids-decode", "service-uuids-encode", "uuid", "profile-derive", "profile-read",
            "noise", "confirm-payload-decode", "confirm-payload-encode", "confirm-prologue", "device-link-prologue",
            "export", "fingerprint", "first-contact-payload-decode", "first-contact-payload-encode",
            "first-contact-prologue", "gate", "open-sealed-grant", "seal-grant",
            "gatt-fragment", "gatt-reassemble", "packet-decode", "packet-encode", "tcp-frame-decode",
            "tcp-frame-encode", "hello-decode", "hello-encode", "state-decode", "record-decode", "record-encode",
            "message-decode", "message-encode", "receipt-decode", "receipt-encode", "stream-decode", "stream-encode",
            "file-decode", "file-encode", "offer-address", "offer-decode", "offer-encode", "offer-keys",
        ],
        .node: [
            "recognition", "accepted-time", "first-contact", "sync", "unauthenticated-connections", "mdns",
            "mdns-response", "mdns-legacy-reply", "mdns-query", "mdns-decode", "mdns-address",
        ],
        .platforms: [
            "nan-frame-decode", "nan-name", "nan-publish", "nan-service-descriptor-decode",
            "nan-service-descriptor-encode", "nan-service-id", "nan-subscribe", "region-plan", "tls-psk",
            "platform-fact", "platform-profile", "reconnection", "region-wake", "relaunch", "restoration",
            "execution-window", "checkpoint", "permissions", "transport-plan",
        ],
    ]

    private static let byOperation: [String: ConformanceProfile] = Dictionary(
        uniqueKeysWithValues: operations.flatMap { profile, names in names.map { ($0, profile) } })

    /// Creates the profile that an operation belongs to; `nil` for an operation that the specification does not define.
    public init?(operation: String) {
        guard let profile = Self.byOperation[operation] else { return nil }
        self = profile
    }

    /// The profiles whose cases an implementation of this one must pass.
    public var included: Set<ConformanceProfile> { self == .node ? [.core, .node] : [self] }
}
