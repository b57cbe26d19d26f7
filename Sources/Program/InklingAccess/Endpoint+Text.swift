import InklingKeys
import InklingLinux
import InklingNode
package import InklingTerminal
package import InklingWire

/// Resolves `host:port` to its first endpoint; nil for nil.
///
/// - Throws: `Failure` when the text is malformed or the host is unknown.
package func endpoint(_ text: String?) async throws(Failure) -> Endpoint? {
    guard let text else { return nil }
    // The resolver can block for many seconds.
    let found = await blocking {
        Result { () throws(EndpointError) -> Endpoint? in try Endpoint.lookUp(text).first }
    }
    do throws(EndpointError) {
        return try found.get()
    } catch {
        switch error {
        case .malformed, .notNumeric:
            throw Failure(.usage, "invalid address '\(printable(text))'", remedy: "Write HOST:PORT or [IPV6]:PORT.")
        case .port: throw Failure(.usage, "invalid port in '\(printable(text))': it must be 1 to 65535")
        case .unknownHost: throw Failure(.unavailable, "unknown host in '\(printable(text))'")
        }
    }
}

extension Endpoint.Address {
    /// Whether packets to it never leave the machine: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let octets, _): octets == Octets16(high: 0, low: 1)
        }
    }
}
