#if Node
    internal import InklingKeys
    internal import InklingWire

    /// A snapshot of the adapters reported by `bluetoothd`.
    struct BlueZPicture: Hashable, Sendable {
        /// The largest number of tracked adapters; the radio needs one.
        static let limit = 16

        private var adapters: [String: BlueZAdapter] = [:]

        /// Creates an empty snapshot.
        init() {}

        /// Creates the snapshot from the objects of `bluetoothd`, with their interfaces and properties.
        init(_ objects: [String: [String: [String: BusValue]]]) {
            for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) { add(path, interfaces) }
        }

        /// Applies a signal from `bluetoothd`; unexpected arguments are ignored.
        mutating func apply(_ signal: BusSignal) {
            let arguments = signal.arguments
            switch (signal.interface, signal.member) {
            case (BusInterface.objectManager, "InterfacesAdded"):
                guard arguments.count == 2, let path = arguments[0].asPath, let added = arguments[1].asInterfaces else {
                    return
                }
                add(path, added)
            case (BusInterface.objectManager, "InterfacesRemoved"):
                guard arguments.count == 2, let path = arguments[0].asPath, let removed = arguments[1].asStrings else {
                    return
                }
                if removed.contains(BlueZName.adapter) { adapters[path] = nil }
                for name in removed { adapters[path]?.remove(name) }
            case (BusInterface.properties, "PropertiesChanged"):
                guard arguments.count == 3, let name = arguments[0].asString, let changed = arguments[1].asProperties
                else { return }
                adapters[signal.path]?.update(name, changed)
            case (BusInterface.bus, "NameOwnerChanged"): adapters = [:]
            default: break
            }
        }

        /// Returns the adapter with a name such as `hci0`; for `nil`, the first that is powered, or just the first.
        func adapter(named name: String?) -> BlueZAdapter? {
            let sorted = adapters.values.sorted { $0.path < $1.path }
            if let name { return sorted.first { $0.name == name } }
            return sorted.first { $0.isPowered } ?? sorted.first
        }

        /// Returns the adapter with this path.
        func adapter(at path: String) -> BlueZAdapter? { adapters[path] }

        private mutating func add(_ path: String, _ interfaces: [String: [String: BusValue]]) {
            if interfaces[BlueZName.adapter] != nil, adapters[path] == nil, adapters.count < Self.limit {
                adapters[path] = BlueZAdapter(path: path)
            }
            for (name, properties) in interfaces { adapters[path]?.update(name, properties) }
        }
    }

    /// The known properties of one adapter.
    struct BlueZAdapter: Hashable, Sendable {
        /// The object path, such as `/org/bluez/hci0`.
        let path: String
        /// Whether it is powered.
        private(set) var isPowered = false
        /// Whether it answers BR/EDR inquiries with its public address.
        private(set) var isDiscoverable = false
        /// The name shown over GATT; `nil` if unknown.
        private(set) var alias: String?
        /// The appearance shown over GATT; `nil` if unknown.
        private(set) var appearance: UInt16?
        /// Whether it has a Device Information service.
        private(set) var hasDeviceInformation = false
        /// The other services, of nodes, `bluetoothd` and other programs, sorted and at most `serviceLimit`; `nil` if
        /// unknown.
        private(set) var otherServices: [UUID128]?
        /// Whether it can advertise.
        private(set) var canAdvertise = false
        /// Whether it supports extended advertising, with an address per set.
        private(set) var isExtended = false
        /// Whether it can scan passively for patterns.
        private(set) var canMonitor = false

        /// The largest number of other services kept; even one beside the node's own is too many.
        static let serviceLimit = 16

        init(path: String) { self.path = path }

        /// The last path component, such as `hci0`.
        var name: Substring { path.split(separator: "/").last ?? "" }

        /// Updates properties; values of other types are ignored.
        mutating func update(_ interface: String, _ properties: [String: BusValue]) {
            switch interface {
            case BlueZName.adapter:
                if let value = properties["Powered"]?.asBool { isPowered = value }
                if let value = properties["Discoverable"]?.asBool { isDiscoverable = value }
                if let value = properties["Alias"]?.asString { alias = value }
                // BlueZ shows the lower bits of the class as the appearance, whatever they mean.
                if let value = properties["Class"]?.asUInt32 { appearance = UInt16(value & 0x1fff) }
                if let value = properties["UUIDs"]?.asStrings { note(services: value) }
            case BlueZName.advertising:
                canAdvertise = true
                // Only controllers with extended advertising have secondary channels.
                if let value = properties["SupportedSecondaryChannels"]?.asStrings { isExtended = !value.isEmpty }
            case BlueZName.monitoring:
                canMonitor = true
                if let value = properties["SupportedMonitorTypes"]?.asStrings {
                    canMonitor = value.contains("or_patterns")
                }
            default: break
            }
        }

        /// Records the adapter's services, over GATT and BR/EDR.
        private mutating func note(services: [String]) {
            let found = Set(services.compactMap { UUID128($0) })
            hasDeviceInformation = found.contains(.deviceInformation)
            // BR/EDR service classes, which are not readable over GATT.
            let classic = UUID128(short: 0x1000)...UUID128(short: 0x17ff)
            let others = found.subtracting([.genericAccess, .genericAttribute, .deviceInformation])
                .filter { !classic.contains($0) || !$0.isShort }
            otherServices = Array(others.sorted().prefix(Self.serviceLimit))
        }

        /// Returns the services that belong neither to the system nor to a node of this profile; `nil` if unknown.
        func foreignServices(beside profile: ApplicationProfile) -> [UUID128]? {
            otherServices?.filter { $0 != profile.service }
        }

        mutating func remove(_ interface: String) {
            switch interface {
            case BlueZName.advertising: (canAdvertise, isExtended) = (false, false)
            case BlueZName.monitoring: canMonitor = false
            default: break
            }
        }
    }

    extension UUID128 {
        fileprivate static let genericAccess = UUID128(short: 0x1800)
        fileprivate static let genericAttribute = UUID128(short: 0x1801)
        fileprivate static let deviceInformation = UUID128(short: 0x180a)

        /// Whether it is the full form of a 16-bit UUID.
        fileprivate var isShort: Bool { self == UUID128(short: UInt16(truncatingIfNeeded: octets.high >> 32)) }
    }
#endif
