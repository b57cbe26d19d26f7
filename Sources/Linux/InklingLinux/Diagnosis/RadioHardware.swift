/// The kernel's facts about Bluetooth, without the system bus.
package struct RadioHardware: Hashable, Sendable {
    /// A switch that can silence a radio (`rfkill`).
    package struct Switch: Hashable, Sendable {
        /// The name of the radio, such as `hci0`.
        package let name: String
        /// Whether a program has blocked it.
        package let isBlocked: Bool
        /// Whether a hardware switch or the firmware has blocked it.
        package let isBlockedByHardware: Bool

        /// Creates a description of a switch.
        package init(name: String, isBlocked: Bool, isBlockedByHardware: Bool) {
            self.name = name
            self.isBlocked = isBlocked
            self.isBlockedByHardware = isBlockedByHardware
        }
    }

    /// The kernel's adapters, such as `hci0`.
    package let adapters: [String]
    /// The switches of Bluetooth radios.
    package let switches: [Switch]
    /// The process of `bluetoothd`.
    package let daemon: RunningProgram?
    /// The version of the package `bluez`, according to dpkg; `nil` without it.
    package let packageVersion: String?

    /// Creates a description of hardware.
    package init(
        adapters: [String], switches: [Switch] = [], daemon: RunningProgram? = nil, packageVersion: String? = nil
    ) {
        self.adapters = adapters
        self.switches = switches
        self.daemon = daemon
        self.packageVersion = packageVersion
    }

    /// Reads the facts that the system shows to everyone.
    package init(files: SystemFiles = SystemFiles()) {
        // Connections are in the same folder, as hci0:64.
        adapters = files.names(in: "/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
        switches = files.names(in: "/sys/class/rfkill").compactMap { number in
            let folder = "/sys/class/rfkill/\(number)"
            guard files.line("\(folder)/type") == "bluetooth" else { return nil }
            return Switch(
                name: files.line("\(folder)/name") ?? number, isBlocked: files.line("\(folder)/soft") == "1",
                isBlockedByHardware: files.line("\(folder)/hard") == "1")
        }
        daemon = files.bluetoothDaemon
        packageVersion = files.text("/var/lib/dpkg/status").flatMap(Self.version(inPackages:))
    }

    /// Returns the version of the installed package `bluez` in dpkg's status file.
    static func version(inPackages text: String) -> String? {
        var isBluez = false
        var isInstalled = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                (isBluez, isInstalled) = (false, false)
            } else if line == "Package: bluez" {
                isBluez = true
            } else if line.hasPrefix("Status: "), line.hasSuffix(" installed") {
                isInstalled = true
            } else if isBluez, isInstalled, line.hasPrefix("Version: ") {
                return String(line.dropFirst(9))
            }
        }
        return nil
    }
}
