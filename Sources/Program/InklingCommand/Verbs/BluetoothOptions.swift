import ArgumentParser
import InklingAccess
import InklingLinux
import InklingNode
import InklingVault
import InklingWire

/// The options for the use of Bluetooth by a node.
struct BluetoothOptions: ParsableArguments {
    @Option(
        help: """
            Use Bluetooth: auto (what the adapter and its settings allow), beacon (show a beacon and listen, without \
            links), links, or off. Default: auto.
            """)
    var bluetooth: BluetoothUse?
    @Option(help: "Use this Bluetooth adapter, such as hci0. Default: the first one.") var adapter: String?
    @Flag(help: "Let the adapter send scan requests if it cannot scan passively; only with links.")
    var activeScan = false

    /// Takes the options that the command line omits from a configuration file.
    mutating func complete(from configuration: Configuration) {
        bluetooth = bluetooth ?? configuration.text(.bluetooth).flatMap(BluetoothUse.init(rawValue:))
        adapter = adapter ?? configuration.text(.adapter)
        activeScan = activeScan || configuration.flag(.activeScan)
    }

    func validate() throws {
        guard bluetooth == .off else { return }
        if adapter != nil { throw ValidationError("--adapter cannot be combined with --bluetooth off") }
        if activeScan { throw ValidationError("--active-scan cannot be combined with --bluetooth off") }
    }

    /// Returns the radio of a node; nil for a node without one.
    func radio(_ clock: VaultClock, profile: ApplicationProfile) async -> (any BluetoothRadio)? {
        #if Node
            let mode: LinuxBluetooth.Mode
            switch bluetooth ?? .auto {
            case .off: return nil
            case .beacon: mode = .beacon
            case .links: mode = .links
            case .auto:
                // Otherwise a machine without Bluetooth would report it again and again.
                let observation = await BluetoothObservation.make()
                guard observation.service == .runs, !observation.adapters.isEmpty || adapter != nil else { return nil }
                mode = .auto
            }
            return LinuxBluetooth(
                mode: mode, adapter: adapter, allowsActiveScan: activeScan, clock: clock,
                profile: profile)
        #else
            return nil
        #endif
    }
}
