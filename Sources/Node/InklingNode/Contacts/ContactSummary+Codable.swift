internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

// A contact is coded in the names of the control socket: `id` for the user, `contact` for the name that the user sees.
// The members of the presence stand beside the others.
extension ContactSummary: Codable {
    private enum CodingKeys: String, CodingKey {
        case user = "id"
        case name = "contact"
        case cardName, devices, recognisedUntil, recognisesUsUntil, standing
        case hasMet = "met"
        case needsReview, restoredFrom
        case isBlocked = "blocked"
        case chosenDelays, delays
        case reachableOver
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool { try members.decode(Bool.self, forKey: key) }
        user = try members.decode(UserID.self, forKey: .user)
        name = try members.decode(String.self, forKey: .name)
        cardName = try members.decode(String.self, forKey: .cardName)
        devices = try members.decode([DeviceIndex].self, forKey: .devices)
        recognisedUntil = try members.decodeIfPresent(Period.self, forKey: .recognisedUntil)
        recognisesUsUntil = try members.decodeIfPresent(Period.self, forKey: .recognisesUsUntil)
        standing = try members.decode(Standing.self, forKey: .standing)
        hasMet = try flag(.hasMet)
        needsReview = try flag(.needsReview)
        restoredFrom = try members.decodeIfPresent(UInt64.self, forKey: .restoredFrom)
        isBlocked = try flag(.isBlocked)
        chosenDelays = try members.decode(ContactDelays.self, forKey: .chosenDelays)
        delays = try members.decode(ContactDelays.self, forKey: .delays)
        presence = try PresenceState(from: decoder)
        reachableOver = Set(try members.decode([LinkTechnologyID].self, forKey: .reachableOver))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(user, forKey: .user)
        try members.encode(name, forKey: .name)
        try members.encode(cardName, forKey: .cardName)
        try members.encode(devices, forKey: .devices)
        try members.encodeIfPresent(recognisedUntil, forKey: .recognisedUntil)
        try members.encodeIfPresent(recognisesUsUntil, forKey: .recognisesUsUntil)
        try members.encode(standing, forKey: .standing)
        try members.encode(hasMet, forKey: .hasMet)
        try members.encode(needsReview, forKey: .needsReview)
        try members.encodeIfPresent(restoredFrom, forKey: .restoredFrom)
        try members.encode(isBlocked, forKey: .isBlocked)
        try members.encode(chosenDelays, forKey: .chosenDelays)
        try members.encode(delays, forKey: .delays)
        try presence.encode(to: encoder)
        try members.encode(LinkTechnologyID.allCases.filter(reachableOver.contains), forKey: .reachableOver)
    }
}
