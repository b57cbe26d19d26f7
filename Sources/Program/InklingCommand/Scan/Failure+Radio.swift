import InklingLinux
import InklingNode
import InklingTerminal

extension Failure {
    /// Creates the failure that describes why Bluetooth cannot be used.
    init(_ error: RadioError) {
        switch error {
        case .notPermitted:
            self.init(.noPermission, error.description, remedy: .command("See what to fix with", "doctor"))
        case .exposed(let setting):
            let file = SystemFiles().bluetoothDaemon.bluetoothSettingsPath
            self.init(
                .configuration, error.description,
                remedy: setting.line.map {
                    "Write \($0) in \(file), and run: systemctl restart bluetooth"
                } ?? .command("See what to fix with", "doctor"))
        case .bus, .notUsed, .noDaemon, .noReply, .noAdapter, .poweredOff, .refused:
            self.init(.unavailable, error.description, remedy: .command("See what to fix with", "doctor"))
        }
    }
}
