import InklingLinux
import InklingNode

/// The first endpoint of `host:port`; nil for no text.
func endpoint(_ text: String?) throws(Failure) -> Endpoint? {
    guard let text else { return nil }
    do throws(EndpointError) {
        return try Endpoint.lookUp(text).first
    } catch {
        switch error {
        case .malformed, .notNumeric:
            throw Failure(.usage, "'\(text)' is no address", remedy: "Write HOST:PORT or [IPV6]:PORT.")
        case .port: throw Failure(.usage, "the port in '\(text)' is not 1 to 65535")
        case .unknownHost: throw Failure(.unavailable, "the host in '\(text)' is not known")
        }
    }
}
