import ArgumentParser

/// `inkling-kit vectors`
struct Vectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "List the test vectors, or check this program against them.",
        discussion: """
            Example:
              $ inkling-kit vectors verify Vectors
            """,
        subcommands: [ListVectors.self, VerifyVectors.self])
}
