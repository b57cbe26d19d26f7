import InklingEngine
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

/// A contact, as commands show it. None of this is ever sent to a peer. Times are RFC 3339 in UTC.
struct ContactFact: Codable, Hashable, Sendable {
    let contact: String
    let id: String
    let cardName: String
    let presence: String
    let reachable: Bool
    /// The link technologies over which a session is open.
    let reachableOver: [LinkTechnologyID]
    let met: Bool
    let devices: [UInt8]
    let recognisedUntil: String?
    let recognisesUsUntil: String?
    /// `waiting`, `half-finished` or `complete`.
    let standing: String
    let needsReview: Bool
    /// The time of the backup from which the contact comes; null unless it must be reviewed.
    let restoredFrom: String?
    let blocked: Bool
    /// The delays of arrival and departure.
    let delays: DelaysFact
    /// The start of the contact's presence; null while it is absent. Then `lastHeard` and `leaves` are null too, and
    /// `by` is empty.
    let since: String?
    /// The time at which the contact was last seen or heard.
    let lastHeard: String?
    /// The evidence for its presence: `session`, `name`, `tag`, `minor`.
    let by: [String]
    /// The time at which it will count as left if it is not seen again.
    let leaves: String?
    /// The room in which antennas hear it best; null if it is not near, or no antenna has a room.
    let room: String?

    /// Creates the facts of a contact; `explanation` is what a running node knows about its presence.
    init(_ contact: ContactSummary, _ explanation: ContactExplanation? = nil) {
        self.contact = contact.name
        id = contact.user.octets.description
        cardName = contact.cardName
        presence = contact.presence.word
        reachable = contact.isReachable
        reachableOver = LinkTechnologyID.allCases.filter(contact.reachableOver.contains)
        met = contact.hasMet
        devices = contact.devices.map(\.number)
        recognisedUntil = contact.recognisedUntil.map(timestamp(endOf:))
        recognisesUsUntil = contact.recognisesUsUntil.map(timestamp(endOf:))
        standing = contact.standing.rawValue
        needsReview = contact.needsReview
        restoredFrom = contact.restoredFrom.map { timestamp($0) }
        blocked = contact.isBlocked
        delays = DelaysFact(contact)
        let presence = explanation.flatMap { PresenceDetail($0) }
        since = presence?.since
        lastHeard = presence?.lastHeard
        by = presence?.ways ?? []
        leaves = presence?.leaves
        room = explanation?.room
    }

    /// Returns a human-readable line about the contact and its grant.
    func line(for options: HomeOptions) -> String {
        let until = recognisedUntil.map { "recognisable until \($0)" } ?? "no grant from this contact yet"
        let backup = restoredFrom.map { "as of \($0), " } ?? ""
        let review =
            needsReview
            ? "  (\(backup)review it: \(options.hint("recover --reviewed \(shellQuoted(contact))")))" : ""
        return head + until + standingNote + (blocked ? "; blocked" : "") + review + "\n"
    }

    /// A note on what the contact lacks to be complete, and until when it can recognise this node.
    private var standingNote: String {
        let canRecognise = recognisesUsUntil.map { "; can recognise you until \($0)" }
        return switch standing {
        case Standing.waiting.rawValue: "; has not accepted yet" + (canRecognise ?? "")
        case Standing.halfFinished.rawValue: "; half-finished" + (canRecognise ?? "")
        default: recognisedUntil == nil ? canRecognise ?? "" : ""
        }
    }

    /// Returns the text for the user at the end of a first contact.
    func firstContactText(for options: HomeOptions) -> String {
        let title =
            switch standing {
            case Standing.waiting.rawValue:
                "You have accepted; the other side has not said that it has. Meet again with a new invitation:\n"
            case Standing.halfFinished.rawValue: "You have both accepted. The next meeting completes the exchange:\n"
            default: "You are contacts now:\n"
            }
        return title + line(for: options)
    }

    /// The human-readable line about the contact's presence.
    var presenceLine: String {
        let place = room.map { "in \(printable($0)), " } ?? ""
        guard let since else {
            return (head + (room.map { "in \(printable($0)), not confirmed" } ?? "")).trimmedAtEnd + "\n"
        }
        let heard = lastHeard.map { ", last heard \($0)" } ?? ""
        let ways = by.isEmpty ? "" : " by \(by.joined(separator: " and "))"
        let leaves = leaves.map { "; leaves \($0) unless heard" } ?? ""
        return "\(head)\(place)since \(since)\(heard)\(ways)\(leaves)\n"
    }

    private var head: String { padded(printable(contact), to: 20) + padded(presence, to: 12) }
}

/// The evidence and the times of a contact's presence. Times are RFC 3339 in UTC.
private struct PresenceDetail {
    let since: String
    let lastHeard: String?
    let ways: [String]
    let leaves: String?

    /// Creates the details; nil for a contact that is not present.
    init?(_ explanation: ContactExplanation) {
        let (engine, now) = (explanation.engine, explanation.now)
        guard let present = engine.presentSince else { return nil }
        let counting = engine.sights.filter(\.isCounting)
        since = now.timestamp(of: present)
        // A name counts as seen until it vanishes.
        let seen = counting.map { $0.last ?? now.tick }
        lastHeard = (seen + [engine.lastHeard].compactMap { $0 }).max().map(now.timestamp(of:))
        leaves = engine.leaves.map(now.timestamp(of:))
        var ways = engine.hasSession ? ["session"] : []
        for way in counting.map(\.value.kind) where !ways.contains(way) { ways.append(way) }
        self.ways = ways
    }
}

extension Explanation.Sight.Value {
    /// The kind of the value: `name`, `tag` or `minor`.
    var kind: String {
        switch self {
        case .name: "name"
        case .tag: "tag"
        case .minor: "minor"
        }
    }
}

extension ClockReading {
    /// Returns the wall-clock time of a tick, as RFC 3339 in UTC; exact while the clock keeps its rate.
    func timestamp(of moment: Tick) -> String {
        let milliseconds =
            moment < tick
            ? unixMilliseconds - min(unixMilliseconds, tick.milliseconds(since: moment) * UInt64(rate))
            : unixMilliseconds + moment.milliseconds(since: tick) * UInt64(rate)
        return InklingTerminal.timestamp(milliseconds / 1000)
    }
}

extension String {
    /// The text without trailing white space.
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0.isWhitespace }.reversed()) }
}
