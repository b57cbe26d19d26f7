internal import InklingNode

extension RunningProgram? {
    /// The settings file of this `bluetoothd`, from its command line; the usual one if it does not run.
    package var bluetoothSettingsPath: String {
        guard let arguments = self?.arguments else { return RadioSetting.file }
        for (place, argument) in arguments.enumerated() {
            if argument == "-f" || argument == "--configfile", place + 1 < arguments.count {
                return arguments[place + 1]
            }
            if argument.hasPrefix("--configfile=") { return String(argument.dropFirst(13)) }
            if argument.hasPrefix("-f"), argument.count > 2 { return String(argument.dropFirst(2)) }
        }
        return RadioSetting.file
    }
}

extension SystemFiles {
    /// The running `bluetoothd`; `nil` if there is none.
    package var bluetoothDaemon: RunningProgram? { programs().first { $0.name == "bluetoothd" } }
}
