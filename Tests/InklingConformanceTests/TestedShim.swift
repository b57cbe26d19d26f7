import InklingConformance
import InklingJSON
import InklingTesting
import InklingVectors

/// Small suites, and programs under test that are functions.
enum TestedShim {
    /// Creates a suite of the cases of these vector files.
    static func suite(_ names: String..., keeping patterns: [String] = []) throws -> ConformanceSuite {
        let files = try names.map { (name: $0, document: try VectorDocument(parsing: try VectorFolder.bytes($0))) }
        var suite = try ConformanceSuite(files)
        suite.keep((patterns.isEmpty ? names.map { String($0.dropLast(5)) } : patterns).map(CasePattern.init))
        return suite
    }

    /// A program under test: the events that follow a line.
    typealias Program = (_ line: [UInt8]) -> [ConformanceRun.Event]

    private static let shim = Shim()

    /// The shim of this package.
    static func right(_ line: [UInt8]) -> [ConformanceRun.Event] { [.line(Array(shim.reply(to: line).utf8))] }

    /// Creates a shim that handles some requests differently; nil from `change` keeps the correct reply.
    static func changing(_ change: @escaping (JSONObject) -> [ConformanceRun.Event]?) -> Program {
        { line in
            guard let request = try? JSON(parsing: line).object, let events = change(request) else {
                return right(line)
            }
            return events
        }
    }

    /// Carries out the effects of a run until it is finished. If a program sends nothing, it is overdue.
    static func run(
        _ suite: ConformanceSuite, known: KnownFailures = KnownFailures(), restarts: Int = 20, by program: Program
    ) -> (report: ConformanceReport, trace: String) {
        var run = ConformanceRun(suite, known: known, restarts: restarts)
        var entries: [ConformanceReport.Entry] = []
        var trace = ""
        var events: [ConformanceRun.Event] = []
        var effects = run.begin()[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .start:
                trace += "start "
                effects += run.handle(.started)
            case .send(let line): events += program(line)
            case .stop:
                trace += "stop "
                events = []
            case .close: events.append(.ended(status: 0))
            case .report(let result): entries.append(ConformanceReport.Entry(result))
            case .finish:
                let report = ConformanceReport(
                    implementation: "tested", specVersion: run.capabilities?.specVersion, entries: entries,
                    known: known,
                    filtered: suite.filtered, profiles: suite.profiles
                )
                return (report, trace + "finish")
            }
            while effects.isEmpty {
                let event = events.isEmpty ? .overdue : events.removeFirst()
                if case .ended = event { events = [] }
                effects += run.handle(event)
            }
        }
        return (ConformanceReport(implementation: "", specVersion: nil, entries: entries), trace + "no end")
    }
}

extension ConformanceReport {
    /// The id and the failure of each failed case.
    var failures: [String] {
        entries.compactMap { entry in entry.result.outcome.failure.map { "\(entry.result.question.id) \($0.name)" } }
    }
}
