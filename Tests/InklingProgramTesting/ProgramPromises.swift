import InklingJSON
import InklingTesting
import Testing

/// What every program promises of its help, its completions, its version and its exit codes, with the verbs of one.
package struct ProgramPromises {
    /// The path of the program.
    private let path: String
    /// The name by which people call it.
    private let name: String
    /// Every verb, in the order of the help; the first is the program itself.
    private let verbs: [[String]]

    package init(of path: String, verbs: [[String]]) {
        self.path = path
        name = path.split(separator: "/").last.map(String.init) ?? ""
        self.verbs = verbs
    }

    private func run(_ arguments: [String], input: Program.Input = .nothing) throws -> Program.Outcome {
        try Program(arguments, input: input, program: path).finish()
    }

    /// The help of a verb has an example.
    package func hasExample(of verb: [String]) throws {
        let outcome = try run(verb + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("Example"))
        let example = outcome.lines.first {
            $0.hasPrefix("  $ ") && $0.contains(([name] + verb).joined(separator: " "))
        }
        #expect(example != nil, "\(outcome)")
    }

    /// The verbs are those that the help shows.
    package func showsItsVerbs() throws {
        let shown = try run(["--help"]).lines.drop { !$0.hasSuffix("SUBCOMMANDS:") }.filter { line in
            line.hasPrefix("  ") && line.dropFirst(2).first?.isLowercase == true
        }
        let names = shown.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names == verbs.filter { $0.count == 1 }.map { $0[0] })
    }

    /// The help lists every exit code that the program uses.
    package func listsExitCodes() throws {
        let help = try run(["--help"]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for code in ["0 success", "64 wrong usage", "65 invalid data", "74 output not written", "77 no permission"] {
            #expect(help.contains(code), "\(code)")
        }
    }

    /// Wrong usage ends with exit code 64 and names the help.
    package func rejects(_ arguments: [String]) throws {
        let outcome = try run(arguments)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.contains("See '\(name)"))
    }

    /// A misspelt verb gets a suggestion, or none for nil.
    package func suggests(_ verb: String?, for arguments: [String]) throws {
        let outcome = try run(arguments)
        #expect(outcome.status == 64)
        guard let verb else { return #expect(!outcome.errors.contains("Did you mean")) }
        #expect(outcome.errors.contains("Did you mean '\(verb)'?\n"), "\(outcome)")
    }

    /// A completion script names every verb, and its shell, a program at this path, can parse it.
    ///
    /// `.ci/setup test` installs the shells; one that is missing fails here.
    package func completes(in shell: String, at program: String) throws {
        let outcome = try run(["completions", shell])
        #expect(outcome.status == 0)
        for verb in verbs { for word in verb { #expect(outcome.output.contains(word)) } }
        let folder = try Folder()
        let script = try folder.write("script", Array(outcome.output.utf8))
        let read = try Program(["-n", script], program: program).finish()
        #expect(read.status == 0)
        #expect(read.errors.isEmpty)
    }

    /// The version is that of `--version`, in words and as JSON.
    package func saysItsVersion() throws {
        let fact = try unwrap(try run(["version", "--json"]).facts().first)
        #expect(fact.names == ["version", "specification", "node"])
        #expect(fact["node"]?.flag == true)
        let (version, specification) = (fact["version"]?.text ?? "", fact["specification"]?.text ?? "")
        let spoken = try run(["version"])
        #expect(spoken.status == 0)
        #expect(spoken.output == "\(name) \(version), specification \(specification), with the node\n")
        let option = try run(["--version"])
        #expect(option.status == 0)
        #expect(option.output == "\(version)\n")
    }

    /// A verb whose output goes to a device that is always full ends with exit code 74 and a message.
    package func failsIntoFullDevice(_ arguments: [String], input: Program.Input = .nothing) throws {
        let outcome = try Program(
            ["-c", "exec \"$@\" >/dev/full", "sh", path] + arguments, input: input, program: "/bin/sh"
        ).finish()
        #expect(outcome.status == 74, "\(outcome)")
        let message = "\(name): cannot write to standard output: No space left on device\n"
        #expect(outcome.errors.hasSuffix(message), "\(outcome)")
    }
}
