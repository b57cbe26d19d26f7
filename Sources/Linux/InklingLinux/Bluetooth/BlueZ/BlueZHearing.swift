#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// Turns what `bluetoothd` says about devices into reports.
    ///
    /// Its signals say nothing about a device whose data and power stay the same. A monitor is told that the device was
    /// found; and the device is kept only for as long as it is heard, so that one that is still listed is reported again.
    struct BlueZHearing: Sendable {
        /// How many devices with a frame of interest are kept; further ones are reported, but only when they change.
        static let limit = 2_048
        /// How many private addresses are kept, with or without such a frame; further ones are heard only when they are new.
        static let addressLimit = 8_192
        /// After this time a device that is still listed is reported again, in milliseconds.
        static let repetition: UInt64 = 10_000

        private enum Frame: Hashable {
            case beacon(BeaconMinor)
            case overflow
        }

        /// A device that is found again is reported at most once in this time, in milliseconds.
        static let shortest: UInt64 = 1_000

        private struct Device {
            let address: DeviceAddress
            let frame: Frame
            var rssi: Int8
            /// Nil until it is reported.
            var reported: Tick?
        }

        private let adapter: String
        private let profile: ApplicationProfile
        /// For how long a device is listed after it was last heard, in milliseconds; 0 when that is too long to tell.
        private let listedFor: UInt64
        private var devices: [String: Device] = [:]
        /// The listed devices whose address is private: only the first signal about a device says of which type it is.
        private var privates: Set<String> = []

        /// Creates a table without devices for the adapter with this path.
        init(adapter: String, profile: ApplicationProfile = .inkling, listedFor: Duration = .seconds(30)) {
            self.adapter = adapter
            self.profile = profile
            // What may have been heard minutes ago is no evidence.
            self.listedFor = listedFor <= .seconds(120) ? listedFor.wholeMilliseconds : 0
        }

        /// How many devices are kept.
        var count: Int { devices.count }
        /// How many private addresses are kept.
        var addressCount: Int { privates.count }

        /// Takes new values of properties of a device that were just heard; returns the report, if it is of interest.
        mutating func heard(
            _ path: String, _ properties: [String: BusValue], at reading: ClockReading
        ) -> RadioReport? {
            guard note(path, properties), var device = devices[path] ?? unkept(path, properties) else { return nil }
            // Only these come from the air; others change when a device is connected or forgotten.
            guard properties["ManufacturerData"] != nil || properties["RSSI"] != nil else { return nil }
            device.reported = reading.tick
            if devices[path] != nil { devices[path] = device }
            return Self.report(device, ObservedTime(at: reading))
        }

        /// Takes a device that a monitor has found, with the frame that it was last listed with; returns the report, if it is
        /// known and was not reported just before.
        mutating func found(_ path: String, at reading: ClockReading) -> RadioReport? {
            guard var device = devices[path],
                device.reported.map({ reading.tick.milliseconds(since: $0) >= Self.shortest }) ?? true
            else { return nil }
            device.reported = reading.tick
            devices[path] = device
            return Self.report(device, ObservedTime(at: reading))
        }

        /// Takes a device that is listed when the radio begins to listen; it was heard at some time before.
        mutating func listed(_ path: String, _ properties: [String: BusValue]) { _ = note(path, properties) }

        /// Forgets a device that is no longer listed.
        mutating func removed(_ path: String) {
            devices[path] = nil
            privates.remove(path)
        }

        /// Forgets the devices that are not among these.
        mutating func keepOnly(_ paths: some Sequence<String>) {
            let kept = Set(paths)
            devices = devices.filter { kept.contains($0.key) }
            privates.formIntersection(kept)
        }

        /// Returns reports of the devices that are still listed and were not reported for a while.
        mutating func repeated(at reading: ClockReading) -> [RadioReport] {
            guard listedFor > 0 else { return [] }
            var reports: [RadioReport] = []
            // They were heard at some time within the last `listedFor`.
            let half = listedFor / 2
            let middle = reading.unixMilliseconds - min(half * UInt64(reading.rate), reading.unixMilliseconds)
            let observed = ObservedTime(
                unixMilliseconds: middle, uncertainty: .milliseconds(half * UInt64(reading.rate)))
            for (path, device) in devices
            where device.reported.map({ reading.tick.milliseconds(since: $0) >= Self.repetition }) ?? true {
                devices[path]?.reported = reading.tick
                reports.append(Self.report(device, observed))
            }
            return reports
        }

        /// Keeps what the properties say; false for a device that is none of ours.
        private mutating func note(_ path: String, _ properties: [String: BusValue]) -> Bool {
            guard let address = address(of: path) else { return false }
            guard isPrivate(path, address, properties) else {
                removed(path)
                return false
            }
            // A device that is paired or connected stays listed, whether it is heard or not.
            if properties["Paired"]?.asBool == true || properties["Connected"]?.asBool == true {
                devices[path] = nil
                return false
            }
            let rssi = properties["RSSI"]?.asInt16.map(Self.rssi)
            if let data = properties["ManufacturerData"] {
                guard let frame = frame(in: data) else {
                    devices[path] = nil
                    return false
                }
                guard devices[path] != nil || devices.count < Self.limit else { return true }
                let before = devices[path]
                devices[path] = Device(
                    address: address, frame: frame, rssi: rssi ?? before?.rssi ?? .unknownPower,
                    reported: before?.reported)
            } else if let rssi {
                devices[path]?.rssi = rssi
            }
            return true
        }

        /// Whether the address of a device is private, and not public or static as that of a device which is none of ours.
        private mutating func isPrivate(
            _ path: String, _ address: DeviceAddress, _ properties: [String: BusValue]
        ) -> Bool {
            guard address.isPrivate else { return false }
            guard let type = properties["AddressType"] else { return privates.contains(path) }
            guard type == .string("random") else { return false }
            if privates.count < Self.addressLimit { privates.insert(path) }
            return true
        }

        /// Returns a device for which there is no room, from its properties alone.
        private func unkept(_ path: String, _ properties: [String: BusValue]) -> Device? {
            guard let address = address(of: path), let frame = properties["ManufacturerData"].flatMap(frame) else {
                return nil
            }
            return Device(
                address: address, frame: frame, rssi: properties["RSSI"]?.asInt16.map(Self.rssi) ?? .unknownPower)
        }

        private static func report(_ device: Device, _ observed: ObservedTime) -> RadioReport {
            switch device.frame {
            case .beacon(let minor):
                .heard(BeaconSighting(minor, from: device.address, rssi: device.rssi, observed: observed))
            case .overflow: .overflow(device.address, observed: observed)
            }
        }

        /// Parses manufacturer data as it would be on the air; nil for a frame of no interest.
        private func frame(in data: BusValue) -> Frame? {
            guard let entries = data.asEntries, let bytes = entries[.uint16(0x004c)]?.content.asBytes,
                bytes.count <= ADStructure.contentLimit - 2
            else { return nil }
            let structure = [UInt8(bytes.count + 3), 0xff, 0x4c, 0x00] + bytes
            if let beacon = try? IBeacon(parsing: structure.span) {
                return profile.matches(beacon) ? .beacon(beacon.minor) : nil
            }
            return (try? OverflowArea.matches(profile.service, parsing: structure.span)) == true ? .overflow : nil
        }

        /// Returns the address in a path such as `/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF`.
        private func address(of path: String) -> DeviceAddress? {
            let start = adapter + "/dev_"
            guard path.utf8.count == start.utf8.count + 17, path.hasPrefix(start) else { return nil }
            return DeviceAddress(devicePath: path)
        }

        private static func rssi(_ power: Int16) -> Int8 {
            Int8(exactly: power).flatMap { (-127...20).contains($0) ? $0 : nil } ?? .unknownPower
        }
    }

    extension Int8 {
        /// The power of a frame whose power is not known.
        fileprivate static let unknownPower: Int8 = -127
    }
#endif
