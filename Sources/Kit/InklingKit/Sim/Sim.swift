import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingMatching
import InklingNode
import InklingSimulation
import InklingTerminal

/// `inkling-kit sim`
struct Sim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sim",
        abstract: "Simulate an afternoon in a crowd with the real engine, and compare the outcome with theory.",
        discussion: """
            Contacts and strangers come and go, phones sleep, clocks are off, packets are lost, duplicated or late. The \
            same options produce the same output. No vault is used; the keys exist only in memory.

            With --stream, every sighting is printed in the form that inkling-kit match reads. What the engine concludes is \
            printed in between, in objects with "event"; the report is the last line. With --predictions, inkling-kit match \
            can recognise the contacts in that stream.

            Examples:
              $ inkling-kit sim --contacts 50 --strangers 500 --minutes 120
              $ inkling-kit sim --picture --plot afternoon.svg
              $ inkling-kit sim --json --seed 7 --replayers 2 --spoofers 1
              $ inkling-kit sim --stream --predictions table | grep -v '"event"' | inkling-kit match --table table
            """)

    @OptionGroup var crowd: SimOptions
    @Flag(help: "Print one JSON object.") var json = false
    @Flag(help: "Print every sighting and event as a JSON object, and the report last.") var stream = false
    @Flag(help: "After the report, print a row of characters for each contact.") var picture = false
    @Option(help: "Write what the contacts show to a new file for inkling-kit match --table; at most 167 hours.")
    var predictions: String?
    @Option(help: "Draw the afternoon in a new SVG file.") var plot: String?

    func run() throws {
        try reporting {
            let settings = crowd.settings
            if let predictions { try writePredictions(settings, to: predictions) }
            // Open the file before the long run, to fail at once when it exists.
            let drawing = try plot.map { path throws(Failure) in try NewFile(at: path) }
            var isRead = true
            let outcome = crowd.run { news in
                guard stream, isRead, let fact = CrowdStreamFact(news, start: settings.start) else { return }
                isRead = write(JSON(encoding: fact).compact + "\n")
            }
            if let drawing {
                drawing.write(CrowdPlot(outcome.report, of: settings).svg)
                try drawing.finish()
            }
            let report = CrowdReportFact(outcome.report, of: settings)
            if stream {
                write(JSON(encoding: CrowdStreamFact.report(report)).compact + "\n")
            } else {
                writeFact(report, asJSON: json) { _ in
                    outcome.report.text(of: settings) + (picture ? CrowdPicture(outcome.report, of: settings).text : "")
                }
            }
        }
    }

    private func writePredictions(_ settings: CrowdSettings, to path: String) throws(Failure) {
        let end = settings.start + UInt64(settings.minutes) * 60
        guard let first = Epoch(containing: settings.start - 1), let last = Epoch(containing: end)?.next,
            last.number - first.number < PredictionFile.epochLimit
        else { throw Failure(.usage, "--minutes must be at most 10020 with --predictions, got \(settings.minutes)") }
        let forecast = Crowd(settings).forecast
        let writer = try NewFile(at: path)
        let labels = (0..<settings.contacts).map { "contact \($0 + 1)" }
        writer.write(
            PredictionFile.header(epochs: first...last, contacts: labels, rows: forecast.count(in: first...last)))
        for (_, entries) in forecast.epochs(first...last) {
            for entry in entries { writer.write(PredictionFile.row(entry)) }
        }
        try writer.finish()
    }
}
