import ArgumentParser

/// `inkling contacts`
struct Contacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, show, rename or remove contacts.",
        discussion: """
            Example:
              $ inkling contacts list --home ada
            """,
        subcommands: [ListContacts.self, ShowContact.self, RenameContact.self, RemoveContact.self])
}
