package import InklingNode

#if Node
    package import InklingWire
#endif

/// The findings about Bluetooth on this machine.
package struct BluetoothObservation: Hashable, Sendable {
    /// The state of `bluetoothd` as seen over the system bus.
    package enum Service: Hashable, Sendable {
        /// The bus cannot be reached; `code` is the system's error number.
        case noBus(code: Int32)
        /// The name of `bluetoothd` has no owner on the bus.
        case noDaemon
        /// The bus policy forbids this user to talk to it.
        case notPermitted
        /// It does not reply, or not like `bluetoothd`.
        case silent
        case runs
    }

    /// An adapter as `bluetoothd` describes it.
    package struct Adapter: Hashable, Sendable {
        /// The name, such as `hci0`.
        package var name: String
        package var isPowered: Bool
        /// The roles: `central`, `peripheral`, `central-peripheral`.
        package var roles: [String]
        /// The name readable over GATT.
        package var alias: String
        /// The contents of the Device Information service; `nil` without one.
        package var modalias: String?
        /// The GATT services that do not belong to the profile, as UUIDs.
        package var foreignServices: [String]
        /// The numbers of free and used advertising sets; `nil` if it cannot advertise.
        package var freeSets: Int?
        package var usedSets: Int
        /// Whether the controller supports extended advertising.
        package var isExtended: Bool
        /// Whether it answers inquiries with its public address.
        package var isDiscoverable: Bool
        /// Whether it can monitor advertisements by patterns, which is a passive scan.
        package var scansPassively: Bool
        /// The missing requirements for links, and for a beacon alone; empty if there are none.
        package var linksLack: [RadioSetting]
        package var beaconLack: [RadioSetting]

        /// Creates a description of an adapter; by default everything is possible on it.
        package init(
            name: String, isPowered: Bool = true, roles: [String] = ["central", "peripheral"],
            alias: String = "inkling", modalias: String? = nil, foreignServices: [String] = [], freeSets: Int? = 4,
            usedSets: Int = 0,
            isExtended: Bool = true, isDiscoverable: Bool = false, scansPassively: Bool = true,
            linksLack: [RadioSetting] = [], beaconLack: [RadioSetting] = []
        ) {
            self.name = name
            self.isPowered = isPowered
            self.roles = roles
            self.alias = alias
            self.modalias = modalias
            self.foreignServices = foreignServices
            self.freeSets = freeSets
            self.usedSets = usedSets
            self.isExtended = isExtended
            self.isDiscoverable = isDiscoverable
            self.scansPassively = scansPassively
            self.linksLack = linksLack
            self.beaconLack = beaconLack
        }
    }

    package var service: Service
    /// The adapters, sorted by name.
    package var adapters: [Adapter]
    package var hardware: RadioHardware
    /// The path of the settings file of `bluetoothd`.
    package var settingsPath: String
    /// The settings; `nil` if the file exists but this user may not read it.
    package var settings: KeyFile?

    /// Creates an observation.
    package init(
        service: Service, adapters: [Adapter] = [], hardware: RadioHardware,
        settingsPath: String = RadioSetting.file, settings: KeyFile? = KeyFile()
    ) {
        self.service = service
        self.adapters = adapters
        self.hardware = hardware
        self.settingsPath = settingsPath
        self.settings = settings
    }
}

extension BluetoothObservation {
    /// The version of the running `bluetoothd` from its default Device Information, or else that of the installed
    /// package; `nil` if neither is known.
    package var version: String? {
        adapters.lazy.compactMap { $0.modalias.flatMap(Self.version(inModalias:)) }.first ?? hardware.packageVersion
    }

    /// Returns the version in the default modalias: `usb:v1D6Bp0246d0542` means 5.66.
    static func version(inModalias text: String) -> String? {
        let prefix = "usb:v1D6Bp0246d"
        guard text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + 4,
            let number = UInt16(text.dropFirst(prefix.count), radix: 16)
        else { return nil }
        let minor = number & 0xff
        return "\(number >> 8).\(minor < 10 ? "0" : "")\(minor)"
    }
}

#if Node
    extension BluetoothObservation {
        /// Inspects the system, and queries `bluetoothd` over the bus at this address (by default the system bus), for
        /// a node of a profile. Changes nothing and sends nothing over the radio.
        package static func make(
            for profile: ApplicationProfile = .inkling, files: SystemFiles = SystemFiles(), bus address: String? = nil
        ) async -> Self {
            let hardware = RadioHardware(files: files)
            let path = hardware.daemon.bluetoothSettingsPath
            // Without the file, `bluetoothd` has its defaults.
            let settings = files.text(path).map { KeyFile(parsing: $0) } ?? (files.exists(path) ? nil : KeyFile())
            let (service, adapters) = await ask(
                address, BlueZSettings(readingFile: path, of: files), for: profile)
            return Self(
                service: service, adapters: adapters, hardware: hardware, settingsPath: path, settings: settings)
        }

        private static func ask(
            _ address: String?, _ daemon: BlueZSettings, for profile: ApplicationProfile
        ) async -> (Service, [Adapter]) {
            let bus: Bus
            do throws(BusError) { bus = try await Bus.open(address) } catch {
                if case .unreachable(let code) = error { return (.noBus(code: code), []) }
                return (.silent, [])
            }
            let service: Service
            var adapters: [Adapter] = []
            do throws(BusError) {
                // First, because a call would start the daemon.
                _ = try await bus.call(
                    BusInterface.bus, BusInterface.busPath, BusInterface.bus, "GetNameOwner",
                    [.string(BlueZName.service)],
                    expecting: "s")
                let objects = try await bus.managedObjects(of: BlueZName.service)
                let picture = BlueZPicture(objects)
                adapters = objects.compactMap { path, interfaces in
                    picture.adapter(at: path).flatMap { Adapter($0, interfaces, daemon, profile) }
                }
                .sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
                service = .runs
            } catch {
                service =
                    switch error {
                    case .refused(BusErrorName.accessDenied): .notPermitted
                    case .refused(BusErrorName.nameHasNoOwner), .refused(BusErrorName.serviceUnknown): .noDaemon
                    default: .silent
                    }
            }
            await bus.close()
            return (service, adapters)
        }
    }

    extension BluetoothObservation.Adapter {
        /// Reads the properties of an adapter; `nil` for another object.
        fileprivate init?(
            _ known: BlueZAdapter, _ interfaces: [String: [String: BusValue]], _ daemon: BlueZSettings,
            _ profile: ApplicationProfile
        ) {
            guard let adapter = interfaces[BlueZName.adapter] else { return nil }
            let advertising = interfaces[BlueZName.advertising]
            func count(_ value: BusValue?) -> Int? { if case .byte(let number)? = value { Int(number) } else { nil } }
            self.init(
                name: String(known.name), isPowered: known.isPowered, roles: adapter["Roles"]?.asStrings ?? [],
                alias: known.alias ?? "", modalias: adapter["Modalias"]?.asString,
                foreignServices: known.foreignServices(beside: profile)?.map(\.description) ?? [],
                freeSets: count(advertising?["SupportedInstances"]),
                usedSets: count(advertising?["ActiveInstances"]) ?? 0, isExtended: known.isExtended,
                isDiscoverable: known.isDiscoverable, scansPassively: known.canMonitor,
                linksLack: daemon.violations(of: .links, on: known, profile: profile),
                beaconLack: daemon.violations(of: .beacon, on: known, profile: profile))
        }
    }
#endif
