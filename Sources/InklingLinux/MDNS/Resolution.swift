#if Node
    internal import CAvahi
    internal import Glibc
    internal import InklingKeys
    internal import InklingNode
    internal import CLinux

    /// One open question: where an instance can be reached. Used with the lock of its server's thread held.
    ///
    /// Asks for SRV of the instance, then for the addresses of its host; answers a short while after the first
    /// address, so that the others are in it, or gives up. TXT is never asked for: nothing in it could matter.
    @safe final class Resolution {
        static let endpointLimit = 8, targetLimit = 4
        /// From the first address to the answer.
        static let gathering: UInt32 = 25
        /// From the question to giving up: two queries fit in, so one lost packet does no harm.
        static let patience: UInt32 = 3_000

        private struct Target {
            let host: Octets16
            let port: UInt16
        }

        let name: OpaqueServiceName
        private let server: OpaquePointer
        private let poll: UnsafePointer<AvahiPoll>
        private let isLoopback: (UInt32) -> Bool
        private let onEnd: (Resolution) -> Void
        private var browsers: [OpaquePointer] = unsafe []
        private var timer: OpaquePointer?
        private var targets: [Target] = []
        private(set) var endpoints: [Endpoint] = []

        init(
            _ name: OpaqueServiceName, server: OpaquePointer, poll: UnsafePointer<AvahiPoll>,
            isLoopback: @escaping (UInt32) -> Bool, onEnd: @escaping (Resolution) -> Void
        ) {
            self.name = name
            unsafe self.server = server
            unsafe self.poll = poll
            self.isLoopback = isLoopback
            self.onEnd = onEnd
        }

        /// Asks; false when the library refuses.
        func start() -> Bool {
            guard browse(Zone.name(of: name), Zone.typeSRV) else { return false }
            schedule(Self.patience)
            return unsafe timer != nil
        }

        /// Stops asking. Nothing is called back afterwards.
        func stop() {
            while let browser = unsafe browsers.popLast() { unsafe avahi_s_record_browser_free(browser) }
            if let timer = unsafe timer { unsafe poll.pointee.timeout_free(timer) }
            unsafe timer = nil
        }

        private func found(_ record: AvahiRecord, on interface: UInt32) {
            switch unsafe record.key.pointee.type {
            case Zone.typeSRV:
                let port = unsafe record.data.srv.port
                guard port != 0, targets.count < Self.targetLimit,
                    let host = unsafe hostName(record.data.srv.name),
                    !targets.contains(where: { $0.host == host && $0.port == port })
                else { return }
                let isNew = !targets.contains { $0.host == host }
                targets.append(Target(host: host, port: port))
                if isNew {
                    let name = Zone.name(of: OpaqueHostName(host))
                    _ = browse(name, Zone.typeA)
                    _ = browse(name, Zone.typeAAAA)
                }
            case Zone.typeA:
                let address = unsafe Endpoint.Address.v4(UInt32(bigEndian: record.data.a.address.address))
                reached(address, host: unsafe hostName(record.key.pointee.name), on: interface)
            case Zone.typeAAAA:
                let address = unsafe withUnsafeBytes(of: record.data.aaaa.address) { raw in
                    unsafe Endpoint.Address.v6(
                        Octets16(
                            high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                            low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))),
                        scope: interface)
                }
                reached(address, host: unsafe hostName(record.key.pointee.name), on: interface)
            default: break
            }
        }

        private func reached(_ address: Endpoint.Address, host: Octets16?, on interface: UInt32) {
            guard let address = address.reachable(onLoopback: isLoopback(interface)) else { return }
            let isFirst = endpoints.isEmpty
            for target in targets where target.host == host && endpoints.count < Self.endpointLimit {
                let endpoint = Endpoint(address: address, port: target.port)
                if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
            }
            if isFirst && !endpoints.isEmpty { schedule(Self.gathering) }
        }

        private func browse(_ name: String, _ type: UInt16) -> Bool {
            guard let key = unsafe avahi_key_new(name, Zone.classIN, type) else { return false }
            defer { unsafe avahi_key_unref(key) }
            let browser = unsafe avahi_s_record_browser_new(
                server, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), key,
                AVAHI_LOOKUP_USE_MULTICAST,
                { _, interface, _, event, record, _, context in
                    guard event == AVAHI_BROWSER_NEW, let record = unsafe record, let context = unsafe context,
                        let interface = UInt32(exactly: interface)
                    else { return }
                    let resolution = unsafe Unmanaged<Resolution>.fromOpaque(context).takeUnretainedValue()
                    unsafe resolution.found(record.pointee, on: interface)
                }, Unmanaged.passUnretained(self).toOpaque())
            guard let browser = unsafe browser else { return false }
            unsafe browsers.append(browser)
            return true
        }

        private func schedule(_ milliseconds: UInt32) {
            var when = timeval()
            unsafe avahi_elapse_time(&when, milliseconds, 0)
            if let timer = unsafe timer {
                unsafe poll.pointee.timeout_update(timer, &when)
                return
            }
            unsafe timer = poll.pointee.timeout_new(
                poll, &when,
                { _, context in
                    guard let context = unsafe context else { return }
                    let resolution = unsafe Unmanaged<Resolution>.fromOpaque(context).takeUnretainedValue()
                    resolution.stop()
                    resolution.onEnd(resolution)
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// The sixteen bytes of `<32 digits>.local`; nil for any other name.
    func hostName(_ text: UnsafePointer<CChar>?) -> Octets16? {
        guard let text = unsafe text else { return nil }
        guard unsafe strlen(text) > 32, unsafe strcmp(text + 32, "." + Zone.domain) == 0 else { return nil }
        return unsafe label(text, count: 32)?.octets
    }

    /// The name in `count` characters; nil for anything but 32 lowercase hexadecimal digits.
    func label(_ text: UnsafePointer<CChar>, count: Int) -> OpaqueServiceName? {
        unsafe text.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe OpaqueServiceName(parsing: Span(_unsafeStart: bytes, count: count))
        }
    }
#endif
