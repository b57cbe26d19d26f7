import ArgumentParser
import InklingAccess
import InklingJSON
import InklingKeys
import InklingProfile
import InklingTerminal
import InklingWire

/// `inkling profile show`
struct ShowProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a profile: that of a file, or the one that a home uses.",
        discussion: """
            Examples:
              $ inkling profile show profile.json
              $ inkling profile show --home ada --json
            """)

    @Argument(help: "The file of a profile; - reads standard input. Default: the profile of the home.") var file:
        String?
    @Option(
        help: ArgumentHelp(
            "Show the profile of this home directory.", discussion: "Default: $INKLING_HOME, or ~/.local/share/inkling."
        )
    ) var home: String?
    @Flag(help: "Print the profile as one JSON object.") var json = false

    func validate() throws {
        guard file == nil || home == nil else { throw ValidationError("FILE cannot be combined with --home") }
    }

    func run() throws {
        try reporting {
            let profile: ApplicationProfile
            if let file {
                profile = try readProfile(file)
            } else {
                profile = try homeProfile(in: try HomeOptions.path(named: home))
            }
            write(json ? profile.json.compact + "\n" : text(of: profile))
        }
    }

    private func text(of profile: ApplicationProfile) -> String {
        let bit = OverflowBit(of: profile.service)
        let kind = profile == .inkling ? "Inkling's own, the default" : "an application's own"
        return """
            name            \(profile.name) (\(kind))
            proximity       \(profile.proximity)   beacons, with major \(IBeacon.commonMajor)
            service         \(profile.service)   overflow bit \(bit.hash)
            tag             \(profile.tag)
            in              \(profile.input)
            out             \(profile.output)
            service type    \(profile.serviceType)
            Wi-Fi Aware     \(WiFiAwareServiceID(of: profile.serviceType.description))
            measured power  \(profile.measuredPower) dBm at one metre
            rotation        every \(ApplicationProfile.epochSeconds) s, with a gap of 0 to 10 s; the same in every profile

            """
    }
}
