#if os(Linux)
    internal import InklingKeys
    internal import InklingWire
    internal import InklingNode

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// A `sockaddr_in` or a `sockaddr_in6`.
    struct SocketAddress {
        private var storage = sockaddr_storage()
        private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

        private init() {}

        init(_ address: Endpoint.Address, port: UInt16) {
            switch address {
            case .v4(let value):
                var raw = sockaddr_in()
                raw.sin_family = sa_family_t(AF_INET)
                raw.sin_port = port.bigEndian
                raw.sin_addr.s_addr = value.bigEndian
                store(raw)
            case .v6(let octets, let scope):
                var raw = sockaddr_in6()
                raw.sin6_family = sa_family_t(AF_INET6)
                raw.sin6_port = port.bigEndian
                raw.sin6_addr = Self.in6(octets)
                raw.sin6_scope_id = scope
                store(raw)
            }
        }

        private mutating func store<Raw>(_ raw: Raw) {
            unsafe withUnsafeBytes(of: raw) { raw in
                unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: raw) }
            }
            length = socklen_t(MemoryLayout<Raw>.size)
        }

        /// Copies a `sockaddr`; `nil` unless it is an IPv4 or IPv6 address.
        @unsafe init?(copying address: UnsafePointer<sockaddr>?) {
            guard let address = unsafe address else { return nil }
            switch unsafe Int32(address.pointee.sa_family) {
            case AF_INET: unsafe store(UnsafeRawPointer(address).load(as: sockaddr_in.self))
            case AF_INET6: unsafe store(UnsafeRawPointer(address).load(as: sockaddr_in6.self))
            default: return nil
            }
        }

        var family: Int32 { Int32(storage.ss_family) }

        /// The address; `nil` for another family. The scope is the interface for a link-local address, and otherwise 0.
        var address: Endpoint.Address? {
            unsafe withUnsafeBytes(of: storage) { bytes in
                switch family {
                case AF_INET:
                    return unsafe .v4(UInt32(bigEndian: bytes.load(as: sockaddr_in.self).sin_addr.s_addr))
                case AF_INET6:
                    let raw = unsafe bytes.load(as: sockaddr_in6.self)
                    let octets = unsafe withUnsafeBytes(of: raw.sin6_addr) { octets in
                        unsafe Octets16(
                            high: UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
                            low: UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
                    }
                    let isLinkLocal = octets.high >> 54 == 0xfe80 >> 6
                    return .v6(octets, scope: isLinkLocal ? raw.sin6_scope_id : 0)
                default: return nil
                }
            }
        }

        static func in6(_ octets: Octets16) -> in6_addr {
            var raw = in6_addr()
            unsafe withUnsafeMutableBytes(of: &raw) { bytes in
                unsafe bytes.storeBytes(of: octets.high.bigEndian, as: UInt64.self)
                unsafe bytes.storeBytes(of: octets.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return raw
        }

        // MARK: System calls

        func connectSocket(_ descriptor: Int32) -> Int32 {
            unsafe withPointer { unsafe connect(descriptor, $0, length) }
        }

        func bindSocket(_ descriptor: Int32) -> Int32 {
            unsafe withPointer { unsafe bind(descriptor, $0, length) }
        }

        func sendDatagram(_ bytes: [UInt8], on descriptor: Int32) {
            unsafe withPointer { address in
                _ = unsafe bytes.withUnsafeBytes {
                    unsafe sendto(descriptor, $0.baseAddress, $0.count, 0, address, length)
                }
            }
        }

        /// Receives the next datagram without waiting. Returns its size in bytes, negative without one, and its sender.
        static func receiveDatagram(into bytes: inout [UInt8], on descriptor: Int32) -> (
            count: Int, from: SocketAddress
        ) {
            var sender = SocketAddress()
            var length = sender.length
            let count = unsafe withUnsafeMutableBytes(of: &sender.storage) { address in
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe recvfrom(
                        descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT),
                        address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
                }
            }
            return (count, sender)
        }

        @unsafe private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>?) -> Result) -> Result {
            unsafe withUnsafeBytes(of: storage) {
                unsafe body($0.baseAddress?.assumingMemoryBound(to: sockaddr.self))
            }
        }
    }

    /// A network interface that is up.
    struct NetworkInterface {
        let name: String
        let index: UInt32
        let isLoopback: Bool
        let supportsMulticast: Bool
        var addresses: [Endpoint.Address] = []

        /// Returns the interfaces that are up, by name.
        static func all() -> [NetworkInterface] {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard unsafe getifaddrs(&list) == 0 else { return [] }
            defer { unsafe freeifaddrs(list) }
            var found: [String: NetworkInterface] = [:]
            var next = unsafe list
            while let entry = unsafe next {
                unsafe next = entry.pointee.ifa_next
                let flags = unsafe Int(entry.pointee.ifa_flags)
                let name = unsafe String(cString: entry.pointee.ifa_name)
                guard flags & Int(IFF_UP) != 0 else { continue }
                // `getifaddrs` also lists interfaces without an IP address, by hardware address.
                if found[name] == nil {
                    found[name] = NetworkInterface(
                        name: name, index: unsafe if_nametoindex(name), isLoopback: flags & Int(IFF_LOOPBACK) != 0,
                        supportsMulticast: flags & Int(IFF_MULTICAST) != 0)
                }
                if let address = unsafe SocketAddress(copying: entry.pointee.ifa_addr)?.address {
                    found[name]?.addresses.append(address)
                }
            }
            return found.values.sorted { $0.name < $1.name }
        }

        /// Returns the interfaces on which multicast DNS is possible; loopback if there is no other.
        static func usable(of all: [NetworkInterface]) -> [NetworkInterface] {
            let others = all.filter { !$0.isLoopback && $0.supportsMulticast }
            return others.isEmpty ? all.filter(\.isLoopback) : others
        }
    }
#endif
