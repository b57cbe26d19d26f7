/// What the kernel tells of Bluetooth without the system bus.
package struct RadioHardware: Hashable, Sendable {
    /// A switch that can silence a radio (`rfkill`).
    package struct Switch: Hashable, Sendable {
        /// The name of the radio, such as `hci0`.
        package let name: String
        /// Whether a program has blocked it.
        package let isBlocked: Bool
        /// Whether a switch or the firmware of the machine has blocked it.
        package let isBlockedByHardware: Bool

        /// Creates a description of a switch.
        package init(name: String, isBlocked: Bool, isBlockedByHardware: Bool) {
            self.name = name
            self.isBlocked = isBlocked
            self.isBlockedByHardware = isBlockedByHardware
        }
    }

    /// The adapters that the kernel has, such as `hci0`.
    package let adapters: [String]
    /// The switches of Bluetooth.
    package let switches: [Switch]
    /// The process of `bluetoothd`.
    package let daemon: RunningProgram?
    /// The version of the package `bluez`, by the list of the Debian package manager; nil where there is none.
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

    /// Reads what the system shows to everyone.
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

    /// Finds the version of an installed package `bluez` in the list of the Debian package manager.
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
