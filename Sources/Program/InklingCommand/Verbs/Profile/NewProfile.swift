import ArgumentParser
import InklingJSON
import InklingProfile
import InklingTerminal
import InklingWire

/// `inkling profile new`
struct NewProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Print the profile of an application.",
        discussion: """
            The UUIDs and the service type follow from the name, so that everyone who gives the same name has the same \
            profile. Options replace values that an application has already. The output is the file (Specs/profiles.md).

            Examples:
              $ inkling profile new "Example Chat" > profile.json
              $ inkling profile new org.example.chat --service-type _example-chat._tcp --measured-power -62
            """)

    @Argument(help: "The name of the application: 1 to 64 characters of ASCII. It is not shown to other devices.")
    var name: String
    @Option(help: "Use this proximity UUID in beacons.") var proximity: String?
    @Option(help: "Use this UUID for the GATT service.") var service: String?
    @Option(help: "Use this UUID for the characteristic TAG.") var tag: String?
    @Option(name: .customLong("in"), help: "Use this UUID for the characteristic IN.") var input: String?
    @Option(name: .customLong("out"), help: "Use this UUID for the characteristic OUT.") var output: String?
    @Option(help: "Use this service type, such as _example._tcp. Default: from the name.") var serviceType: String?
    // Its values begin with a hyphen.
    @Option(parsing: .unconditional, help: "State this received power at one metre, -100 to -20 dBm.")
    var measuredPower: Int = -59
    @Flag(help: "Print one JSON object; the file always is one.") var json = false

    func run() throws {
        try reporting {
            let profile: ApplicationProfile
            do throws(ProfileError) {
                guard let power = Int8(exactly: measuredPower) else { throw .outOfRange(.measuredPower) }
                profile = try ApplicationProfile(
                    name: name, proximity: try uuid(proximity, .proximity), service: try uuid(service, .service),
                    tag: try uuid(tag, .tag), input: try uuid(input, .input), output: try uuid(output, .output),
                    serviceType: try type(), measuredPower: power)
            } catch {
                throw Failure(.usage, "\(error)", remedy: remedy(for: error), refusal: "\(error.stage)/\(error.reason)")
            }
            write(profile.json.compact + "\n")
        }
    }

    private func uuid(_ text: String?, _ member: ApplicationProfile.Member) throws(ProfileError) -> UUID128? {
        guard let text else { return nil }
        guard let uuid = UUID128(text) else { throw .invalid(member) }
        return uuid
    }

    private func type() throws(ProfileError) -> ServiceType? {
        guard let serviceType else { return nil }
        guard let type = ServiceType(serviceType) else { throw .invalid(.serviceType) }
        return type
    }

    private func remedy(for error: ProfileError) -> Remedy? {
        switch error {
        case .invalid(.serviceType) where serviceType == nil, .ofInkling(.serviceType) where serviceType == nil:
            "The name gives no service type. Give one with --service-type, such as _example._tcp."
        case .setUpBit where service == nil, .ofInkling(.name): "Choose another name."
        default: nil
        }
    }
}
