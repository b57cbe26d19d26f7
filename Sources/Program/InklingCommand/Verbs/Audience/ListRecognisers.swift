import ArgumentParser
import InklingTerminal

/// `inkling audience who`
struct ListRecognisers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "List who can recognise you, by which audience, and until when.",
        discussion: """
            Lists every contact, and every former contact who can still recognise you, until the last grant has \
            expired. A grant is listed before it is sent.

            Example:
              $ inkling audience who --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each person.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let facts = try await NodeRequest(options: options, request: .recognisers, place: .vault).facts()
            if facts.isEmpty, !json { write("Nobody can recognise you.\n") }
            if !facts.isEmpty, !json { write(RecogniserFact.heading) }
            for case .recogniser(let person) in facts {
                guard writeFact(person, asJSON: json, otherwise: \.rows) else { return }
            }
        }
    }
}
