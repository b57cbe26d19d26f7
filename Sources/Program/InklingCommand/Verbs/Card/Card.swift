import ArgumentParser

/// `inkling card`
struct Card: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Show or export your card, or add another person's.",
        discussion: """
            Examples:
              $ inkling card export --home ada > ada.card
              $ inkling card add - --home bob < ada.card
            """,
        subcommands: [ShowCard.self, ExportCard.self, AddCard.self])
}
