import FoundationEssentials
import InklingKeys
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The reports of a node about audiences and about who can recognise its user. Times are RFC 3339 in UTC.

/// An audience of the user.
struct AudienceFact: Codable, Hashable, Sendable {
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
struct RecogniserFact: Codable, Hashable, Sendable {
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

/// The changes that a revocation makes, or would make.
struct RevocationFact: Codable, Hashable, Sendable {
    let contact: String
    let id: String
    /// `R1` to `R4`.
    let level: String
    let device: UInt8?
    /// Whether it was done; false for a trial.
    let done: Bool
    /// The times until which the contact can recognise the user without it and after it; null if it cannot.
    let recognisesUsUntil: String?
    let recognisesUsAfterwards: String?
    /// The audiences that start new generations.
    let renewed: [String]
    let holdersOfGrants: Int
    let holdersWhomWeRecognise: Int
    /// Whether the node falls silent and shows other identifiers.
    let changesIdentifiers: Bool

    init(_ revocation: Revocation, of name: String, renewed: [String], isDone: Bool) {
        contact = name
        id = revocation.user.octets.description
        level = revocation.level.rawValue
        device = revocation.device?.number
        done = isDone
        recognisesUsUntil = revocation.recognisesUsUntil.map(timestamp(endOf:))
        recognisesUsAfterwards = revocation.recognisesUsAfterwards.map(timestamp(endOf:))
        self.renewed = renewed
        holdersOfGrants = revocation.holdersOfGrants
        holdersWhomWeRecognise = revocation.holdersWhomWeRecognise
        changesIdentifiers = revocation.changesIdentifiers
    }

    /// Returns the human-readable lines.
    func text(for options: HomeOptions) -> String {
        let who = printable(contact)
        let until = recognisesUsUntil.map { localTime($0) }
        var lines: [String] = []
        switch level {
        case RevocationLevel.block.rawValue:
            lines.append(
                "\(who) \(done ? "is blocked" : "would be blocked"): no session, no answer, no invitation, at once.")
            lines.append(
                until.map { "\(who) can recognise you until \($0); R3 ends that too." }
                    ?? "\(who) cannot recognise you.")
        case RevocationLevel.lapse.rawValue:
            lines.append("\(who)'s grants \(done ? "are no longer" : "would no longer be") renewed.")
            lines.append(
                until.map { "Nothing changes until \($0); after that \(who) is a stranger." }
                    ?? "\(who) holds no grants, and so is a stranger at once.")
        case RevocationLevel.blind.rawValue:
            lines.append(
                "\(who) \(done ? "is blocked at once and can" : "would be blocked at once and could") no longer "
                    + "recognise you.")
        default:
            let lost = "device \(device ?? 0) of \(who)"
            lines.append(
                done
                    ? "From now on, \(lost) gets no answer and can no longer recognise you."
                    : "Then \(lost) would get no answer and could no longer recognise you.")
            lines.append("The other devices of \(who) need new grants, which they get at the next meeting.")
        }
        lines += renewal(for: options)
        return lines.map { $0 + "\n" }.joined()
    }

    private func renewal(for options: HomeOptions) -> [String] {
        guard !renewed.isEmpty else { return [] }
        let names = renewed.map(printable).joined(separator: ", ")
        var lines = ["New generation of: \(names)."]
        if changesIdentifiers {
            lines.append("The node falls silent at once and shows other identifiers after a few seconds.")
        }
        guard holdersOfGrants > 0 else { return lines + ["Nobody else holds a grant of it."] }
        let others = holdersOfGrants - holdersWhomWeRecognise
        lines.append(
            "\(plural(holdersOfGrants, "other contact")) also need a new grant, and recognise nothing until then:")
        if holdersWhomWeRecognise > 0 {
            lines.append(
                "- \(holdersWhomWeRecognise) at the next meeting, because this node recognises and calls them;")
        }
        if others > 0 {
            lines.append(
                "- \(others) on a common network, by Bluetooth with '\(options.hint("visible CONTACT"))', by an invitation, "
                    + "or by '\(options.hint("contacts grant CONTACT"))'.")
        }
        return lines
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
