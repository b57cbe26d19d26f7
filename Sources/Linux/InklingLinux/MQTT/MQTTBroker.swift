public import InklingKeys

/// Where a broker of MQTT is: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` with TLS.
public struct MQTTAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The name or the numeric address of the broker.
    public let host: String
    /// The port; without another one 1883, and 8883 with TLS.
    public let port: UInt16
    /// Whether the connection has TLS.
    public let isSecure: Bool

    /// Parses an address; returns nil for any other text, such as one with a user name, a password or a path.
    public init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        guard scheme == "mqtt" || scheme == "mqtts", text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        isSecure = scheme == "mqtts"
        var rest = text.dropFirst(scheme.count + 3)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host = rest
        var port: UInt16? = isSecure ? 8883 : 1883
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = rest[rest.index(after: rest.startIndex)..<end]
            let tail = rest[rest.index(after: end)...]
            if tail.hasPrefix(":") {
                port = number(ofDecimal: String(tail.dropFirst()))
            } else if !tail.isEmpty {
                return nil
            }
        } else if let colon = rest.firstIndex(of: ":") {
            host = rest[..<colon]
            port = number(ofDecimal: String(rest[rest.index(after: colon)...]))
        }
        let allowed = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            case UInt8(ascii: ":"), UInt8(ascii: "%"): rest.hasPrefix("[")
            default: false
            }
        }
        guard allowed, (1...253).contains(host.utf8.count), let port, port > 0 else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// The address with its port.
    public var description: String {
        "\(isSecure ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// A broker, and what a client needs to be accepted by it.
public struct MQTTBroker: Sendable {
    /// Where it is.
    public let address: MQTTAddress
    /// A file with the certificates that the broker's must come from, in PEM; nil for those of the system. Only with TLS.
    public var certificatesFile: String?
    /// Files with the client's own certificate and its key, in PEM; nil for none. Only with TLS.
    public var ownCertificate: (certificate: String, key: String)?
    /// The user name; nil for none.
    public var user: String?
    /// The password, without a byte of zero; nil for none. Only with a user name.
    public var password: SecretBox<SecretBytes>?

    /// Creates a broker that wants no password.
    public init(_ address: MQTTAddress) { self.address = address }
}

/// How often a message of a subscription is delivered.
public enum MQTTQuality: Int32, Hashable, Sendable {
    /// Once, or not at all.
    case atMostOnce = 0
    /// Once, or several times.
    case atLeastOnce = 1
}

/// A message of MQTT.
public struct MQTTMessage: Hashable, Sendable {
    /// The topic.
    public let topic: String
    /// The payload.
    public let payload: [UInt8]
    /// Of a message that is sent: whether the broker keeps it. Of one that is received: whether it was kept.
    public let isRetained: Bool

    /// Creates a message.
    public init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
