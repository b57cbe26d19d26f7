internal import InklingEngine
internal import InklingJSON
internal import InklingKeys
internal import InklingPlatforms

private let appParameters: [ShimParameter] = [
    .code("family", DevicePlatform.Family.self), .text("version"),
    .codes("traits", DevicePlatform.Trait.self, limit: DevicePlatform.Trait.allCases.count),
    .code("state", AppState.self), .codes("met", ProfileNeed.self, limit: ProfileNeed.allCases.count),
]

private func app(_ name: String) -> ShimParameter { ShimParameter(name: name, kind: .object(appParameters)) }

/// The operations on platforms and transports (`Specs/platforms.md`, `Specs/transport-policy.md`).
func platformOperations(knowing profiles: PlatformProfiles) -> [ShimOperation] {
    [
        ShimOperation("platform-fact", [.text("fact")]) { arguments throws(ShimRefusal) in
            let id = arguments.text("fact")
            guard let fact = profiles.facts.first(where: { $0.id == id }) else {
                throw ShimRefusal("platform", "no-such-fact")
            }
            return [
                "rows": names(fact.rows), "states": names(fact.states), "needs": names(fact.needs),
                "subject": .text(fact.subject.rawValue), "value": .text(fact.value.description),
                "document": .text(fact.source.document.rawValue), "place": .text(fact.source.place),
                "confidence": .text(fact.confidence.rawValue),
            ]
        },
        ShimOperation(
            "platform-profile", [app("app"), .code("subject", ProfileSubject.self)]
        ) { arguments throws(ShimRefusal) in
            let app = try arguments.app("app")
            let answer = profiles.answer(try arguments.required("subject"), in: app)
            var result: JSONObject = ["coverage": .text(app.platform.coverage.rawValue)]
            if let row = app.platform.rowOfVersion { result["row"] = .text(row.rawValue) }
            result["value"] = .text(answer.value.description)
            result["facts"] = ids(answer.facts)
            return result
        },
        ShimOperation(
            "transport-plan",
            [
                app("own"), app("peer").optional, .code("relation", TransportRelation.self),
                .code("purpose", TransportPurpose.self), .integer("payload", in: 0...1 << 40),
                .integer("deadline", in: 0...1 << 40).optional, .flag("heard"), .flag("sameNetwork"), .flag("paired"),
                .codes("linked", TransportOption.self, limit: TransportOption.allCases.count),
                .list(
                    "failures",
                    of: .object([
                        .code("transport", TransportOption.self), .integer("count", in: 1...64),
                        .u32("ago"),
                    ]), limit: TransportOption.allCases.count),
                .list(
                    "observed",
                    of: .object([
                        .code("transport", TransportOption.self),
                        .list("setups", of: .integer(0...0xffff_ffff), limit: 16),
                        .list("rates", of: .integer(0...0xffff_ffff), limit: 16),
                    ]), limit: TransportOption.allCases.count),
                .codes("ownTransports", TransportOption.self, limit: TransportOption.allCases.count).optional,
                .codes("peerTransports", TransportOption.self, limit: TransportOption.allCases.count).optional,
            ]
        ) { arguments throws(ShimRefusal) in
            let plan = TransportPolicy(profiles).plan(for: try TransportSituation(arguments))
            var result: JSONObject = [
                "steps": .list(plan.steps.map(\.json)),
                "refusals": .list(plan.refusals.map { .object($0.json(withFacts: true)) }),
            ]
            if let wait = plan.wait { result["wait"] = .object(wait.json(withFacts: false)) }
            return result
        },
    ]
}

extension ShimArguments {
    fileprivate func app(_ name: String) throws(ShimRefusal) -> AppCircumstances {
        let app = object(name)
        guard let version = PlatformVersion(app.text("version")) else { throw ShimRefusal("platform", "bad-version") }
        return AppCircumstances(
            DevicePlatform(try app.required("family"), version, traits: Set(app.codes("traits"))),
            try app.required("state"),
            met: Set(app.codes("met")))
    }
}

extension TransportSituation {
    fileprivate init(_ arguments: ShimArguments) throws(ShimRefusal) {
        self.init(
            own: try arguments.app("own"), peer: arguments.has("peer") ? try arguments.app("peer") : nil,
            relation: try arguments.required("relation"), purpose: try arguments.required("purpose"))
        payload = arguments.u64("payload")
        deadline = arguments.has("deadline") ? .milliseconds(arguments.u64("deadline")) : nil
        isHeard = arguments.flag("heard")
        isOnSameNetwork = arguments.flag("sameNetwork")
        isPaired = arguments.flag("paired")
        linked = Set(arguments.codes("linked"))
        for one in arguments.objects("failures") {
            let transport: TransportOption = try one.required("transport")
            guard failures[transport] == nil else { throw ShimRefusal("situation", "repeated-transport") }
            failures[transport] = Failures(
                count: one.u8("count"), ago: .milliseconds(one.u64("ago")))
        }
        for one in arguments.objects("observed") {
            var average = Observed()
            for setUp in one.integers("setups") { average.setUp.observe(UInt64(truncatingIfNeeded: setUp)) }
            for rate in one.integers("rates") { average.rate.observe(UInt64(truncatingIfNeeded: rate)) }
            let transport: TransportOption = try one.required("transport")
            guard observed[transport] == nil else { throw ShimRefusal("situation", "repeated-transport") }
            observed[transport] = average
        }
        ownTransports = arguments.has("ownTransports") ? Set(arguments.codes("ownTransports")) : nil
        peerTransports = arguments.has("peerTransports") ? Set(arguments.codes("peerTransports")) : nil
    }
}

extension TransportPlan.Step {
    fileprivate var json: JSON {
        var members: JSONObject = [
            "transport": .text(transport.rawValue), "direction": .text(direction.rawValue),
            "begins": .integer(begins.wholeMilliseconds), "completes": .integer(completes.wholeMilliseconds),
            "energy": .integer(energy), "exposure": .integer(exposure),
            "cost": .integer(cost),
        ]
        if let lasts { members["lasts"] = .integer(lasts.wholeMilliseconds) }
        if let next {
            members["next"] = .object([
                "transport": .text(next.transport.rawValue), "direction": .text(next.direction.rawValue),
            ])
        }
        members["facts"] = ids(facts)
        return .object(members)
    }
}

extension TransportPlan.Refusal {
    fileprivate func json(withFacts: Bool) -> JSONObject {
        var members: JSONObject = [
            "transport": .text(transport.rawValue), "number": .integer(reason.number), "reason": .text(reason.rawValue),
        ]
        if withFacts { members["facts"] = ids(facts) }
        return members
    }
}

/// The names of the elements of a set, in the order of the specification.
private func names<Choice: RawRepresentable<String> & CaseIterable & Hashable>(_ set: Set<Choice>) -> JSON {
    .list(Choice.allCases.filter(set.contains).map { .text($0.rawValue) })
}

private func ids(_ facts: [ProfileFact]) -> JSON { .list(facts.map { .text($0.id) }) }
