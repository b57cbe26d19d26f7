import ArgumentParser

/// `inkling card`
struct Card: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or export your card, or add somebody else's.",
        discussion: """
            Example:
              $ inkling card export --home ada > ada.card
              $ inkling card add - --home bob < ada.card
            """,
        subcommands: [ShowCard.self, ExportCard.self, AddCard.self])
}
