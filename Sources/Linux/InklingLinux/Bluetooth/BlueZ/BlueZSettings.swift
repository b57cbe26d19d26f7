#if Node
    internal import InklingNode
    internal import InklingWire

    /// What a radio shows: a beacon alone, or also links.
    enum RadioLayout: String, Hashable, Sendable, CaseIterable {
        /// One set, to which nobody can connect.
        case beacon
        /// Two sets, to which others can connect.
        case links
    }

    /// The settings of `bluetoothd` in its file (`main.conf`), as far as they decide what others can see. What is not there
    /// has the value that `bluetoothd` gives it.
    struct BlueZSettings: Hashable, Sendable {
        /// The value of `Privacy`.
        private(set) var privacy = "off"
        /// The value of `Name`; nil for the host name or the version.
        private(set) var name: String?
        /// Whether there is a Device Information service.
        private(set) var hasDeviceID = true
        /// How many ATT channels there are; nil for that of the version of BlueZ, which is more than one.
        private(set) var channels: Int?
        /// Whether the controller has private addresses now, whatever the file says; nil when that is not known.
        var hasPrivateAddresses: Bool?
        /// For how long a device that is not paired is kept after it was last heard, in seconds.
        private(set) var temporarySeconds = 30

        /// Creates the settings of a system without the file.
        init() {}

        /// Parses the text of the file; lines that are not understood are ignored, as `bluetoothd` does.
        init(parsing text: String) {
            var section = ""
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.trimmed
                if line.first == "[", line.last == "]" {
                    section = String(line.dropFirst().dropLast())
                } else if line.first != "#", line.first != ";", let sign = line.firstIndex(of: "=") {
                    set(section, String(line[..<sign].trimmed), String(line[line.index(after: sign)...].trimmed))
                }
            }
        }

        /// Reads the file that the running `bluetoothd` was started with.
        init(readingFrom files: SystemFiles) {
            self.init(readingFile: files.bluetoothDaemon.bluetoothSettingsPath, of: files)
        }

        /// Reads a file; one that is missing or cannot be read has no settings.
        init(readingFile path: String, of files: SystemFiles = SystemFiles()) {
            self = files.text(path).map { BlueZSettings(parsing: $0) } ?? BlueZSettings()
        }

        /// Returns the settings that a layout violates on this adapter, in their order; empty if it may be used.
        func violations(
            of layout: RadioLayout, on adapter: BlueZAdapter, profile: ApplicationProfile = .inkling
        ) -> [RadioSetting] {
            var violated: [RadioSetting] = []
            switch layout {
            case .links:
                // A legacy controller keeps its address when it also scans.
                // `bluetoothd` may still run with an earlier file.
                if privacy != "device" || hasPrivateAddresses == false || !adapter.isExtended || adapter.isDiscoverable
                {
                    violated.append(.privacy)
                }
                // The alias wins over the name, and is kept where no setting reaches.
                if name != Self.commonName || adapter.alias != Self.commonName { violated.append(.name) }
                if adapter.appearance != 0 { violated.append(.appearance) }
                if hasDeviceID || adapter.hasDeviceInformation { violated.append(.services) }
                if adapter.foreignServices(beside: profile) != [] { violated.append(.otherServices) }
                if channels != 1 { violated.append(.channels) }
            case .beacon:
                if adapter.isDiscoverable { violated.append(.privacy) }
                if privacy != "off" || hasPrivateAddresses == true, !adapter.isExtended {
                    violated.append(.beaconPrivacy)
                }
            }
            return violated
        }

        /// The device name that every Inkling device has.
        static let commonName = "inkling"

        private mutating func set(_ section: String, _ key: String, _ value: String) {
            switch (section, key) {
            case ("General", "Privacy"): privacy = value
            case ("General", "Name"): name = value
            case ("General", "DeviceID"): hasDeviceID = value != "false"
            case ("General", "TemporaryTimeout"): temporarySeconds = Int(UInt32(value) ?? 30)
            case ("GATT", "Channels"): channels = Int(value)
            default: break
            }
        }
    }

    extension Substring {
        fileprivate var trimmed: Substring {
            let start = drop(while: \.isWhitespace)
            guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start[start.endIndex...] }
            return start[...end]
        }
    }

    extension String {
        fileprivate var trimmed: Substring { self[...].trimmed }
    }
#endif
