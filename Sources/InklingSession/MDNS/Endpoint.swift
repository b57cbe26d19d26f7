public import InklingKeys

/// An IP address and a TCP port that a contact can be reached at.
public struct Endpoint: Hashable, Sendable {
    /// An IP address.
    public enum Address: Hashable, Sendable {
        /// Four bytes, most significant first.
        case v4(UInt32)
        /// Sixteen bytes, and the index of the interface for a link-local address (0 otherwise).
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
