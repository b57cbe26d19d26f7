#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// Converts `bluetoothd`'s signals about devices into reports.
    ///
    /// There is no signal for a device whose data and power stay the same. But a monitor is told when the device is
    /// found, and a device stays listed only while it is heard, so that one that is still listed is reported again.
    struct BlueZHearing: Sendable {
        /// The largest number of devices tracked with a relevant frame; further ones are reported only on changes.
        static let limit = 2_048
        /// The largest number of tracked private addresses; devices beyond it are heard only when they are new.
        static let addressLimit = 8_192
        /// The time after which a device that is still listed is reported again, in milliseconds.
        static let repetition: UInt64 = 10_000

        private enum Frame: Hashable {
            case beacon(BeaconMinor)
            case overflow
        }

        /// The shortest interval between reports of a found device, in milliseconds.
        static let shortest: UInt64 = 1_000

        private struct Device {
            let address: DeviceAddress
            let frame: Frame
            var rssi: Int8
            /// `nil` until it is reported.
            var reported: Tick?
        }

        private let adapter: String
        private let profile: ApplicationProfile
        /// The time that a device stays listed after it was last heard, in ms; 0 if too long to be evidence.
        private let listedFor: UInt64
        private var devices: [String: Device] = [:]
        /// The listed devices with private addresses: only the first signal about a device gives its address type.
        private var privates: Set<String> = []

        /// Creates an empty table for the adapter with this path.
        init(adapter: String, profile: ApplicationProfile = .inkling, listedFor: Duration = .seconds(30)) {
            self.adapter = adapter
            self.profile = profile
            // A device heard minutes ago is no evidence.
            self.listedFor = listedFor <= .seconds(120) ? listedFor.wholeMilliseconds : 0
        }

        /// The number of tracked devices.
        var count: Int { devices.count }
        /// The number of tracked private addresses.
        var addressCount: Int { privates.count }

        /// Handles new properties of a device that was just heard; returns the report if it is relevant.
        mutating func heard(
            _ path: String, _ properties: [String: BusValue], at reading: ClockReading
        ) -> RadioReport? {
            guard note(path, properties), var device = devices[path] ?? unkept(path, properties) else { return nil }
            // Only these come over the air; others change when a device is connected or removed.
            guard properties["ManufacturerData"] != nil || properties["RSSI"] != nil else { return nil }
            device.reported = reading.tick
            if devices[path] != nil { devices[path] = device }
            return Self.report(device, ObservedTime(at: reading))
        }

        /// Handles a device found by a monitor, with the frame last listed for it; returns the report if it is known
        /// and was not just reported.
        mutating func found(_ path: String, at reading: ClockReading) -> RadioReport? {
            guard var device = devices[path],
                device.reported.map({ reading.tick.milliseconds(since: $0) >= Self.shortest }) ?? true
            else { return nil }
            device.reported = reading.tick
            devices[path] = device
            return Self.report(device, ObservedTime(at: reading))
        }

        /// Handles a device that was already listed when listening began; it was heard at some earlier time.
        mutating func listed(_ path: String, _ properties: [String: BusValue]) { _ = note(path, properties) }

        /// Removes a device that is no longer listed.
        mutating func removed(_ path: String) {
            devices[path] = nil
            privates.remove(path)
        }

        /// Removes the devices that are not among these.
        mutating func keepOnly(_ paths: some Sequence<String>) {
            let kept = Set(paths)
            devices = devices.filter { kept.contains($0.key) }
            privates.formIntersection(kept)
        }

        /// Returns reports for the devices that are still listed and were not reported for a while.
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

        /// Records the properties; returns false for a device that cannot be one of ours.
        private mutating func note(_ path: String, _ properties: [String: BusValue]) -> Bool {
            guard let address = address(of: path) else { return false }
            guard isPrivate(path, address, properties) else {
                removed(path)
                return false
            }
            // A paired or connected device stays listed even if it is not heard.
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

        /// Returns whether a device's address is private; public and static ones belong to devices that are not ours.
        private mutating func isPrivate(
            _ path: String, _ address: DeviceAddress, _ properties: [String: BusValue]
        ) -> Bool {
            guard address.isPrivate else { return false }
            guard let type = properties["AddressType"] else { return privates.contains(path) }
            guard type == .string("random") else { return false }
            if privates.count < Self.addressLimit { privates.insert(path) }
            return true
        }

        /// Returns a device built from the properties alone, for when the table is full.
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

        /// Parses manufacturer data as it was sent over the air; `nil` for an irrelevant frame.
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
        /// The value for unknown power.
        fileprivate static let unknownPower: Int8 = -127
    }
#endif
