import ArgumentParser
import InklingEngine
import InklingJSON
import InklingPlatforms

/// `inkling transport plan`
struct PlanTransport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Rank the transports for a situation, and say why the others are not used.",
        discussion: """
            The plan follows from the facts about both platforms (inkling transport profiles) and from \
            Specs/transport-policy.md; nothing is tried. A peer that is not described counts as a phone in the \
            background of which little is known. \(AppDescription.form)

            Exit code 1 when there is no step and the plan is to wait.

            Examples:
              $ inkling transport plan --own ios-18.1,background --peer ios-17.4 --purpose passive --why
              $ inkling transport plan --own linux --peer android --relation confirmed --purpose bulk \
            --payload 10000000 --same-network
            """)

    @Option(help: "Who we are. Default: a Linux node.") var own: AppDescription?
    @Option(help: "Who the peer is.") var peer: AppDescription?
    @Option(help: "What we are to each other: stranger, invited, contact, confirmed.")
    var relation = TransportRelation.contact
    @Option(help: "What for: passive, first-contact, recognise, message, bulk.") var purpose = TransportPurpose
        .recognise
    @Option(help: "How many bytes are to be sent.") var payload: UInt64 = 0
    @Option(help: "After how many milliseconds it is too late.") var deadline: UInt64?
    @Flag(help: "We hear the peer now.") var heard = false
    @Flag(help: "Both are on one network.") var sameNetwork = false
    @Flag(help: "They are paired for Wi-Fi Aware.") var paired = false
    @Option(help: "Over what they are connected; can be repeated.") var linked: [TransportOption] = []
    @Option(help: "What failed lately: TRANSPORT:TIMES:SECONDS-AGO; can be repeated.") var failed: [FailedTransport] =
        []
    @Flag(help: "Name the facts, with their sources, and every refusal.") var why = false
    @Flag(help: "Print a JSON object for each step, each refusal, and what to wait for.") var json = false

    func validate() throws {
        if payload > 1 << 40 { throw ValidationError("--payload must be 0 to \(1 << 40), got \(payload)") }
        if let deadline, deadline > 1 << 40 {
            throw ValidationError("--deadline must be 0 to \(1 << 40), got \(deadline)")
        }
    }

    func run() async throws {
        try reporting {
            var situation = TransportSituation(
                own: own?.app ?? AppDescription.linuxNode, peer: peer?.app, relation: relation, purpose: purpose)
            situation.payload = payload
            situation.deadline = deadline
            situation.isHeard = heard
            situation.isOnSameNetwork = sameNetwork
            situation.isPaired = paired
            situation.linked = Set(linked)
            for one in failed { situation.failures[one.transport] = one.failures }
            let plan = TransportPolicy().plan(for: situation)
            for remark in [("own", situation.own), ("peer", situation.peer)].compactMap({ name, app in
                app.platform.coverageRemark.map { "\(name): \($0)" }
            }) where !json { write("\(remark)\n") }
            report(plan)
            if plan.steps.isEmpty { throw ExitCode(1) }
        }
    }

    private func report(_ plan: TransportPlan) {
        if !plan.steps.isEmpty, !json { write("   transport       who    begins    done in   energy      exposure\n") }
        for (place, step) in plan.steps.enumerated() {
            write(step.facts(withSources: why), asJSON: json) { _ in
                padded("\(place + 1)", to: 3) + padded(step.transport.rawValue, to: 16)
                    + padded(step.direction.rawValue, to: 7) + padded(seconds(step.begins), to: 10)
                    + padded(seconds(step.completes), to: 10)
                    + padded("\(figure(Double(step.energy) / 1000)) J", to: 12) + "\(step.exposure)\n"
                    + (why ? step.reasons : "")
            }
        }
        if let wait = plan.wait {
            let facts: JSONObject = [
                "wait": .text(wait.transport.rawValue), "number": .integer(wait.reason.number),
                "reason": .text(wait.reason.rawValue),
            ]
            write(facts, asJSON: json) { _ in
                "wait: nothing can be used now; nearest is \(wait.transport.rawValue): \(wait.reason.sentence)\n"
            }
        }
        guard why || json else { return }
        if !json { write("\nnot used        number  because\n") }
        for refusal in plan.refusals {
            let facts: JSONObject = [
                "refused": .text(refusal.transport.rawValue), "number": .integer(refusal.reason.number),
                "reason": .text(refusal.reason.rawValue), "facts": .list(refusal.facts.map { .object($0.json) }),
            ]
            write(facts, asJSON: json) { _ in
                padded(refusal.transport.rawValue, to: 16) + padded("\(refusal.reason.number)", to: 8)
                    + refusal.reason.sentence + "\n"
                    + refusal.facts.map { "                        \($0.line)\n" }.joined()
            }
        }
    }
}

/// A transport that failed lately, as it is written on the command line.
struct FailedTransport: ExpressibleByArgument {
    let transport: TransportOption
    let failures: TransportSituation.Failures

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let transport = TransportOption(rawValue: String(parts[0])),
            let count = UInt8(parts[1]),
            count > 0, let ago = UInt32(parts[2])
        else { return nil }
        self.transport = transport
        failures = TransportSituation.Failures(count: count, ago: UInt64(ago) * 1000)
    }
}

extension TransportPlan.Step {
    fileprivate func facts(withSources: Bool) -> JSONObject {
        var members: JSONObject = [
            "transport": .text(transport.rawValue), "direction": .text(direction.rawValue), "begins": .integer(begins),
            "completes": .integer(completes), "energy": .integer(energy), "exposure": .integer(exposure),
            "cost": .integer(cost), "lasts": lasts.map { .integer($0) } ?? .null,
        ]
        if withSources { members["facts"] = .list(facts.map { .object($0.json) }) }
        return members
    }

    /// What it rests on, a line each.
    fileprivate var reasons: String {
        facts.map { "     \($0.line)\n" }.joined()
            + (lasts.map { "     the system stops reporting after \(seconds($0))\n" } ?? "")
    }
}

extension TransportRefusal {
    /// The reason in words.
    var sentence: String {
        switch self {
        case .retired: "deprecated, and reaches about 2 m since iOS 18"
        case .thirdParty: "needs the internet and somebody else's server"
        case .purpose: "not for this purpose"
        case .relation: "not between these two"
        case .unconfirmed: "only after a handshake has confirmed the contact"
        case .ownPlatform: "our platform does not have it"
        case .ownState: "not in the state that our app is in"
        case .ownPermission: "something is not allowed, not declared or switched off here"
        case .peerPlatform: "the peer's platform does not have it"
        case .peerState: "not in the state that the peer's app is in"
        case .peerPermission: "something is not allowed, not declared or switched off there"
        case .noNetwork: "they are not on one network"
        case .unpaired: "they are not paired for Wi-Fi Aware"
        case .tooLarge: "the payload is too large for it"
        case .failedLately: "it failed a moment ago"
        case .deadline: "it would take longer than there is time"
        }
    }
}

extension ProfileFact {
    /// The fact and its source in a line.
    var line: String { "\(id): \(value) (\(source.document.rawValue), \(source.place); \(confidence.rawValue))" }

    var json: JSONObject {
        [
            "fact": .text(id), "rows": names(rows), "states": names(states), "needs": names(needs),
            "subject": .text(subject.rawValue), "value": .text(value.description),
            "document": .text(source.document.rawValue), "place": .text(source.place),
            "confidence": .text(confidence.rawValue),
        ]
    }
}

/// The names of a set, in the order in which the specification lists them.
private func names<Choice: RawRepresentable<String> & CaseIterable & Hashable>(_ set: Set<Choice>) -> JSON {
    .list(Choice.allCases.filter(set.contains).map { .text($0.rawValue) })
}

/// Milliseconds in words.
func seconds(_ milliseconds: UInt64) -> String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\(figure(Double(milliseconds) / 1000, digits: 3)) s"
}
