import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling config example`
struct ExampleConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Print a file with every setting, each commented out and explained.",
        discussion: """
            Example:
              $ inkling config example > inkling.toml
            """)

    func run() throws {
        try reporting { write(Self.text) }
    }

    /// The text of the file.
    static var text: String {
        let sections = Setting.sections.map { section in
            let settings = Setting.allCases.filter { $0.section == section.name }.map { setting in
                "\n# \(setting.meaning)\(Self.values(setting))\n#\(setting.key) = \(setting.example)\n"
            }
            return "# \(section.about)\n[\(section.name)]\n" + settings.joined()
        }
        return """
            # The configuration of an Inkling node (inkling config). A line that begins with # has no effect.

            \(sections.joined(separator: "\n"))
            \(AntennaSetting.example)
            """
    }

    /// Returns the allowed values, where the meaning does not state them.
    private static func values(_ setting: Setting) -> String {
        switch setting.form {
        case .seconds, .choice: " It is \(setting.form.expectation)."
        default: ""
        }
    }
}
