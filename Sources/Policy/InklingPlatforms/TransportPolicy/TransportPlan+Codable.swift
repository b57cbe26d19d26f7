internal import InklingKeys

// A plan is coded in the terms of the `transport-plan` vectors: durations in whole milliseconds, facts by their ids.
// Only the facts of `PlatformProfiles.known` can be decoded.

extension TransportPlan.Step: Codable {
    private enum CodingKeys: String, CodingKey {
        case transport, direction, next, begins, completes, energy, exposure, cost, lasts, facts
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func duration(_ key: CodingKeys) throws -> Duration {
            .milliseconds(try members.decode(UInt64.self, forKey: key))
        }
        transport = try members.decode(TransportOption.self, forKey: .transport)
        direction = try members.decode(TransportDirection.self, forKey: .direction)
        next = try members.decodeIfPresent(TransportPlan.Next.self, forKey: .next)
        begins = try duration(.begins)
        completes = try duration(.completes)
        energy = try members.decode(UInt64.self, forKey: .energy)
        exposure = try members.decode(UInt64.self, forKey: .exposure)
        cost = try members.decode(UInt64.self, forKey: .cost)
        lasts = try members.decodeIfPresent(UInt64.self, forKey: .lasts).map { .milliseconds($0) }
        facts = try members.decode([FactID].self, forKey: .facts).map(\.fact)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(transport, forKey: .transport)
        try members.encode(direction, forKey: .direction)
        try members.encodeIfPresent(next, forKey: .next)
        try members.encode(begins.wholeMilliseconds, forKey: .begins)
        try members.encode(completes.wholeMilliseconds, forKey: .completes)
        try members.encode(energy, forKey: .energy)
        try members.encode(exposure, forKey: .exposure)
        try members.encode(cost, forKey: .cost)
        try members.encodeIfPresent(lasts?.wholeMilliseconds, forKey: .lasts)
        try members.encode(facts.map(FactID.init), forKey: .facts)
    }
}

extension TransportPlan.Refusal: Codable {
    private enum CodingKeys: String, CodingKey {
        case transport, reason, facts
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        transport = try members.decode(TransportOption.self, forKey: .transport)
        reason = try members.decode(TransportRefusal.self, forKey: .reason)
        facts = try members.decode([FactID].self, forKey: .facts).map(\.fact)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(transport, forKey: .transport)
        try members.encode(reason, forKey: .reason)
        try members.encode(facts.map(FactID.init), forKey: .facts)
    }
}

/// A known fact, coded as its id.
private struct FactID: Codable {
    let fact: ProfileFact

    init(_ fact: ProfileFact) { self.fact = fact }

    init(from decoder: any Decoder) throws {
        fact = try decoder.single { (id: String) in PlatformProfiles.known.facts.first { $0.id == id } }
    }

    func encode(to encoder: any Encoder) throws { try encoder.single(fact.id) }
}
