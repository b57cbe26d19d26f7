import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode

/// `inkling explain`
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say why a contact is, or is not, recognised.",
        discussion: """
            Shows what the contact is expected to show about now, what was seen of it, what came nearest to that, by \
            how much its clock is off, and why it is in its state. Ask the node that runs; without one, only the \
            expected values are known. The values identify the contact's devices: do not publish them.

            Examples:
              $ inkling explain Bob --home ada
              $ inkling explain Bob --home ada --json
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "explain", "contact": .text(contact)]
            for fact in try await NodeRequest(options: options, request: request, place: .vault).answer() {
                write(fact, asJSON: json, otherwise: Self.text)
            }
        }
    }

    private static func text(_ fact: JSONObject) -> String {
        func objects(_ name: String) -> [JSONObject] { (fact[name]?.list ?? []).compactMap(\.object) }
        func word(_ object: JSONObject, _ name: String) -> String { printable(object[name]?.text ?? "") }
        var lines = ["\(word(fact, "contact")) is \(word(fact, "presence")): \(word(fact, "why"))", ""]
        lines.append("expected     from                  until                 device  minor  name")
        for one in objects("expected") {
            lines.append(
                "             \(word(one, "from"))  \(word(one, "until"))  \(padded("\(one["device"]?.integer ?? 0)", to: 8))"
                    + "\(padded("\(one["minor"]?.integer ?? 0)", to: 7))\(word(one, "name"))")
        }
        if objects("expected").isEmpty { lines.append("             nothing: no grant of it reaches until now") }
        for one in objects("seen") {
            let kind = word(one, "kind")
            let value = kind == "minor" ? "\(one["minor"]?.integer ?? 0)" : word(one, kind)
            lines.append(
                "seen         \(kind) \(value) of epoch \(one["epoch"]?.integer ?? 0), device "
                    + "\(one["device"]?.integer ?? 0)\(one["counts"]?.flag == true ? "" : ", not in its window")"
                    + "\(one["contested"]?.flag == true ? ", contested" : "")"
                    + ((one["sharers"]?.integer ?? 1) > 1 ? ", shared by \(one["sharers"]?.integer ?? 0)" : ""))
        }
        if objects("seen").isEmpty { lines.append("seen         nothing of it is there") }
        lines.append("missed       \(word(fact, "missed"))")
        lines.append("clock        \(word(fact, "clock"))")
        lines.append("attempts     \(word(fact, "attempts"))")
        lines.append("radio        \(word(fact, "radio"))")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ContactExplanation {
    /// The explanation as a JSON object.
    func facts(name: String) -> JSONObject {
        [
            "contact": .text(name), "presence": .text(engine.state.word), "why": .text(why),
            "looking": .flag(isLooking),
            "expected": .list(
                expected.map { entry in
                    let window = SkewAllowance.standard.window(of: entry.prediction.epoch)
                    return .object([
                        "epoch": .integer(entry.prediction.epoch.number),
                        "device": .integer(entry.prediction.device.number), "name": .text(entry.name.description),
                        "minor": .integer(entry.minor.value), "from": .text(timestamp(window.lowerBound / 1000)),
                        "until": .text(timestamp(window.upperBound / 1000)),
                    ])
                }),
            "seen": .list(engine.sights.map { .object($0.facts) }), "missed": .text(missed),
            "nearMissEpochs": nearMiss.map { .integer($0.distance) } ?? .null, "clock": .text(clock),
            "clockOffset": clockOffset.map { .fraction($0 / .seconds(1)) } ?? .null, "attempts": .text(attempts),
            "radio": .text(radio), "posterior": .fraction(Double(engine.posterior) / Double(Posterior.one)),
            "prior": .fraction(Double(engine.prior) / Double(Posterior.one)), "strangers": .integer(engine.strangers),
        ]
    }

    /// Why the contact is in its state, in one sentence.
    private var why: String {
        let counting = engine.sights.filter(\.isCounting)
        switch engine.state {
        case .confirmed(let moment):
            let proof = "a handshake proved it \(ago(moment)) ago"
            return engine.hasSession ? "\(proof), and a session is open" : "\(proof), and values of it are still there"
        case .probable:
            return "what is there is expected of it and of no other contact; a handshake has yet to prove it"
        case .candidate:
            if counting.contains(where: \.isContested) {
                return "two addresses show its minor at once: one is a copy, or it is chance"
            }
            if counting.contains(where: { $0.sharers > 1 }) { return "another contact may show the same value" }
            return "a minor of it is there, and among \(engine.strangers) strangers that is too likely chance"
        case .stale(.some(let moment)): return "nothing came of it lately; a handshake proved it \(ago(moment)) ago"
        case .stale(.none): return "what spoke for it has not been seen lately"
        case .gone: return "it was here and has left: nothing came of it for longer than its departure timer"
        case .unseen:
            if !isLooking { return "no node looks for it: inkling run" }
            return expected.isEmpty
                ? "no grant of it reaches until now" : "nothing that it is expected to show was seen"
        }
    }

    private var missed: String {
        if let nearMiss, nearMiss.distance != 0,
            abs(nearMiss.distance) > 1 || engine.sights.allSatisfy({ !$0.isCounting })
        {
            let minutes = abs(nearMiss.distance) * 15
            return "its name of epoch \(nearMiss.epoch.number) is there, \(minutes) minutes "
                + (nearMiss.distance < 0
                    ? "too late: a copy, or a clock that is behind" : "too early: a clock that is ahead")
        }
        guard let outsideWindow = engine.outsideWindow else { return "nothing near a hit" }
        return
            "a value of epoch \(outsideWindow.epoch.number) was seen outside its window, \(ago(outsideWindow.at)) ago"
    }

    private var clock: String {
        guard let clockOffset else { return "nothing is known of its clock since this node started" }
        let seconds = figure(abs(clockOffset / .seconds(1)))
        return
            "at the last handshake it was \(seconds) s \(clockOffset < .zero ? "behind" : "ahead of") ours; 120 s are allowed"
    }

    private var attempts: String {
        if engine.isTrying { return "a handshake is under way" }
        if let planned = engine.planned {
            return planned > now.tick
                ? "the next is due in \(figure(Double(planned.milliseconds(since: now.tick)) / 1000)) s"
                : "the next is due, and waits for a place in the budget or for a second sighting"
        }
        guard let attempted = engine.attempted else { return "none yet" }
        let outcome =
            switch engine.failure {
            case .none: "came to its end"
            case .unreachable: "found no way to the device"
            case .silent: "got no answer"
            case .refused: "was refused by us: the answer or the certificate was not valid"
            case .stranger: "found somebody else"
            }
        return "the one of epoch \(attempted.number) \(outcome); one is allowed in each epoch"
    }

    private var radio: String {
        "prior \(percentage(Double(engine.prior) / Double(Posterior.one))), now "
            + "\(percentage(Double(engine.posterior) / Double(Posterior.one))), with \(engine.strangers - 1) strangers heard"
    }

    private func ago(_ moment: Tick) -> String { "\(figure(Double(now.tick.milliseconds(since: moment)) / 1000)) s" }
}

extension Explanation.Sight {
    fileprivate var facts: JSONObject {
        var facts: JSONObject = [
            "epoch": .integer(prediction.epoch.number), "device": .integer(prediction.device.number),
            "counts": .flag(isCounting), "sharers": .integer(sharers), "addresses": .integer(addresses),
            "contested": .flag(isContested),
        ]
        switch value {
        case .name(let name): (facts["kind"], facts["name"]) = (.text("name"), .text(name.description))
        case .tag(let tag): (facts["kind"], facts["tag"]) = (.text("tag"), .text(tag.description))
        case .minor(let minor): (facts["kind"], facts["minor"]) = (.text("minor"), .integer(minor.value))
        }
        return facts
    }
}
