import ArgumentParser
import InklingJSON

/// A failure that a person can act on: what went wrong, where, and what to do about it.
package struct Failure: Error, Hashable {
    /// The exit codes, from `sysexits.h` except `finding`. Help and manual show this list.
    package enum Status: Int32, CaseIterable {
        case finding = 1
        case usage = 64
        case badData = 65
        case unavailable = 69
        case inputOutput = 74
        case noPermission = 77
        case configuration = 78

        /// The meaning of the code, in the words of the help.
        package var meaning: String {
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
        package static var list: String {
            "0 success, " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
        }
    }

    package let status: Status
    package let what: String
    package let remedy: Remedy?
    /// The code of the refusal behind the failure, `stage/reason` as the specification names it; nil without one.
    package let refusal: String?

    package init(_ status: Status, _ what: String, remedy: Remedy? = nil, refusal: String? = nil) {
        self.status = status
        self.what = what
        self.remedy = remedy
        self.refusal = refusal
    }

    /// Returns the text for a person who named this home on the command line, which a suggested command must repeat; nil
    /// for a person who named none. With `showsCode` it contains the code of the refusal, for programs.
    package func description(home: String? = nil, showsCode: Bool = false) -> String {
        let code = showsCode ? refusal.map { " [\($0)]" } ?? "" : ""
        return what + code + (remedy.map { "\n  \($0.description(home: home))" } ?? "")
    }
}

/// The advice that follows a failure.
package enum Remedy: Hashable, Sendable, ExpressibleByStringInterpolation {
    case sentence(String)
    /// The purpose of a command of `inkling`, and the command without `inkling` and without `--home`.
    case command(String, String)

    package init(stringLiteral value: String) { self = .sentence(value) }

    /// Returns the text, with the home that the person named.
    package func description(home: String? = nil) -> String {
        switch self {
        case .sentence(let text): text
        case .command(let purpose, let command): "\(purpose): \(inklingCommand(command, home: home))"
        }
    }
}

/// Returns a command of `inkling` as the person can type it: with `--home` if a home was named.
package func inklingCommand(_ command: String, home: String?) -> String {
    "inkling \(command)\(home.map { " --home \(shellQuoted($0))" } ?? "")"
}

/// Quotes a word for a shell, if that is necessary.
package func shellQuoted(_ word: String) -> String {
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

/// Runs a verb and turns its failure, or a failure to write its output, into a message on standard error and an exit
/// code.
///
/// - Parameters:
///   - home: the home that the person named, which suggested commands repeat.
///   - body: the verb.
/// - Throws: `ExitCode`; the errors of the argument parser as they are.
package func reporting(home: String? = nil, _ body: () throws -> Void) throws {
    do { try body() } catch { throw exit(for: error, home) }
    if let failure = outputFailure() { throw exit(for: failure, home) }
}

/// Runs a verb and turns its failure, or a failure to write its output, into a message on standard error and an exit
/// code.
///
/// - Parameters:
///   - home: the home that the person named, which suggested commands repeat.
///   - showsCode: whether the message contains the code of a refusal.
///   - body: the verb.
/// - Throws: `ExitCode`; the errors of the argument parser as they are.
package func reporting(
    home: String? = nil, showsCode: Bool = false, _ body: () async throws -> Void
) async throws {
    do { try await body() } catch { throw exit(for: error, home, showsCode: showsCode) }
    if let failure = outputFailure() { throw exit(for: failure, home) }
}

private func exit(for error: any Error, _ home: String?, showsCode: Bool = false) -> any Error {
    // Report a failed write first: otherwise a reader could mistake incomplete output for all of it.
    guard let failure = outputFailure() ?? error as? Failure else { return error }
    ProgramLog.write(
        .error, "failed",
        [
            "status": .integer(failure.status.rawValue), "reason": .text(failure.what),
            "remedy": failure.remedy.map { .text($0.description(home: home)) } ?? .null,
            "refusal": failure.refusal.map { .text($0) } ?? .null,
        ], sentence: "\(programName): \(failure.description(home: home, showsCode: showsCode))")
    return ExitCode(failure.status.rawValue)
}
