import ArgumentParser

/// `inkling contacts`
struct Contacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "List, show, rename, delay, block, revoke or remove contacts, or renew what they hold.",
        discussion: """
            Example:
              $ inkling contacts list --home ada
            """,
        subcommands: [
            ListContacts.self, ShowContact.self, RenameContact.self, DelayContact.self, RemoveContact.self,
            RenewContacts.self, RevokeContact.self, BlockContact.self, UnblockContact.self, GrantContact.self,
        ])
}
