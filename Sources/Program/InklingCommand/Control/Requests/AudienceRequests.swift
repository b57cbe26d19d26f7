import FoundationEssentials
import InklingAccess
import InklingKeys
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Audiences, and who can recognise the user by them. Times are RFC 3339 in UTC.

extension Request {
    /// Reports every audience.
    struct Audiences: NodeRequest {
        static let name = "audiences", isBrief = true

        func run(on served: ServedNode, for peer: Peer<AudienceFact>) async throws(Failure) {
            let all = await served.node.audiences()
            for audience in all { await peer.take(AudienceFact(audience, among: all)) }
        }
    }

    /// Creates an audience, within another one or that of all contacts.
    struct CreateAudience: NodeRequest {
        static let name = "create-audience"
        let name: String
        let within: String?

        func run(on served: ServedNode, for peer: Peer<AudienceFact>) async throws(Failure) {
            var outer: AudienceID?
            if let within { outer = try await served.audience(within).id }
            let id = try await nodeFailure { [outer] () async throws(NodeError) in
                try await served.node.createAudience(named: name, within: outer)
            }
            if let fact = await served.fact(of: id) { await peer.take(fact) }
        }
    }

    /// Gives an audience another name.
    struct RenameAudience: NodeRequest {
        static let name = "rename-audience"
        let audience: String
        let name: String

        func run(on served: ServedNode, for peer: Peer<AudienceFact>) async throws(Failure) {
            let id = try await served.audience(audience).id
            try await nodeFailure { () async throws(NodeError) in try await served.node.renameAudience(id, to: name) }
            if let fact = await served.fact(of: id) { await peer.take(fact) }
        }
    }

    /// Removes an audience, and reports it as it was.
    struct RemoveAudience: NodeRequest {
        static let name = "remove-audience"
        let audience: String

        func run(on served: ServedNode, for peer: Peer<AudienceFact>) async throws(Failure) {
            let id = try await served.audience(audience).id
            let fact = await served.fact(of: id)
            try await nodeFailure { () async throws(NodeError) in try await served.node.removeAudience(id) }
            if let fact { await peer.take(fact) }
        }
    }

    /// Adds a contact to an audience or removes it from one.
    struct Assign: NodeRequest {
        static let name = "assign"
        let contact: String
        let audience: String
        let member: Bool

        func run(on served: ServedNode, for peer: Peer<OneOf<ContactFact, AudienceFact>>) async throws(Failure) {
            let user = try await served.contact(contact).user
            let id = try await served.audience(audience).id
            try await nodeFailure { () async throws(NodeError) in
                if member {
                    try await served.node.assign(user, to: id)
                } else {
                    try await served.node.unassign(user, from: id)
                }
            }
            await served.report(user) { await peer.take(.first($0)) }
            if let fact = await served.fact(of: id) { await peer.take(.second(fact)) }
        }
    }

    /// Starts new generations of these audiences, or of all audiences without names.
    struct Renew: NodeRequest {
        static let name = "renew"
        let audiences: [String]?

        func run(on served: ServedNode, for peer: Peer<Never>) async throws(Failure) {
            var wanted: Set<AudienceID> = []
            for name in audiences ?? [] { wanted.insert(try await served.audience(name).id) }
            let chosen = wanted.isEmpty ? nil : wanted
            try await nodeFailure { () async throws(NodeError) in try await served.node.renewAudiences(chosen) }
        }
    }

    /// Reports everyone who can recognise the user, and every contact who cannot.
    struct Recognisers: NodeRequest {
        static let name = "recognisers", isBrief = true

        func run(on served: ServedNode, for peer: Peer<RecogniserFact>) async throws(Failure) {
            let now = UInt64(await served.node.minute()) * 60
            for person in await served.node.recognisers() { await peer.take(RecogniserFact(person, at: now)) }
        }
    }
}

/// An audience of the user.
struct AudienceFact: NodeFact, Hashable {
    static let kind = "audience"

    let audience: String
    /// The enclosing audience; null for that of all contacts.
    let within: String?
    let generation: UInt32
    let members: Int
    /// The number of people, contacts or not, who can recognise the user by it now.
    let holders: Int
    let shown: Bool

    init(_ audience: AudienceSummary, among all: [AudienceSummary]) {
        self.audience = audience.name
        within = audience.within.flatMap { id in all.first { $0.id == id }?.name }
        generation = audience.generation
        members = audience.members
        holders = audience.holders
        shown = audience.isShown
    }

    /// The human-readable line.
    var line: String {
        padded(printable(audience), to: 20) + padded(within.map { "in \(printable($0))" } ?? "", to: 20)
            + padded(plural(members, "member"), to: 12) + "\(holders) can recognise you by it"
            + (shown ? "; shown now" : "") + "\n"
    }
}

/// A person who can recognise the user, or a contact who cannot.
struct RecogniserFact: NodeFact, Hashable {
    static let kind = "recogniser"

    /// A grant that can be used now.
    struct Held: Codable, Hashable, Sendable {
        let audience: String
        let generation: UInt32
        let until: String
        /// The seconds until it ends.
        let remaining: UInt64
        /// Whether it is renewed when they meet.
        let renewed: Bool
        /// Whether the node shows this audience now.
        let shown: Bool
    }

    let contact: String
    let id: String
    /// `waiting`, `half-finished`, `complete`, `lapsing`, `blocked`, `removed`.
    let relation: String
    let grants: [Held]
    /// Whether the node shows itself to this person alone.
    let shownAlone: Bool
    /// The time until which the user can recognise the person; null without a grant from it.
    let recognisedUntil: String?

    /// Creates the fact; `now` is in Unix seconds.
    init(_ person: Recogniser, at now: UInt64) {
        contact = person.name
        id = person.user.octets.description
        relation = person.relation.rawValue
        grants = person.grants.map { held in
            let end = (UInt64(held.until.number) + 1) * Period.seconds
            return Held(
                audience: held.name, generation: held.generation, until: timestamp(end),
                remaining: end - min(end, now), renewed: held.isRenewed, shown: held.isShown)
        }
        shownAlone = person.isShownPair
        recognisedUntil = person.recognisedUntil.map(timestamp(endOf:))
    }

    static let heading =
        padded("WHO", to: 20) + padded("AUDIENCE", to: 16) + padded("UNTIL (local time)", to: 20)
        + padded("REMAINING", to: 12) + "NOTE\n"

    /// The human-readable rows, one for each grant.
    var rows: String {
        guard !grants.isEmpty else { return row(audience: "–", until: "–", remaining: "–", note: note(nil)) }
        return grants.map { held in
            row(
                audience: printable(held.audience), until: localTime(held.until),
                remaining: duration(held.remaining), note: note(held))
        }.joined()
    }

    private func row(audience: String, until: String, remaining: String, note: String) -> String {
        let line =
            padded(printable(contact), to: 20) + padded(audience, to: 16) + padded(until, to: 20)
            + padded(remaining, to: 12) + note
        return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }

    private func note(_ held: Held?) -> String {
        var notes: [String] = []
        switch relation {
        case Recogniser.Relation.waiting.rawValue: notes.append("has not accepted yet")
        case Recogniser.Relation.halfFinished.rawValue: notes.append("half-finished")
        case Recogniser.Relation.lapsing.rawValue: notes.append("not renewed")
        case Recogniser.Relation.blocked.rawValue: notes.append("blocked")
        case Recogniser.Relation.removed.rawValue: notes.append("removed")
        default:
            if let held, !held.renewed { notes.append("no longer a member") }
            if held == nil { notes.append("holds nothing until you meet") }
            if recognisedUntil == nil { notes.append("you cannot recognise this contact") }
        }
        if held?.shown == true { notes.append("shown now") }
        if shownAlone { notes.append("you are visible to this contact only") }
        return notes.joined(separator: "; ")
    }
}

/// Returns an RFC 3339 time as local time, to the minute.
func localTime(_ timestamp: String) -> String {
    guard let date = try? Date(timestamp, strategy: .iso8601) else { return timestamp }
    var seconds = time_t(date.timeIntervalSince1970)
    var parts = unsafe tm()
    _ = unsafe localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let size = buffer.count
    let count = unsafe strftime(&buffer, size, "%Y-%m-%d %H:%M", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Returns a duration in days or hours, if at least two, or else in minutes.
func duration(_ seconds: UInt64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds % 86_400 / 3600, seconds % 3600 / 60)
    if days > 1 { return "\(days) days" }
    if days == 1 || hours > 1 { return "\(days * 24 + hours) h" }
    return "\(hours * 60 + minutes) min"
}
