public import InklingKeys

/// The address of an MQTT broker: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` with TLS.
public struct MQTTAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The name or numeric address of the broker.
    public let host: String
    /// The port; by default 1883, or 8883 with TLS.
    public let port: UInt16
    /// Whether the connection uses TLS.
    public let isSecure: Bool

    /// Parses an address; returns `nil` for any other text, such as one with a user name, a password or a path.
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

/// A broker and the credentials for it.
public struct MQTTBroker: Sendable {
    /// The broker's address.
    public let address: MQTTAddress
    /// A PEM file with the certificate authorities to trust; `nil` for the system's. Only with TLS.
    public var certificatesFile: String?
    /// PEM files with the client's certificate and its key; `nil` for none. Only with TLS.
    public var ownCertificate: (certificate: String, key: String)?
    /// The user name; `nil` for none.
    public var user: String?
    /// The password, without zero bytes; `nil` for none. Only with a user name.
    public var password: SecretBox<SecretBytes>?

    /// Creates a broker without credentials.
    public init(_ address: MQTTAddress) { self.address = address }
}

/// The quality of service of a subscription.
public enum MQTTQuality: Int32, Hashable, Sendable {
    /// Each message is delivered once or not at all.
    case atMostOnce = 0
    /// Each message is delivered at least once.
    case atLeastOnce = 1
}

/// An MQTT message.
public struct MQTTMessage: Hashable, Sendable {
    /// The topic.
    public let topic: String
    /// The payload.
    public let payload: [UInt8]
    /// Whether the broker should retain a sent message, or had retained a received one.
    public let isRetained: Bool

    /// Creates a message.
    public init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
