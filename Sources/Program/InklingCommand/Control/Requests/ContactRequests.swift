import InklingAccess
import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

// Contacts: list, name, delay, review, remove and follow them.

extension Request {
    /// Reports every contact.
    struct Contacts: NodeRequest {
        static let name = "contacts", isBrief = true

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            for contact in await served.node.contacts() { await peer.take(await served.fact(contact)) }
        }
    }

    /// Reports one contact.
    struct Contact: NodeRequest {
        static let name = "contact", isBrief = true
        let contact: String

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            await peer.take(await served.fact(try await served.contact(contact)))
        }
    }

    /// Gives a contact a name of the user's own.
    struct Rename: NodeRequest {
        static let name = "rename"
        let contact: String
        let name: String

        func run(on served: ServedNode, for peer: Peer<RenamedFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            try await nodeFailure { () async throws(NodeError) in
                try await served.node.rename(contact.user, to: name)
            }
            await peer.take(RenamedFact(contact: await served.name(of: contact.user) ?? "", was: contact.name))
        }
    }

    /// Sets delays of a contact in seconds; a nil delay is kept or, with `isReset`, set to the default.
    struct Delay: NodeRequest {
        static let name = "delay", omitted: Set = ["default"]
        let contact: String
        let arrive, leave, goodbye: UInt32?
        var isReset: Bool?

        private enum CodingKeys: String, CodingKey {
            case contact, arrive, leave, goodbye
            case isReset = "default"
        }

        func check() throws(JSONShapeError) {
            for (member, seconds, range) in [
                (CodingKeys.arrive, arrive, ContactDelays.arrivals), (.leave, leave, ContactDelays.departures),
                (.goodbye, goodbye, ContactDelays.departures),
            ] {
                guard let seconds, !range.contains(seconds) else { continue }
                throw JSONShapeError(
                    path: [member.rawValue], what: "must be \(range.lowerBound) to \(range.upperBound)")
            }
        }

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            var delays = isReset == true ? ContactDelays() : contact.chosenDelays
            if let arrive { delays.arrive = .seconds(arrive) }
            if let leave { delays.leave = .seconds(leave) }
            if let goodbye { delays.goodbye = .seconds(goodbye) }
            let chosen = delays
            if chosen != contact.chosenDelays {
                try await nodeFailure { () async throws(NodeError) in
                    try await served.node.setDelays(chosen, of: contact.user)
                }
            }
            await served.report(contact.user, to: peer.take)
        }
    }

    /// Keeps a contact that the user has reviewed after a restore.
    struct Reviewed: NodeRequest {
        static let name = "reviewed"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            let user = try await served.contact(contact).user
            let kept = try await nodeFailure { () async throws(NodeError) in
                try await served.node.markReviewed(user)
            }
            await peer.take(await served.fact(kept))
        }
    }

    /// Removes a contact.
    struct Remove: NodeRequest {
        static let name = "remove"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<RemovedFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            let removal = try await nodeFailure { () async throws(NodeError) in
                try await served.node.remove(contact.user)
            }
            await peer.take(
                RemovedFact(contact.name, removal, audiences: await served.names(of: removal.audiences)))
        }
    }

    /// Reports every contact, and then each contact again when its presence changes, until the node or the peer ends.
    struct Presence: NodeRequest {
        static let name = "presence"

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            // Subscribe before reading the contacts, so that no change is missed.
            let events = served.node.eventsWithoutTexts()
            for contact in await served.node.contacts() { await peer.take(await served.fact(contact)) }
            for await case .presence(let user, _) in events { await served.report(user, to: peer.take) }
        }
    }
}

/// A contact that was renamed.
struct RenamedFact: NodeFact, Hashable {
    static let kind = "renamed"

    let contact: String
    let was: String

    /// The human-readable line.
    var line: String { "\(printable(was)) is now called \(printable(contact)).\n" }
}

/// A contact that was removed.
struct RemovedFact: NodeFact, Hashable {
    static let kind = "removed"

    let removed: String
    /// The time until which the contact can recognise this node unless the audiences are renewed; null if no grant has
    /// left.
    let recognisesUsUntil: String?
    /// The audiences by which it can do so.
    let audiences: [String]
    /// The numbers of other contacts that need a new grant if these audiences are renewed, and of those among them that
    /// get it at the next meeting because this node recognises them.
    let holdersOfGrants: Int
    let holdersWhomWeRecognise: Int

    init(_ name: String, _ removal: Removal, audiences: [String]) {
        removed = name
        self.audiences = audiences
        recognisesUsUntil = removal.recognisesUsUntil.map(timestamp(endOf:))
        holdersOfGrants = removal.holdersOfGrants
        holdersWhomWeRecognise = removal.holdersWhomWeRecognise
    }

    /// Returns the human-readable lines, with the cost of ending the recognition now.
    func text(for options: HomeOptions) -> String {
        let removed = "\(printable(removed)) is no longer a contact.\n"
        guard let recognisesUsUntil else { return removed }
        let others = holdersOfGrants - holdersWhomWeRecognise
        let price =
            holdersOfGrants == 0
            ? "No other contact holds a grant."
            : "\(plural(holdersOfGrants, "other contact")) then need a new grant: \(holdersWhomWeRecognise) at the next "
                + "meeting, \(others) on a common network, by an invitation or a sealed grant."
        return removed + "It can recognise you until \(recognisesUsUntil). To end that now: "
            + "\(options.hint(renewal))\n\(price)\n"
    }

    /// The command that ends the recognition now.
    private var renewal: String {
        "contacts renew" + audiences.map { " --audience \(shellQuoted($0))" }.joined()
    }
}

/// A contact, as commands show it. None of this is ever sent to a peer. Times are RFC 3339 in UTC.
struct ContactFact: NodeFact, Hashable {
    static let kind = "contact"

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

/// The delays of a contact's arrival and departure, in whole seconds.
struct DelaysFact: Codable, Hashable, Sendable {
    /// The presence after which an arrival is reported.
    let arrive: UInt32
    /// The silence after which the contact counts as left.
    let leave: UInt32
    /// The time from a goodbye until the contact counts as left.
    let goodbye: UInt32
    /// The delays that the user has chosen for this contact: `arrive`, `leave`, `goodbye`.
    let chosen: [String]

    /// Creates the facts of the delays of a contact.
    init(_ contact: ContactSummary) {
        func seconds(_ delay: Duration?) -> UInt32 { UInt32(clamping: (delay ?? .zero).components.seconds) }
        let (delays, own) = (contact.delays, contact.chosenDelays)
        arrive = seconds(delays.arrive)
        leave = seconds(delays.leave)
        goodbye = seconds(delays.goodbye)
        chosen = [("arrive", own.arrive), ("leave", own.leave), ("goodbye", own.goodbye)].compactMap { name, delay in
            delay == nil ? nil : name
        }
    }

    /// The delays in words, to follow the name of the contact.
    var sentence: String {
        let arrival = arrive == 0 ? "arrives at once" : "arrives after \(Self.words(arrive))"
        let leaving = "leaves after \(Self.words(leave)) of silence, or \(Self.words(goodbye)) after a goodbye"
        return "\(arrival); \(leaving)" + (chosen.isEmpty ? " (the default)" : "")
    }

    private static func words(_ seconds: UInt32) -> String {
        switch seconds {
        case let whole where whole >= 3600 && whole % 3600 == 0: "\(whole / 3600) h"
        case let whole where whole >= 60 && whole % 60 == 0: "\(whole / 60) min"
        default: "\(seconds) s"
        }
    }
}
