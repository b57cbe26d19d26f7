public import InklingKeys

/// An IP address and a TCP port.
public struct Endpoint: Hashable, Sendable {
    /// An IP address.
    public enum Address: Hashable, Sendable {
        /// An IPv4 address; its first byte is the most significant one.
        case v4(UInt32)
        /// An IPv6 address, and for a link-local address the index of the interface (0 otherwise).
        case v6(Octets16, scope: UInt32)
    }

    /// The IP address.
    public let address: Address
    /// The TCP port, 1 to 65,535.
    public let port: UInt16

    /// Creates an endpoint.
    public init(address: Address, port: UInt16) {
        self.address = address
        self.port = port
    }
}
