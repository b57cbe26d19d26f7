public import InklingKeys

/// A service instance in multicast DNS (`Specs/mdns.md`).
public struct ServiceInstance: Hashable, Sendable {
    /// The instance name of the epoch.
    public let name: OpaqueServiceName
    /// The host name of the epoch, to which SRV points.
    public let host: OpaqueHostName
    /// The TCP port of the epoch.
    public let port: UInt16

    /// Creates an instance.
    public init(name: OpaqueServiceName, host: OpaqueHostName, port: UInt16) {
        self.name = name
        self.host = host
        self.port = port
    }
}
