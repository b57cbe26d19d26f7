import FoundationEssentials
import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingPlatforms

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// What a node says, as JSON facts: the one form in which it reaches people, programs and other processes.

extension ContactSummary {
    /// The contact as a JSON object; nothing in it ever goes on the air.
    var facts: JSONObject {
        [
            "contact": .text(name), "id": .text(user.octets.description), "cardName": .text(cardName),
            "presence": .text(presence.word), "reachable": .flag(isReachable), "met": .flag(hasMet),
            "devices": .list(devices.map { .integer($0.number) }), "recognisedUntil": date(endOf: recognisedUntil),
            "recognisesUsUntil": date(endOf: recognisesUsUntil), "needsReview": .flag(needsReview),
        ]
    }
}

extension NodeStatus {
    /// The status as a JSON object.
    var facts: JSONObject {
        [
            "visible": .flag(showing != nil), "epoch": showing.map { .integer($0.number) } ?? .null,
            "silence": silence.map { .text($0.sentence) } ?? .null, "contacts": .integer(contacts),
            "present": .integer(present), "sessions": .integer(sessions),
            "refusedMessages": .integer(refusedMessages),
            "certifiedUntil": date(endOf: certifiedUntil),
        ]
    }
}

extension NodeEvent.SilenceReason {
    /// Why a node is silent, and what a person can do.
    var sentence: String {
        switch self {
        case .gap: "between two epochs"
        case .clock(.unsupported):
            "nothing vouches for the clock: synchronise it, or run with --trust-clock when you know that it is right"
        case .clock(.behind(let seconds)):
            "the clock is \(seconds) s behind the latest time accepted here: set it, or run inkling recover --clock"
        case .clock(.ahead(let seconds)):
            "the clock is \(seconds) s ahead of the latest time accepted here: set it, or run with --trust-clock"
        case .discovery(.noNetwork): "there is no network interface to use"
        case .discovery(.server(let code)): "multicast DNS does not start (error \(code)); trying again"
        case .links(let error): "no port to listen on: \(error.sentence)"
        case .vault(let error): "the vault cannot be saved: \(error)"
        case .conflict: "somebody else claims this epoch's name; waiting for the next epoch"
        case .asked: "stopped"
        }
    }
}

extension LinkError {
    /// What became of a link, in words.
    var sentence: String {
        switch self {
        case .unreachable(let code): unsafe String(cString: strerror(code))
        case .closed: "it was closed"
        case .timedOut: "nothing answered in time"
        case .oversized(let announced, let limit): "a packet of \(announced) bytes, where \(limit) are allowed"
        }
    }
}

extension NodeEvent {
    /// The event as a JSON object; `name` knows what a contact is called.
    func facts(name: (UserID) -> String) -> JSONObject {
        switch self {
        case .showing(let epoch): return ["event": "visible", "epoch": .integer(epoch.number)]
        case .silent(let reason): return ["event": "silent", "reason": .text(reason.sentence)]
        case .presence(let user, let state):
            return ["event": "presence", "contact": .text(name(user)), "presence": .text(state.word)]
        case .arrived(let user): return ["event": "arrived", "contact": .text(name(user))]
        case .left(let user): return ["event": "left", "contact": .text(name(user))]
        case .planned(let user, let plan):
            let step = plan.steps.first
            return [
                "event": "plan", "contact": .text(name(user)),
                "transport": step.map { .text($0.transport.rawValue) } ?? .null,
                "completes": step.map { .integer($0.completes.wholeMilliseconds) } ?? .null,
                "refused": .list(
                    plan.refusals.map { refusal in
                        .object([
                            "transport": .text(refusal.transport.rawValue), "number": .integer(refusal.reason.number),
                            "reason": .text(refusal.reason.rawValue),
                        ])
                    }),
            ]
        case .confirmed(let user, let milliseconds):
            return [
                "event": "confirmed", "contact": .text(name(user)),
                "milliseconds": milliseconds.map { .integer($0) } ?? .null,
            ]
        case .replaySuspected(let user): return ["event": "replay-suspected", "contact": .text(name(user))]
        case .renewed(let user): return ["event": "renewed", "contact": .text(name(user))]
        case .message(let user, let text):
            return ["event": "message", "contact": .text(name(user)), "text": .text(text)]
        case .trouble(let trouble): return trouble.facts(name: name)
        }
    }
}

extension NodeEvent.Trouble {
    fileprivate func facts(name: (UserID) -> String) -> JSONObject {
        switch self {
        case .notSaved(let error):
            ["event": "trouble", "contact": .null, "what": .text("not saved: \(error)")]
        case .certificateNotRenewed(let error):
            [
                "event": "trouble", "contact": .null,
                "what": .text("the own card could not be renewed: \(error.stage), \(error.reason)"),
            ]
        case .refused(let user, let stage, let reason):
            [
                "event": "trouble", "contact": .text(name(user)),
                "what": .text("refused what the contact sent: \(stage), \(reason)"),
            ]
        }
    }
}

/// The end of an hour as RFC 3339 in UTC, or null without one.
private func date(endOf period: Period?) -> JSON {
    guard let period else { return .null }
    return .text(Date(timeIntervalSince1970: TimeInterval(period.number + 1) * 3600).formatted(.iso8601))
}
