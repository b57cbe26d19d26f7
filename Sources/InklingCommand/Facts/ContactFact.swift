import InklingEngine
import InklingKeys
import InklingNode

/// A contact, as commands show it. Nothing in it ever goes on the air. Times are RFC 3339 in UTC.
struct ContactFact: Codable, Hashable, Sendable {
    let contact: String
    let id: String
    let cardName: String
    let presence: String
    let reachable: Bool
    let met: Bool
    let devices: [UInt8]
    let recognisedUntil: String?
    let recognisesUsUntil: String?
    let needsReview: Bool
    let blocked: Bool
    /// Since when it counts as present; null while it does not, as the next three.
    let since: String?
    /// When something of it was seen or heard last.
    let lastHeard: String?
    /// How it is heard now: `session`, `name`, `tag` and `minor`.
    let by: [String]
    /// When it will have left if nothing more of it is seen.
    let leaves: String?

    /// The facts of a contact; `explanation` is what a running node knows about its presence.
    init(_ contact: ContactSummary, _ explanation: ContactExplanation? = nil) {
        self.contact = contact.name
        id = contact.user.octets.description
        cardName = contact.cardName
        presence = contact.presence.word
        reachable = contact.isReachable
        met = contact.hasMet
        devices = contact.devices.map(\.number)
        recognisedUntil = contact.recognisedUntil.map(timestamp(endOf:))
        recognisesUsUntil = contact.recognisesUsUntil.map(timestamp(endOf:))
        needsReview = contact.needsReview
        blocked = contact.isBlocked
        let presence = explanation.flatMap { PresenceDetail($0) }
        since = presence?.since
        lastHeard = presence?.lastHeard
        by = presence?.ways ?? []
        leaves = presence?.leaves
    }

    /// One line about the contact and its grant.
    func line(for options: HomeOptions) -> String {
        let until = recognisedUntil.map { "recognisable until \($0)" } ?? "no grant from it yet"
        let review = needsReview ? "  (review it: \(options.hint("recover --reviewed \(shellQuoted(contact))")))" : ""
        return head + until + review + "\n"
    }

    /// One line about the contact's presence.
    var presenceLine: String {
        guard let since else { return head.trimmedAtEnd + "\n" }
        let heard = lastHeard.map { ", last heard \($0)" } ?? ""
        let ways = by.isEmpty ? "" : " by \(by.joined(separator: " and "))"
        let leaves = leaves.map { "; leaves \($0) unless heard" } ?? ""
        return "\(head)since \(since)\(heard)\(ways)\(leaves)\n"
    }

    private var head: String { padded(printable(contact), to: 20) + padded(presence, to: 12) }
}

/// Since when, how and for how long a contact is present.
private struct PresenceDetail {
    let since: String
    let lastHeard: String?
    let ways: [String]
    let leaves: String?

    /// Nil for a contact that is not present.
    init?(_ explanation: ContactExplanation) {
        let (engine, now) = (explanation.engine, explanation.now)
        guard let present = engine.presentSince else { return nil }
        let counting = engine.sights.filter(\.isCounting)
        since = now.timestamp(of: present)
        // A name is there until it vanishes.
        let seen = counting.map { $0.last ?? now.tick }
        lastHeard = (seen + [engine.lastHeard].compactMap { $0 }).max().map(now.timestamp(of:))
        leaves = engine.leaves.map(now.timestamp(of:))
        var ways = engine.hasSession ? ["session"] : []
        for way in counting.map(\.value.kind) where !ways.contains(way) { ways.append(way) }
        self.ways = ways
    }
}

extension Explanation.Sight.Value {
    /// What was seen, in one word.
    var kind: String {
        switch self {
        case .name: "name"
        case .tag: "tag"
        case .minor: "minor"
        }
    }
}

extension ClockReading {
    /// The wall-clock time of a tick near this reading, as RFC 3339 in UTC.
    func timestamp(of moment: Tick) -> String {
        let milliseconds =
            moment < tick
            ? unixMilliseconds - min(unixMilliseconds, tick.milliseconds(since: moment) * UInt64(rate))
            : unixMilliseconds + moment.milliseconds(since: tick) * UInt64(rate)
        return InklingCommand.timestamp(milliseconds / 1000)
    }
}

extension String {
    /// The text without white space at its end.
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0.isWhitespace }.reversed()) }
}
