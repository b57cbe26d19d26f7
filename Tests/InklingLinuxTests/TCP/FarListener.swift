import Glibc

/// A listening socket on the loopback interface to which only packets count that still have more than one hop left, as for
/// a host behind a router.
final class FarListener: Sendable {
    let port: UInt16
    private let descriptor: CInt

    /// `IP_MINTTL` of `<linux/in.h>`.
    private static let leastHops: CInt = 21

    init?() {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var hops: CInt = 2
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) == 0
                    && setsockopt(descriptor, CInt(IPPROTO_IP), Self.leastHops, &hops, 4) == 0
                    && listen(descriptor, 8) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            return nil
        }
        port = UInt16(bigEndian: address.sin_port)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
