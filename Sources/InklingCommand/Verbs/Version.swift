import ArgumentParser
import InklingJSON
import InklingVectors

/// `inkling version`
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say which version this is, of the program and of the specification.",
        discussion: """
            Example:
              $ inkling version --json
              {"version":"0.1.0","specification":"inkling/1-draft","node":true}
            """)

    /// The version of this package: the content of the file VERSION, which the C library and the Python package take too.
    static let number = String(decoding: PackageResources.VERSION.prefix { $0 != 0x0a }, as: UTF8.self)
    /// Whether the parts that need Avahi and a QR encoder are built in.
    static let hasNode: Bool = {
        #if Node
            true
        #else
            false
        #endif
    }()

    @Flag(help: "Print one JSON object.") var json = false

    func run() {
        let facts: JSONObject = [
            "version": .text(Self.number), "specification": .text(Shim.specVersion), "node": .flag(Self.hasNode),
        ]
        write(facts, asJSON: json) { _ in
            "inkling \(Self.number), specification \(Shim.specVersion), \(Self.hasNode ? "with" : "without") the node\n"
        }
    }
}
