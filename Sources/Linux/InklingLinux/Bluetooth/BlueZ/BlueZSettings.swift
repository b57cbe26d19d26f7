#if Node
    internal import InklingNode
    internal import InklingWire

    /// The layout of a radio: a beacon only, or links too.
    enum RadioLayout: String, Hashable, Sendable, CaseIterable {
        /// One non-connectable set.
        case beacon
        /// Two connectable sets.
        case links
    }

    /// The settings in the configuration file of `bluetoothd` (`main.conf`) that determine what others can see. Missing
    /// ones have the defaults of `bluetoothd`.
    struct BlueZSettings: Hashable, Sendable {
        /// The value of `Privacy`.
        private(set) var privacy = "off"
        /// The value of `Name`; `nil` for the host name or the version.
        private(set) var name: String?
        /// Whether there is a Device Information service.
        private(set) var hasDeviceID = true
        /// The number of ATT channels; `nil` for the default of the BlueZ version, which is more than one.
        private(set) var channels: Int?
        /// Whether the controller uses private addresses now, whatever the file says; `nil` if unknown.
        var hasPrivateAddresses: Bool?
        /// The time that an unpaired device is kept after it was last heard, in seconds.
        private(set) var temporarySeconds = 30

        /// Creates the settings of a system without the file.
        init() {}

        /// Parses the text of the file; ignores lines that it does not understand, as `bluetoothd` does.
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

        /// Reads a file; a missing or unreadable one has no settings.
        init(readingFile path: String, of files: SystemFiles = SystemFiles()) {
            self = files.text(path).map { BlueZSettings(parsing: $0) } ?? BlueZSettings()
        }

        /// Returns the settings on this adapter that forbid a layout, in a fixed order; empty if it may be used.
        func violations(
            of layout: RadioLayout, on adapter: BlueZAdapter, profile: ApplicationProfile = .inkling
        ) -> [RadioSetting] {
            var violated: [RadioSetting] = []
            switch layout {
            case .links:
                // A legacy controller keeps its address when it also scans. `bluetoothd` may still use an older file.
                if privacy != "device" || hasPrivateAddresses == false || !adapter.isExtended || adapter.isDiscoverable
                {
                    violated.append(.privacy)
                }
                // The alias overrides the name and is stored where no setting reaches.
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

        /// The device name that all Inkling devices share.
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
