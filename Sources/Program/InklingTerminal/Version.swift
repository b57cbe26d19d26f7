package import ArgumentParser
import InklingWire

/// The verb `version` of a program.
package struct Version<Program: ParsableCommand>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "version",
            abstract: "Show the version of the program and of the specification.",
            discussion: """
                Example:
                  $ \(Program.configuration.commandName ?? "") version --json
                  {"version":"0.1.0","specification":"inkling/1-draft","node":true}
                """)
    }

    @Flag(help: "Print one JSON object.") var json = false

    package init() {}

    package func run() throws {
        try reporting { writeFact(VersionFact(), asJSON: json) { "\($0.text)\n" } }
    }
}

/// The version of this program.
package struct VersionFact: Encodable {
    /// The version of the package, from the file VERSION, which the C library and the Python package also use.
    package let version = String(decoding: PackageResources.VERSION.prefix { $0 != 0x0a }, as: UTF8.self)
    let specification = Specification.version
    /// Whether the parts that need swift-nio and a QR encoder are built in.
    let node = {
        #if Node
            true
        #else
            false
        #endif
    }()

    package init() {}

    /// The version in one line.
    var text: String {
        "\(programName) \(version), specification \(specification), \(node ? "with" : "without") the node"
    }
}
