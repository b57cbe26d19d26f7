import ArgumentParser

/// `inkling vectors`
struct Vectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List test vectors, or check this program against them.",
        subcommands: [ListVectors.self, VerifyVectors.self])
}
