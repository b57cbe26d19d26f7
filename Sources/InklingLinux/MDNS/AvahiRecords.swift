#if Node
    internal import CAvahi
    internal import Glibc
    internal import InklingKeys
    internal import InklingNode

    /// What multicast DNS calls us: the constants of `Specs/mdns.md`.
    enum Zone {
        static let serviceType = "_inkling._tcp"
        static let domain = "local"
        static let timeToLive: UInt32 = 120
        static let text = "v=1"
        static let classIN: UInt16 = 1
        static let typeA: UInt16 = 1, typePTR: UInt16 = 12, typeTXT: UInt16 = 16
        static let typeAAAA: UInt16 = 28, typeSRV: UInt16 = 33

        static func name(of service: OpaqueServiceName) -> String { "\(service).\(serviceType).\(domain)" }
        static func name(of host: OpaqueHostName) -> String { "\(host).\(domain)" }
    }

    /// One of our records inside a server, in an entry group of its own: only then can its flags be changed later.
    @safe struct PublishedRecord {
        private let group: OpaquePointer
        private let record: UnsafeMutablePointer<AvahiRecord>
        private let interface: AvahiIfIndex
        private let flags: UInt32

        /// Adds `record`, whose ownership passes here. Nil when the library refuses it.
        ///
        /// `isUnique` is false only for PTR, which all nodes of a network share.
        init?(
            adding record: UnsafeMutablePointer<AvahiRecord>?, to server: OpaquePointer, interface: AvahiIfIndex,
            isUnique: Bool, isAnnounced: Bool, onChange: AvahiSEntryGroupCallback?, context: UnsafeMutableRawPointer
        ) {
            guard let record = unsafe record else { return nil }
            guard let group = unsafe avahi_s_entry_group_new(server, onChange, context) else {
                unsafe avahi_record_unref(record)
                return nil
            }
            unsafe self.group = group
            unsafe self.record = record
            self.interface = interface
            // Several addresses of one host are no conflict.
            flags = (isUnique ? AVAHI_PUBLISH_UNIQUE.rawValue | AVAHI_PUBLISH_ALLOW_MULTIPLE.rawValue : 0)
            // No probe: nobody else can hold a name of 128 unpredictable bits, and a probe costs 0.75 s and shows names
            // that are not announced.
            let silent = isAnnounced ? 0 : AVAHI_PUBLISH_NO_ANNOUNCE.rawValue
            guard unsafe add(flags | AVAHI_PUBLISH_NO_PROBE.rawValue | silent, to: server),
                unsafe avahi_s_entry_group_commit(group) == 0
            else {
                remove()
                return nil
            }
            // From here on an announced record meets a claim on its name by probing, and reports a lost one.
            if isAnnounced { _ = unsafe add(flags | AVAHI_PUBLISH_UPDATE.rawValue, to: server) }
        }

        /// From now on this record is withdrawn without a goodbye.
        func silence(in server: OpaquePointer) {
            let silent = AVAHI_PUBLISH_NO_ANNOUNCE.rawValue | AVAHI_PUBLISH_NO_PROBE.rawValue
            _ = unsafe add(flags | silent | AVAHI_PUBLISH_UPDATE.rawValue, to: server)
        }

        /// Takes the record out of its server; with a goodbye if it was announced and not silenced.
        func remove() {
            unsafe avahi_s_entry_group_free(group)
            release()
        }

        /// Lets go of the record; its server has been freed, and the group with it.
        func release() {
            unsafe avahi_record_unref(record)
        }

        private func add(_ flags: UInt32, to server: OpaquePointer) -> Bool {
            unsafe avahi_server_add(
                server, group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(flags), record) == 0
        }
    }

    /// Builders; nil when memory is exhausted.
    enum Record {
        static func pointer(to service: OpaqueServiceName) -> UnsafeMutablePointer<AvahiRecord>? {
            guard let record = unsafe new("\(Zone.serviceType).\(Zone.domain)", Zone.typePTR) else { return nil }
            unsafe record.pointee.data.ptr.name = avahi_strdup(Zone.name(of: service))
            return unsafe record
        }

        static func service(_ instance: ServiceInstance) -> UnsafeMutablePointer<AvahiRecord>? {
            guard let record = unsafe new(Zone.name(of: instance.name), Zone.typeSRV) else { return nil }
            unsafe record.pointee.data.srv.priority = 0
            unsafe record.pointee.data.srv.weight = 0
            unsafe record.pointee.data.srv.port = instance.port
            unsafe record.pointee.data.srv.name = avahi_strdup(Zone.name(of: instance.host))
            return unsafe record
        }

        static func text(of service: OpaqueServiceName) -> UnsafeMutablePointer<AvahiRecord>? {
            guard let record = unsafe new(Zone.name(of: service), Zone.typeTXT) else { return nil }
            unsafe record.pointee.data.txt.string_list = avahi_string_list_add(nil, Zone.text)
            return unsafe record
        }

        static func address(_ address: Endpoint.Address, of host: OpaqueHostName) -> UnsafeMutablePointer<AvahiRecord>?
        {
            switch address {
            case .v4(let value):
                guard let record = unsafe new(Zone.name(of: host), Zone.typeA) else { return nil }
                unsafe record.pointee.data.a.address.address = value.bigEndian
                return unsafe record
            case .v6(let octets, _):
                guard let record = unsafe new(Zone.name(of: host), Zone.typeAAAA) else { return nil }
                let raw: InlineArray<2, UInt64> = [octets.high.bigEndian, octets.low.bigEndian]
                unsafe withUnsafeBytes(of: raw) { raw in
                    unsafe withUnsafeMutableBytes(of: &record.pointee.data.aaaa.address) {
                        unsafe $0.copyMemory(from: raw)
                    }
                }
                return unsafe record
            }
        }

        private static func new(_ name: String, _ type: UInt16) -> UnsafeMutablePointer<AvahiRecord>? {
            unsafe avahi_record_new_full(name, Zone.classIN, type, Zone.timeToLive)
        }
    }
#endif
