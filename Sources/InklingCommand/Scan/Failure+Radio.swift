import InklingNode

extension Failure {
    /// Creates the failure that describes why Bluetooth cannot be used.
    init(_ error: RadioError) {
        switch error {
        case .notPermitted:
            self.init(.noPermission, error.description, remedy: .command("See what to mend with", "doctor"))
        case .exposed(let setting):
            self.init(
                .configuration, error.description,
                remedy: "Write \(setting.line) in \(RadioSetting.file), and run: systemctl restart bluetooth")
        case .bus, .noDaemon, .noAdapter, .poweredOff, .refused:
            self.init(.unavailable, error.description, remedy: .command("See what to mend with", "doctor"))
        }
    }
}
