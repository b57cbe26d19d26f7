import InklingAccess
import InklingEngine
import InklingKeys
import InklingNode
import InklingTerminal

extension Request {
    /// Reports why a contact is, or is not, recognised.
    struct Explain: NodeRequest {
        static let name = "explain"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<ExplanationFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            let explanation = try await nodeFailure { () async throws(NodeError) in
                try await served.node.explain(contact.user)
            }
            await peer.take(
                ExplanationFact(explanation, of: contact, to: await served.fact(explanation.visibility)))
        }
    }
}

/// The reasons why a contact is, or is not, recognised. Times are RFC 3339 in UTC.
struct ExplanationFact: NodeFact, Hashable {
    static let kind = "explanation"

    /// The values that a device of the contact is expected to show in one epoch, and the window in which they count.
    struct Expected: Codable, Hashable, Sendable {
        let epoch: UInt32
        let device: UInt8
        /// The audience of the values.
        let audience: AudienceKind
        let name: String
        let minor: UInt16
        let from: String
        let until: String
    }

    /// The audience that a value is for.
    enum AudienceKind: String, Codable {
        /// Everyone who holds a grant of an audience of the contact.
        case granted
        /// This user alone.
        case pair

        init(_ audience: HeldAudience) { self = audience == .pair ? .pair : .granted }

        fileprivate var suffix: String { self == .pair ? ", for you alone" : "" }
    }

    /// A value of the contact that is shown now, or was shown recently.
    struct Seen: Codable, Hashable, Sendable {
        let epoch: UInt32
        let device: UInt8
        /// The audience of the value.
        let audience: AudienceKind
        /// Whether it is within its window now.
        let counts: Bool
        /// The number of contacts that may show it.
        let sharers: Int
        /// The number of addresses that showed it, and whether two showed it at the same time.
        let addresses: Int
        let contested: Bool
        /// `name`, `tag` or `minor`: the one of the next three that has a value.
        let kind: String
        let name: String?
        let tag: String?
        let minor: UInt16?
    }

    let contact: String
    let id: String
    let presence: String
    let why: String
    /// Whether a node looks for the contact now.
    let looking: Bool
    /// The visibility of this node.
    let visibility: VisibilityFact
    let expected: [Expected]
    let seen: [Seen]
    let missed: String
    let nearMissEpochs: Int?
    let clock: String
    /// The seconds by which the contact's clock was ahead at the last handshake; negative when it was behind.
    let clockOffset: Double?
    let attempts: String
    /// The link technologies over which a session is open.
    let reachableOver: [LinkTechnologyID]
    let radio: String
    /// Probabilities, 0 to 1.
    let posterior: Double
    let prior: Double
    /// The number of strangers that were heard by radio in this epoch or the previous one.
    let strangers: UInt64
    /// The delays of arrival and departure.
    let delays: DelaysFact
    /// The room in which antennas hear it best; null if it is not near, or no antenna has a room.
    let room: String?
    /// The rooms in which it is heard, the strongest first.
    let rooms: [Room]

    /// The reception of a contact in a room.
    struct Room: Codable, Hashable, Sendable {
        let room: String
        /// The smoothed power in dBm.
        let power: Double
        /// The seconds since it was last heard there.
        let silentFor: Double
    }
}

extension ExplanationFact {
    /// Creates the facts of an explanation of this contact.
    init(_ explanation: ContactExplanation, of contact: ContactSummary, to audience: VisibilityFact) {
        let engine = explanation.engine
        self.contact = contact.name
        id = contact.user.octets.description
        presence = engine.state.word
        why = explanation.why
        looking = explanation.isLooking
        visibility = audience
        expected = explanation.expected.map { Expected($0) }
        seen = engine.sights.map { Seen($0) }
        missed = explanation.missed
        nearMissEpochs = explanation.nearMiss?.distance
        clock = explanation.clock
        clockOffset = explanation.clockOffset.map { $0 / .seconds(1) }
        attempts = explanation.attempts
        reachableOver = LinkTechnologyID.allCases.filter(contact.reachableOver.contains)
        posterior = Double(engine.posterior) / Double(Posterior.one)
        prior = Double(engine.prior) / Double(Posterior.one)
        strangers = explanation.strangers
        delays = DelaysFact(contact)
        room = explanation.room
        rooms = explanation.rooms.map { room, level in
            Room(
                room: room, power: (level.power * 10).rounded() / 10,
                silentFor: level.last.duration(to: explanation.now.tick) / .seconds(1))
        }.sorted { ($0.power, $1.room) > ($1.power, $0.room) }
        radio = "prior \(percentage(prior)), now \(percentage(posterior)), with \(plural(strangers, "stranger")) heard"
    }

    /// Returns the human-readable lines.
    func text(for options: HomeOptions) -> String {
        let hint = looking ? "" : " (\(options.hint("run")))"
        var lines = ["\(printable(contact)) is \(presence): \(why)\(hint)", ""]
        lines.append("expected     from                  until                 device  minor  name")
        for one in expected {
            lines.append(
                "             \(one.from)  \(one.until)  \(padded("\(one.device)", to: 8))\(padded("\(one.minor)", to: 7))"
                    + one.name + one.audience.suffix)
        }
        if expected.isEmpty { lines.append("             nothing: it has granted no keys for this time") }
        lines += seen.map { "seen         \($0.text)" }
        if seen.isEmpty { lines.append("seen         nothing") }
        lines.append("missed       \(missed)")
        lines.append("shown        \(visibility.sentence)")
        lines.append("clock        \(clock)")
        lines.append("attempts     \(attempts)")
        if !reachableOver.isEmpty {
            lines.append("session      over \(reachableOver.map(\.rawValue).joined(separator: " and "))")
        }
        lines.append("radio        \(radio)")
        if !rooms.isEmpty {
            let heard = rooms.map { "\(printable($0.room)) at \($0.power) dBm" }.joined(separator: ", ")
            lines.append("rooms        \(room.map { "in \(printable($0))" } ?? "not known"); heard in \(heard)")
        }
        lines.append("delays       \(delays.sentence)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ExplanationFact.Expected {
    fileprivate init(_ entry: Forecast.Entry) {
        let window = SkewAllowance.standard.window(of: entry.prediction.epoch)
        self.init(
            epoch: entry.prediction.epoch.number, device: entry.prediction.device.number,
            audience: ExplanationFact.AudienceKind(entry.prediction.audience), name: entry.name.description,
            minor: entry.minor.value, from: timestamp(window.lowerBound / 1000),
            until: timestamp(window.upperBound / 1000))
    }
}

extension ExplanationFact.Seen {
    fileprivate init(_ sight: Explanation.Sight) {
        var (name, tag, minor): (String?, String?, UInt16?) = (nil, nil, nil)
        switch sight.value {
        case .name(let value): name = value.description
        case .tag(let value): tag = value.description
        case .minor(let value): minor = value.value
        }
        self.init(
            epoch: sight.prediction.epoch.number, device: sight.prediction.device.number,
            audience: ExplanationFact.AudienceKind(sight.prediction.audience), counts: sight.isCounting,
            sharers: sight.sharers, addresses: sight.addresses, contested: sight.isContested, kind: sight.value.kind,
            name: name, tag: tag, minor: minor)
    }

    fileprivate var text: String {
        let value = name ?? tag ?? minor.map { "\($0)" } ?? ""
        return "\(kind) \(value) for \(timestamp(UInt64(epoch) * Epoch.seconds)), device \(device)"
            + (counts ? "" : ", outside its window") + (contested ? ", contested" : "")
            + (sharers > 1 ? ", shared by \(sharers) contacts" : "") + audience.suffix
    }
}

extension ContactExplanation {
    /// The number of strangers heard. The engine counts one more, to be cautious.
    fileprivate var strangers: UInt64 { max(engine.strangers, 1) - 1 }

    /// The reason for the contact's state, in one sentence.
    fileprivate var why: String {
        let counting = engine.sights.filter(\.isCounting)
        switch engine.state {
        case .confirmed(let moment):
            let proof = "a handshake proved it \(ago(moment)) ago"
            if engine.hasSession { return "\(proof), and a session is open" }
            if let said = engine.goodbye { return "\(proof), and it said goodbye \(ago(said)) ago" }
            if !counting.isEmpty { return "\(proof), and it is still seen" }
            return engine.sights.isEmpty
                ? "\(proof), and nothing of it was seen since" : "\(proof), and nothing that counts was seen since"
        case .probable: return "no other contact is expected to show what is seen; no handshake has proved it yet"
        case .candidate:
            if counting.contains(where: \.isContested) {
                return "two addresses show its minor at once: one may be a copy or a coincidence"
            }
            if counting.contains(where: { $0.sharers > 1 }) { return "another contact may show the same value" }
            return "one of its minors is seen, which is likely to be chance with \(plural(strangers, "stranger")) near"
        case .stale(.some(let moment)):
            if let said = engine.goodbye { return "it said goodbye \(ago(said)) ago" }
            return "not seen lately; a handshake proved it \(ago(moment)) ago"
        case .stale(.none): return "not seen lately, and no handshake has proved it"
        case .gone:
            if let said = engine.goodbye { return "it said goodbye \(ago(said)) ago, and has not come back" }
            return "not seen for longer than the departure timer"
        case .unseen:
            if !isLooking { return "no node runs to look for it" }
            return expected.isEmpty
                ? "it has granted no keys for this time" : "nothing that it is expected to show was seen"
        }
    }

    fileprivate var missed: String {
        if let nearMiss, nearMiss.distance != 0,
            abs(nearMiss.distance) > 1 || engine.sights.allSatisfy({ !$0.isCounting })
        {
            let minutes = abs(nearMiss.distance) * 15
            return "its name for \(timestamp(nearMiss.epoch.start)) is shown, \(minutes) minutes "
                + (nearMiss.distance < 0
                    ? "too late: it is a copy, or a clock is behind" : "too early: a clock is ahead")
        }
        guard let miss = engine.outsideWindow else { return "nothing" }
        return "a value for \(timestamp(miss.epoch.start)) was seen outside its window, \(ago(miss.at)) ago"
    }

    fileprivate var clock: String {
        guard let clockOffset else { return "unknown until the next handshake" }
        let seconds = figure(abs(clockOffset / .seconds(1)))
        let direction = clockOffset < .zero ? "behind" : "ahead of"
        return
            "at the last handshake it was \(seconds) s \(direction) ours; \(SkewAllowance.standard.seconds) s are allowed"
    }

    fileprivate var attempts: String {
        if engine.isTrying { return "a handshake is under way" }
        if let planned = engine.planned {
            return planned > now.tick
                ? "the next is due in \(figure(Double(planned.milliseconds(since: now.tick)) / 1000)) s"
                : "the next is due; it waits for the budget or for a second sighting"
        }
        guard let attempted = engine.attempted else { return "none yet" }
        let outcome =
            switch engine.failure {
            case .none: "succeeded"
            case .reset: "failed: the connection was reset"
            case .unreachable: "failed: the device could not be reached"
            case .silent: "failed: no answer"
            case .refused: "failed: the answer or the certificate was invalid"
            case .stranger: "failed: it was a stranger's device"
            }
        return "the one for \(timestamp(attempted.start)) \(outcome); one is allowed for each epoch"
    }

    private func ago(_ moment: Tick) -> String { "\(figure(Double(now.tick.milliseconds(since: moment)) / 1000)) s" }
}
