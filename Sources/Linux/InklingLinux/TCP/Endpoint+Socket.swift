// Parts of the socket interface belong to whichever C module declared them first.
internal import CLinux
internal import Glibc
internal import InklingKeys
internal import InklingNode
internal import InklingWire

// Swift attributes the members of `sockaddr_in` to the first C module that declares them, with swift-nio a private one.
// The kernel fixes the layout, so the members are accessed by offset here.
extension Endpoint {
    /// Reads a `sockaddr_in` or a `sockaddr_in6`; an IPv4-mapped IPv6 address becomes an IPv4 address. Returns `nil`
    /// for other families.
    @unsafe init?(socketAddress: UnsafeRawPointer?) {
        guard let socketAddress = unsafe socketAddress else { return nil }
        let port = unsafe UInt16(bigEndian: socketAddress.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        switch unsafe CInt(socketAddress.loadUnaligned(as: UInt16.self)) {
        case AF_INET:
            let value = unsafe UInt32(bigEndian: socketAddress.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            self.init(address: .v4(value), port: port)
        case AF_INET6:
            let octets = unsafe Octets16(
                high: UInt64(bigEndian: socketAddress.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                low: UInt64(bigEndian: socketAddress.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
            let scope = unsafe socketAddress.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
            if octets.high == 0 && octets.low >> 32 == 0xffff {
                self.init(address: .v4(UInt32(truncatingIfNeeded: octets.low)), port: port)
            } else {
                self.init(address: .v6(octets, scope: scope), port: port)
            }
        default: return nil
        }
    }
}

#if Node
    internal import NIOCore

    extension Endpoint {
        /// Creates an endpoint from a swift-nio socket address; returns `nil` for families other than IPv4 and IPv6.
        init?(_ address: SocketAddress) {
            let found = unsafe address.withSockAddr { pointer, _ in
                unsafe Endpoint(socketAddress: UnsafeRawPointer(pointer))
            }
            guard let found else { return nil }
            self = found
        }

        /// The endpoint as a swift-nio socket address.
        var socketAddress: SocketAddress {
            switch address {
            case .v4(let value):
                var raw = InlineArray<16, UInt8>(repeating: 0)
                return unsafe withUnsafeMutableBytes(of: &raw) { raw in
                    unsafe raw.storeBytes(of: UInt16(AF_INET), as: UInt16.self)
                    unsafe raw.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
                    unsafe raw.storeBytes(of: value.bigEndian, toByteOffset: 4, as: UInt32.self)
                    return unsafe SocketAddress(raw.loadUnaligned(as: sockaddr_in.self))
                }
            case .v6(let octets, let scope):
                var raw = InlineArray<28, UInt8>(repeating: 0)
                return unsafe withUnsafeMutableBytes(of: &raw) { raw in
                    unsafe raw.storeBytes(of: UInt16(AF_INET6), as: UInt16.self)
                    unsafe raw.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
                    unsafe raw.storeBytes(of: octets.high.bigEndian, toByteOffset: 8, as: UInt64.self)
                    unsafe raw.storeBytes(of: octets.low.bigEndian, toByteOffset: 16, as: UInt64.self)
                    unsafe raw.storeBytes(of: scope, toByteOffset: 24, as: UInt32.self)
                    return unsafe SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self))
                }
            }
        }
    }
#endif
