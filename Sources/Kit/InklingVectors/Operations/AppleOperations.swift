internal import InklingEngine
internal import InklingJSON
internal import InklingKeys
internal import InklingPlatforms
internal import InklingWire

/// The operations on values for Apple's frameworks (`Specs/apple.md`).
let appleOperations: [ShimOperation] = [
    ShimOperation(
        "tls-psk",
        sessionKeys + [
            .transport, .integer("version", oneOf: TLSVersion.allCases.map { Int128($0.rawValue) }).optional,
            .epoch("handshakeEpoch"), .epoch("epoch"),
        ]
    ) { arguments throws(ShimRefusal) in
        let transport = try arguments.transport()
        let version = TLSVersion(rawValue: arguments.u16("version")) ?? .tls12
        guard
            let key = TLSPreSharedKey(
                exporter: arguments.exporter(), transport: transport, version: version,
                handshake: try arguments.epoch("handshakeEpoch"))
        else { throw ShimRefusal(TLSKeyError.noTLS) }
        let now = try arguments.epoch()
        // `use` consumes the key, and a closure cannot consume a captured value.
        do throws(TLSKeyError) {
            return try key.use(in: now) { key, identity in
                ["cipherSuite": .integer(version.cipherSuite), "key": .hex(key), "identity": .hex(identity)]
            }
        } catch {
            throw ShimRefusal(error)
        }
    },
    ShimOperation(
        "region-plan",
        [
            .list(
                "candidates",
                of: .object([
                    .u32("contact"), .u16("minorNow"), .u16("minorNext").optional, .u32("likelihood"),
                ]))
        ]
    ) { arguments in
        let plan = WakePlan(
            arguments.objects("candidates").map { candidate in
                WakePlan.Candidate(
                    contact: ContactID(rawValue: candidate.u32("contact")),
                    minorNow: BeaconMinor(candidate.u16("minorNow")),
                    minorNext: candidate.has("minorNext") ? BeaconMinor(candidate.u16("minorNext")) : nil,
                    likelihood: candidate.u32("likelihood"))
            })
        return ["regions": .list(plan.regions.map(JSON.region))]
    },
]

extension JSON {
    fileprivate static func region(_ region: WakePlan.Region) -> JSON {
        var result: JSONObject = [
            "identifier": .text(region.identifier), "uuid": .hex(region.proximity.octets),
            "onEntry": .flag(region.notifiesOnEntry), "onExit": .flag(region.notifiesOnExit),
            "onDisplay": .flag(region.notifiesOnDisplay),
        ]
        if let major = region.major { result["major"] = .integer(major) }
        if let minor = region.minor { result["minor"] = .integer(minor.value) }
        return .object(result)
    }
}
