import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingPlatforms
import InklingTerminal

/// `inkling-kit transport profiles`
struct TransportProfiles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "Show the facts about platforms, with their sources.",
        discussion: """
            Without --of, prints every fact, or those of one row or subject. With --of, prints what holds for an app: \
            the worst value when several facts apply. \(AppDescription.form)

            Examples:
              $ inkling-kit transport profiles --of ios-18.1,background
              $ inkling-kit transport profiles --subject scan
              $ inkling-kit transport profiles --contradictions
              $ inkling-kit transport profiles --guidance
            """)

    @Option(help: "Show what holds for this app.") var of: AppDescription?
    @Option(help: "Show only facts of this row, for example ios-17.0.") var row: ProfileRow?
    @Option(help: "Show only this subject, for example scan.") var subject: ProfileSubject?
    @Flag(help: "Show where sources contradict each other, and what holds.") var contradictions = false
    @Flag(help: "Show the costs of transports, and the sources of the figures.") var costs = false
    @Flag(help: "Show what an app must declare and ask for, and what it may promise.") var guidance = false
    @Flag(help: "Print the article of the documentation that contains these facts.") var article = false
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        let narrowed = of != nil || row != nil || subject != nil
        if [contradictions, costs, guidance, article].count(where: { $0 }) + (narrowed ? 1 : 0) > 1 {
            throw ValidationError(
                "--contradictions, --costs, --guidance and --article cannot be combined with each other, --of, --row "
                    + "or --subject")
        }
        if article, json { throw ValidationError("--article cannot be combined with --json") }
        if of != nil, row != nil { throw ValidationError("--row cannot be combined with --of") }
    }

    func run() async throws {
        try reporting {
            if contradictions { return showContradictions() }
            if costs { return showCosts() }
            if guidance { return showGuidance() }
            if article { return _ = write(PlatformArticle.text) }
            if let app = of?.app { return show(app) }
            for fact in PlatformProfiles.known.facts
            where (row.map(fact.rows.contains) ?? true) && (subject.map { $0 == fact.subject } ?? true) {
                write(fact.json, asJSON: json) { _ in "\(fact.line)\n" }
            }
        }
    }

    private func show(_ app: AppCircumstances) {
        if !json, let remark = app.platform.coverageRemark { write("\(remark)\n") }
        for subject in ProfileSubject.allCases where self.subject.map({ $0 == subject }) ?? true {
            let answer = PlatformProfiles.known.answer(subject, in: app)
            let facts: JSONObject = [
                "subject": .text(subject.rawValue), "value": .text(answer.value.description),
                "coverage": .text(app.platform.coverage.rawValue),
                "facts": .list(answer.facts.map { .object($0.json) }),
            ]
            write(facts, asJSON: json) { _ in
                padded(subject.rawValue, to: 21) + padded("\(answer.value)", to: 18)
                    + (answer.facts.isEmpty ? "nothing is promised" : answer.facts.map(\.id).joined(separator: ", "))
                    + "\n"
            }
        }
    }

    private func showCosts() {
        if !json { write("transport       set up    bytes a second   power     exposure\n") }
        for transport in TransportOption.allCases {
            let costs = transport.costs
            let facts: JSONObject = [
                "transport": .text(transport.rawValue), "setUp": .integer(costs.setUp.wholeMilliseconds),
                "rate": costs.rate.map { .integer($0) } ?? .null, "milliwatts": .integer(costs.milliwatts),
                "exposure": .integer(costs.exposure), "document": .text(costs.source.document.rawValue),
                "place": .text(costs.source.place), "confidence": .text(costs.confidence.rawValue),
            ]
            write(facts, asJSON: json) { _ in
                padded(transport.rawValue, to: 16) + padded("\(costs.setUp.wholeMilliseconds) ms", to: 10)
                    + padded(costs.rate.map { "\($0)" } ?? "", to: 17) + padded("\(costs.milliwatts) mW", to: 10)
                    + padded("\(costs.exposure)", to: 10)
                    + "\(costs.source.document.rawValue), \(costs.source.place); \(costs.confidence.rawValue)\n"
            }
        }
    }

    private func showGuidance() {
        for one in Guidance.known {
            let facts: JSONObject = [
                "guidance": .text(one.id), "kind": .text(one.kind.rawValue), "text": .text(one.text),
                "otherwise": one.otherwise.map { .text($0) } ?? .null, "document": .text(one.source.document.rawValue),
                "place": .text(one.source.place),
            ]
            write(facts, asJSON: json) { _ in
                "\(one.id): \(one.text)\n" + (one.otherwise.map { "    otherwise: \($0)\n" } ?? "")
            }
        }
    }

    private func showContradictions() {
        for contradiction in Contradiction.known {
            let facts: JSONObject = [
                "contradiction": .text(contradiction.id),
                "statements": .list(
                    contradiction.statements.map { statement in
                        .object([
                            "text": .text(statement.text),
                            "sources": .list(
                                statement.sources.map { .text("\($0.document.rawValue), \($0.place)") }),
                        ])
                    }),
                "holds": .text(contradiction.holds), "facts": .list(contradiction.facts.map { .text($0) }),
            ]
            write(facts, asJSON: json) { _ in
                "\(contradiction.id): \(contradiction.holds)\n"
                    + contradiction.statements.map { statement in
                        let sources = statement.sources.map { "\($0.document.rawValue), \($0.place)" }
                        return "    \(statement.text) (\(sources.joined(separator: "; ")))\n"
                    }.joined()
            }
        }
    }
}
