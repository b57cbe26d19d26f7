internal import InklingKeys
public import InklingWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The reason why a text is not an endpoint, or cannot be resolved to one.
public enum EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not of the form `address:port` or `[address]:port`.
    case malformed
    /// The port is not a number from 1 to 65535.
    case port
    /// The host is a name, not an address.
    case notNumeric
    /// The name cannot be resolved; `code` is the error number of `getaddrinfo`.
    case unknownHost(code: Int32)

    /// The reason in words.
    public var description: String {
        switch self {
        case .malformed: "not HOST:PORT or [IPV6]:PORT"
        case .port: "the port must be 1 to 65535"
        case .notNumeric: "the host is not a numeric address"
        case .unknownHost(let code): "unknown host (resolver error \(code))"
        }
    }
}

extension Endpoint: LosslessStringConvertible {
    /// Parses an endpoint such as `192.0.2.1:4000`, `[2001:db8::1]:4000` or `[fe80::1%3]:4000`, where 3 is the index of
    /// the interface.
    ///
    /// - Throws: `EndpointError.notNumeric` for a host name, `.port` or `.malformed`.
    public init(text: String) throws(EndpointError) {
        let (host, port) = try Self.split(text)
        guard let address = Address(numeric: host) else {
            throw host.contains(":") ? .malformed : .notNumeric
        }
        self.init(address: address, port: port)
    }

    /// Parses the texts that `init(text:)` parses; returns nil for any other.
    public init?(_ text: String) {
        guard let endpoint = try? Endpoint(text: text) else { return nil }
        self = endpoint
    }

    /// The text that `init(text:)` parses.
    public var description: String {
        switch address {
        case .v4: "\(address):\(port)"
        case .v6: "[\(address)]:\(port)"
        }
    }

    package static func split(_ text: String) throws(EndpointError) -> (host: String, port: UInt16) {
        guard text.utf8.count <= 300, let colon = text.lastIndex(of: ":") else { throw .malformed }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), host.count > 2, host.contains(":") else { throw .malformed }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") || host.contains("]") {
            throw .malformed
        }
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .malformed }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits), port > 0
        else { throw .port }
        return (String(host), port)
    }
}

extension Endpoint: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in Endpoint(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

extension Endpoint.Address: CustomStringConvertible {
    /// Dotted decimal for IPv4, or the compressed form of IPv6, with `%` and the interface index if it has a scope.
    public var description: String {
        var text = [CChar](repeating: 0, count: 64)
        switch self {
        case .v4(let value):
            var raw = value.bigEndian
            unsafe inet_ntop(AF_INET, &raw, &text, 64)
        case .v6(let octets, _):
            var raw: InlineArray<2, UInt64> = [octets.high.bigEndian, octets.low.bigEndian]
            unsafe inet_ntop(AF_INET6, &raw, &text, 64)
        }
        let printed = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if case .v6(_, let scope) = self, scope != 0 { return "\(printed)%\(scope)" }
        return printed
    }

    /// Parses a numeric address; returns nil for anything else.
    package init?(numeric text: String) {
        var v4: UInt32 = 0
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4))
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var v6: InlineArray<2, UInt64> = [0, 0]
        guard let host = parts.first, unsafe inet_pton(AF_INET6, String(host), &v6) == 1 else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            guard let number = UInt32(parts[1]), number > 0 else { return nil }
            scope = number
        }
        self = .v6(Octets16(high: UInt64(bigEndian: v6[0]), low: UInt64(bigEndian: v6[1])), scope: scope)
    }
}
