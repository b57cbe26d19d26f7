import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling visible`
struct Visible: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "visible",
        abstract: "Choose to whom the node is visible: all contacts, an audience, one contact, or nobody.",
        discussion: """
            The choice lasts until the next one, also when the node is not running now. A running node falls silent at \
            once and shows other identifiers after a few seconds. It looks only for contacts to whom it is visible.

            If it is visible to an audience, the members that hold a grant of it recognise it; create one with inkling \
            audience create. If it is visible to one contact, only this contact can recognise what it shows; everyone \
            else sees a stranger. For that the two need only each other's cards, no grants.

            Examples:
              $ inkling visible friends --home ada
              $ inkling visible Bo --home ada
              $ inkling visible nobody --home ada
              $ inkling visible all --home ada
            """)

    @Argument(help: "all, nobody, an audience, or a contact's name or at least 8 characters of its id.") var who: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Visible(who), on: .vault, asJSON: json) {
                "From now on \($0.sentence).\n"
            }
        }
    }
}
