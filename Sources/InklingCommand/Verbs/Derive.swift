import ArgumentParser
import InklingJSON
import InklingKeys

/// `inkling derive`
struct Derive: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a device with a given key shows at a given time.",
        discussion: """
            Everything here is computable only with the audience's root. A key is read from a file or standard \
            input, never from the command line, where other users could see it.

            Examples:
              $ inkling derive --example --at 2026-08-01T16:14:59Z
              $ inkling derive --key-file root.key --device 1
              $ head -c 32 /dev/urandom | inkling derive --key-file - --json
            """)

    @Flag(help: "Use the public example root of Specs/keys.md (bytes 20…3f).") var example = false
    @Option(help: "A file with an audience root: 32 bytes or 64 hexadecimal digits; - for standard input.")
    var keyFile: String?
    @Option(help: "A moment: RFC 3339 (2026-08-01T16:00:00Z) or Unix seconds. Default: now.") var at: String?
    @Option(help: "The device, 0 to 15.") var device: UInt8 = 0
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard example != (keyFile != nil) else { throw ValidationError("give either --key-file FILE or --example") }
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
                "\(at ?? "the clock") lies after the last hour that keys exist for, in August 2089",
                remedy: "Give an earlier moment: --at 2026-08-01T16:00:00Z")
        }
        let keys = period.deviceKeys(device)
        let minor = keys.beacon.minor(epoch).value
        let name = keys.mdns.serviceName(epoch).description
        let host = keys.mdns.hostName(epoch).description
        let tag = keys.gatt.tag(epoch).description
        let facts: JSONObject = [
            "epoch": .integer(epoch.number), "period": .integer(epoch.period.number),
            "device": .integer(device.number), "validUntil": .integer(epoch.end), "minor": .integer(minor),
            "name": .text(name), "host": .text(host), "tag": .text(tag),
        ]
        write(facts, asJSON: json) { _ in
            """
            epoch   \(epoch.number)   period \(epoch.period.number)   device \(device.number)
            minor   \(minor)
            name    \(name)._inkling._tcp.local
            host    \(host).local
            tag     \(tag)

            """
        }
    }
}
