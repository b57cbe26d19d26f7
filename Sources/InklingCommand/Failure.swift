import ArgumentParser

/// A failure that a person can act on: what went wrong, where, and what to do about it.
struct Failure: Error, Hashable {
    /// The exit codes, from `sysexits.h` except `finding`. This is the one list of them; help and manual show it.
    enum Status: Int32, CaseIterable {
        case finding = 1
        case usage = 64
        case badData = 65
        case unavailable = 69
        case inputOutput = 74
        case noPermission = 77
        case configuration = 78

        /// What the code means, in two or three words.
        var meaning: String {
            switch self {
            case .finding: "a check found something"
            case .usage: "wrong usage"
            case .badData: "invalid data"
            case .unavailable: "not available"
            case .inputOutput: "output not written"
            case .noPermission: "no permission"
            case .configuration: "wrong configuration"
            }
        }

        /// All codes, for the help.
        static var list: String {
            "0 success, " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
        }
    }

    let status: Status
    let what: String
    let remedy: Remedy?

    init(_ status: Status, _ what: String, remedy: Remedy? = nil) {
        self.status = status
        self.what = what
        self.remedy = remedy
    }

    /// The text for a person who named the node's home as in `options`, which a suggested command must repeat.
    func description(for options: HomeOptions?) -> String {
        remedy.map { "\(what)\n  \($0.description(for: options))" } ?? what
    }
}

/// What a person can do about a failure.
enum Remedy: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A sentence.
    case sentence(String)
    /// What a command of this program does about it, and the command without `inkling` and without `--home`.
    case command(String, String)

    init(stringLiteral value: String) { self = .sentence(value) }

    /// The text, with the home that the person named.
    func description(for options: HomeOptions?) -> String {
        switch self {
        case .sentence(let text): text
        case .command(let purpose, let command): "\(purpose): \(options.hint(command))"
        }
    }
}

extension HomeOptions? {
    /// A command as the person can type it: with `--home` if it was given.
    func hint(_ command: String) -> String {
        let home = self?.home.map { " --home \(shellQuoted($0))" } ?? ""
        return "inkling \(command)\(home)"
    }
}

extension HomeOptions {
    /// A command as the person can type it: with `--home` if it was given.
    func hint(_ command: String) -> String { Optional(self).hint(command) }
}

/// A word as a shell reads it back.
func shellQuoted(_ word: String) -> String {
    let isPlain =
        !word.isEmpty
        && word.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "/._-+:@%,".unicodeScalars.contains(scalar))
        }
    return isPlain
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// Runs a verb and turns its failure, or one to write its output, into a message on standard error and an exit code.
func reporting(for options: HomeOptions? = nil, _ body: () throws -> Void) throws {
    do { try body() } catch { throw exit(for: error, options) }
    if let failure = outputFailure() { throw exit(for: failure, options) }
}

/// Runs a verb and turns its failure, or one to write its output, into a message on standard error and an exit code.
func reporting(for options: HomeOptions? = nil, _ body: () async throws -> Void) async throws {
    do { try await body() } catch { throw exit(for: error, options) }
    if let failure = outputFailure() { throw exit(for: failure, options) }
}

private func exit(for error: any Error, _ options: HomeOptions?) -> any Error {
    // Whatever else went wrong, a reader must not take output that is cut off for all of it.
    guard let failure = outputFailure() ?? error as? Failure else { return error }
    writeError("inkling: \(failure.description(for: options))\n")
    return ExitCode(failure.status.rawValue)
}
