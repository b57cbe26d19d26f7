internal import InklingNode

extension RunningProgram? {
    /// The file with the settings of this `bluetoothd`, from the arguments with which it was started; the usual one when
    /// it does not run.
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
    /// The `bluetoothd` that runs; nil when there is none.
    package var bluetoothDaemon: RunningProgram? { programs().first { $0.name == "bluetoothd" } }
}
