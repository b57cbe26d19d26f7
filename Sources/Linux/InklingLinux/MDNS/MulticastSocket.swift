internal import CLinux
internal import Glibc
internal import InklingKeys
internal import InklingNode
internal import InklingWire

/// A socket that has joined the multicast DNS group on one interface, in one address family.
final class MulticastSocket: Sendable {
    let descriptor: CInt
    private let path: MDNSPath

    /// Opens a socket; `nil` if the interface is gone or does not support the family.
    convenience init?(_ path: MDNSPath) {
        var error: Int32 = 0
        self.init(path, error: &error)
    }

    /// Opens a socket; `nil` if the system refuses, with its error number in `error`.
    init?(_ path: MDNSPath, error: inout Int32) {
        let descriptor = inkling_multicast_socket(path.family == .v6 ? 1 : 0, path.interface)
        guard descriptor >= 0 else {
            error = -descriptor
            return nil
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Sends a packet. One that the system does not take is lost, as any packet can be.
    func send(_ packet: [UInt8], to destination: MDNSMachine.Destination) {
        var peer =
            switch destination {
            case .multicast: inkling_mdns_group(path.family == .v6 ? 1 : 0, path.interface)
            case .unicast(let endpoint): inkling_peer(endpoint)
            }
        _ = unsafe inkling_send(descriptor, packet, packet.count, &peer)
    }

    /// Receives one packet; `nil` if none is waiting. A count above the buffer's means that the packet did not fit.
    func receive(into buffer: inout [UInt8]) -> (count: Int, from: (endpoint: Endpoint, hopLimit: UInt8))? {
        var peer = inkling_peer()
        let count = unsafe inkling_receive(descriptor, &buffer, buffer.count, &peer)
        guard count >= 0 else { return nil }
        return (count, (peer.endpoint(on: path.interface), peer.hop_limit))
    }
}

extension inkling_peer {
    fileprivate init(_ endpoint: Endpoint) {
        self.init()
        port = endpoint.port
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            switch endpoint.address {
            case .v4(let value): unsafe bytes.storeBytes(of: value.bigEndian, as: UInt32.self)
            case .v6(let octets, _):
                unsafe bytes.storeBytes(of: octets.high.bigEndian, as: UInt64.self)
                unsafe bytes.storeBytes(of: octets.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
        }
        if case .v6(_, let scope) = endpoint.address {
            is_ipv6 = 1
            self.scope = scope
        }
    }

    fileprivate func endpoint(on interface: UInt32) -> Endpoint {
        let address = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe is_ipv6 == 0
                ? Endpoint.Address.v4(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
                : .v6(
                    Octets16(
                        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))),
                    scope: scope)
        }
        return Endpoint(address: address, port: port)
    }
}
