internal import InklingJSON
internal import InklingKeys
internal import InklingProfile
internal import InklingWire

/// The operations on application profiles (`Specs/profiles.md`).
let profileOperations: [ShimOperation] = [
    ShimOperation(
        "profile-derive",
        [
            .text("name"), .text("serviceType").optional,
            .integer(
                "measuredPower",
                in: Int128(
                    ApplicationProfile.measuredPowers.lowerBound)...Int128(
                        ApplicationProfile.measuredPowers.upperBound)
            ).optional,
        ]
    ) { arguments throws(ShimRefusal) in
        let profile = try refusing { () throws(ProfileError) in
            let name = arguments.text("name")
            var serviceType: ServiceType?
            if arguments.has("serviceType") {
                guard ApplicationProfile.isName(name) else { throw .invalid(.name) }
                serviceType = ServiceType(arguments.text("serviceType"))
                guard serviceType != nil else { throw .invalid(.serviceType) }
            }
            return try ApplicationProfile(
                name: name, serviceType: serviceType,
                measuredPower: arguments.has("measuredPower")
                    ? Int8(truncatingIfNeeded: arguments.integer("measuredPower")) : IBeacon.commonMeasuredPower)
        }
        return ["document": .text(profile.json.compact)]
    },
    ShimOperation("profile-read", [.text("document")]) { arguments throws(ShimRefusal) in
        let text = Array(arguments.text("document").utf8)
        let profile = try refusing { () throws(ProfileError) in try ApplicationProfile(parsing: text) }
        return ["document": .text(profile.json.compact)]
    },
]
