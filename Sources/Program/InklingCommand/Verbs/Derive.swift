import ArgumentParser
import InklingAccess
import InklingKeys
import InklingTerminal
import InklingWire

/// `inkling derive`
struct Derive: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "derive",
        abstract: "Show what a device with a given key shows at a given time.",
        discussion: """
            This needs the root of the audience. The root is read from a file or from standard input, not from the \
            command line, where other users could see it.

            Examples:
              $ inkling derive --example --at 2026-08-01T16:14:59Z
              $ inkling derive --key-file root.key --device 1
              $ head -c 32 /dev/urandom | inkling derive --key-file - --json
            """)

    @Flag(help: "Use the public example root of Specs/keys.md (bytes 20…3f).") var example = false
    @Option(help: "Read the audience root from a file: 32 bytes or 64 hexadecimal digits; - reads standard input.")
    var keyFile: String?
    @Option(help: "Derive for this time: RFC 3339 (2026-08-01T16:00:00Z) or Unix seconds. Default: now.") var at:
        String?
    @Option(help: "Derive for this device, 0 to 15.") var device: UInt8 = 0
    @Option(
        help: ArgumentHelp(
            "Show the name in the service type of the profile in this file (inkling profile).",
            discussion: "Default: Inkling's own.")
    ) var profile: String?
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard example != (keyFile != nil) else {
            throw ValidationError("give --key-file FILE or --example, and not both")
        }
        guard DeviceIndex(device) != nil else { throw ValidationError("--device must be 0 to 15, got \(device)") }
    }

    func run() throws {
        try reporting {
            let root = try keyFile.map { path throws(Failure) in try readKey(path) } ?? Self.exampleRoot
            try show(root: root)
        }
    }

    private static var exampleRoot: SecretBytes { SecretBytes(copying: Array(0x20...0x3f).span) }

    private func show(root: consuming SecretBytes) throws(Failure) {
        let moment = try at.map { text throws(Failure) in try Moment(text) } ?? Moment.now
        guard let epoch = Epoch(containing: moment.unixSeconds), let device = DeviceIndex(device),
            let period = AudienceTree(root: root).periodKey(epoch.period)
        else {
            throw Failure(
                at == nil ? .configuration : .usage,
                "\(at ?? "the clock") is past the last period, in August 2089",
                remedy: "Give an earlier time: --at 2026-08-01T16:00:00Z")
        }
        let keys = period.deviceKeys(device)
        let profile = try profile.map { file throws(Failure) in try readProfile(file) } ?? .inkling
        let fact = DerivedFact(
            epoch: epoch.number, period: epoch.period.number, device: device.number, validUntil: epoch.end,
            minor: keys.beacon.minor(epoch).value, name: keys.mdns.serviceName(epoch).description,
            host: keys.mdns.hostName(epoch).description, tag: keys.gatt.tag(epoch).description,
            serviceType: profile.serviceType.description)
        writeFact(fact, asJSON: json, otherwise: \.text)
    }
}

/// The values that a device shows in one epoch.
private struct DerivedFact: Encodable {
    let epoch: UInt32
    let period: UInt32
    let device: UInt8
    /// The end of validity in Unix seconds.
    let validUntil: UInt64
    let minor: UInt16
    let name: String
    let host: String
    let tag: String
    let serviceType: String

    var text: String {
        """
        epoch   \(epoch)   period \(period)   device \(device)
        minor   \(minor)
        name    \(name).\(serviceType).local
        host    \(host).local
        tag     \(tag)

        """
    }
}
