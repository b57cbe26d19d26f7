import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingPlatforms
import InklingTerminal

/// `inkling-kit transport plan`
struct PlanTransport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Rank the transports for a situation, and explain why the others are not used.",
        discussion: """
            The plan follows from the facts about both platforms (inkling-kit transport profiles), from the transports that \
            both programs implement, and from Specs/transport-policy.md; no connection is tried. Without --peer, the \
            plan assumes a phone with iOS 10 in the background. \(AppDescription.form)

            Without --own-transports, a Linux node has the transports of this program, and a phone has every transport \
            that its platform allows. Without --peer-transports, the peer has every transport that its platform allows. Transports: beacon, ble, gatt, network, awdl, aware-bulk, aware-realtime, wifi-direct, exchange, \
            multipeer, relay.

            Exits with 1 when the plan has no step and is to wait.

            Examples:
              $ inkling-kit transport plan --own ios-18.1,background --peer ios-17.4 --purpose passive --why
              $ inkling-kit transport plan --own linux --peer android --relation confirmed --purpose bulk \
            --payload 10000000 --same-network
              $ inkling-kit transport plan --peer linux --own-transports network,gatt --why
            """)

    @Option(help: "Describe our app. Default: this program on Linux.") var own: AppDescription?
    @Option(help: "Describe the app of the peer.") var peer: AppDescription?
    @Option(help: "List the transports of our program, separated by commas, or all.") var ownTransports: TransportList?
    @Option(help: "List the transports of the peer's program, separated by commas, or all.")
    var peerTransports: TransportList?
    @Option(help: "Set the relation of the two users: stranger, invited, contact, confirmed.")
    var relation = TransportRelation.contact
    @Option(help: "Set the purpose: passive, first-contact, recognise, message, bulk.") var purpose = TransportPurpose
        .recognise
    @Option(help: "Plan for this number of bytes.") var payload: UInt64 = 0
    @Option(help: "Plan for completion within this number of milliseconds.") var deadline: UInt64?
    @Flag(help: "Assume that the peer is heard now.") var heard = false
    @Flag(help: "Assume that both devices are on one network.") var sameNetwork = false
    @Flag(help: "Assume that both devices are paired for Wi-Fi Aware.") var paired = false
    @Option(help: "Assume that both are connected over this transport; can be repeated.") var linked:
        [TransportOption] = []
    @Option(help: "Assume a recent failure, TRANSPORT:TIMES:SECONDS-AGO; can be repeated.") var failed:
        [FailedTransport] =
            []
    @Flag(help: "Print the facts with their sources, and every refusal.") var why = false
    @Flag(help: "Print a JSON object for each step, for each refusal, and for the transport to wait for.") var json =
        false

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
            situation.deadline = deadline.map { .milliseconds($0) }
            situation.isHeard = heard
            situation.isOnSameNetwork = sameNetwork
            situation.isPaired = paired
            situation.linked = Set(linked)
            situation.ownTransports = transports(of: situation.own)
            situation.peerTransports = peerTransports?.transports
            for one in failed { situation.failures[one.transport] = one.failures }
            let plan = TransportPolicy().plan(for: situation)
            for remark in [("own", situation.own), ("peer", situation.peer)].compactMap({ name, app in
                app.platform.coverageRemark.map { "\(name): \($0)" }
            }) where !json { write("\(remark)\n") }
            report(plan, for: situation)
            if plan.steps.isEmpty { throw ExitCode(1) }
        }
    }

    private func transports(of own: AppCircumstances) -> Set<TransportOption>? {
        if let ownTransports { return ownTransports.transports }
        // The transports of this program say nothing about an app on a phone.
        return own.platform.family == .linux ? TransportList.ofInkling : nil
    }

    private func report(_ plan: TransportPlan, for situation: TransportSituation) {
        if !plan.steps.isEmpty, !json {
            write("   transport            who    begins    done in   energy      exposure\n")
        }
        for (place, step) in plan.steps.enumerated() {
            write(step.facts(withSources: why), asJSON: json) { _ in
                padded("\(place + 1)", to: 3) + padded(step.name, to: 21)
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
                "wait: no transport can be used now; the closest is \(wait.transport.rawValue): \(wait.sentence(in: situation))\n"
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
                    + refusal.sentence(in: situation) + "\n"
                    + refusal.facts.map { "                        \($0.line)\n" }.joined()
            }
        }
    }
}

/// A recent failure of a transport on the command line: `gatt:2:30` for two failures, the last one 30 s ago.
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
        failures = TransportSituation.Failures(count: count, ago: .seconds(ago))
    }
}

extension TransportPlan.Step {
    fileprivate func facts(withSources: Bool) -> JSONObject {
        var members: JSONObject = [
            "transport": .text(transport.rawValue), "direction": .text(direction.rawValue),
            "next": next.map { .text($0.transport.rawValue) } ?? .null,
            "begins": .integer(begins.wholeMilliseconds), "completes": .integer(completes.wholeMilliseconds),
            "energy": .integer(energy), "exposure": .integer(exposure), "cost": .integer(cost),
            "lasts": lasts.map { .integer($0.wholeMilliseconds) } ?? .null,
        ]
        if withSources { members["facts"] = .list(facts.map { .object($0.json) }) }
        return members
    }

    /// The transport, or both of a chain.
    fileprivate var name: String {
        next.map { "\(transport.rawValue), \($0.transport.rawValue)" } ?? transport.rawValue
    }

    /// The facts on which the step rests, one per line.
    fileprivate var reasons: String {
        facts.map { "     \($0.line)\n" }.joined()
            + (lasts.map { "     the system stops reporting after \(seconds($0))\n" } ?? "")
    }
}

extension TransportPlan.Refusal {
    /// Returns the reason in words.
    fileprivate func sentence(in situation: TransportSituation) -> String {
        switch reason {
        case .retired: "deprecated, with a range of 1 to 2 m since iOS 18"
        case .thirdParty: "needs the internet and a third party's server"
        case .purpose: "not for this purpose"
        case .relation: "not for this relation"
        case .unconfirmed: "only after a handshake has confirmed the contact"
        case .noBackEnd:
            situation.ownTransports?.contains(transport) == false
                ? "our program does not implement it" : "the peer's program does not implement it"
        case .ownPlatform: "our platform does not have it"
        case .ownState: "not possible in the state of our app"
        case .ownPermission: "our app lacks a permission or declaration, or a radio is switched off"
        case .peerPlatform: "the peer's platform does not have it"
        case .peerState: "not possible in the state of the peer's app"
        case .peerPermission: "the peer's app lacks a permission or declaration, or a radio is switched off"
        case .noNetwork: "the devices are not on one network"
        case .unpaired: "the devices are not paired for Wi-Fi Aware"
        case .tooLarge: "the payload is too large for it"
        case .failedLately: "it failed recently"
        case .deadline: "it would complete after the deadline"
        }
    }
}

extension ProfileFact {
    /// The fact and its source, on one line.
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

/// Returns the names of a set, in the order of the specification.
private func names<Choice: RawRepresentable<String> & CaseIterable & Hashable>(_ set: Set<Choice>) -> JSON {
    .list(Choice.allCases.filter(set.contains).map { .text($0.rawValue) })
}

/// Formats a duration: `250 ms`, `2.5 s`.
func seconds(_ time: Duration) -> String {
    let milliseconds = time.wholeMilliseconds
    return milliseconds < 1000 ? "\(milliseconds) ms" : "\(figure(Double(milliseconds) / 1000, digits: 3)) s"
}
