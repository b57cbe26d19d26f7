import ArgumentParser
import InklingJSON

/// A failure that a person can act on: what went wrong, where, and what to do about it.
struct Failure: Error, Hashable {
    /// The exit codes, from `sysexits.h` except `finding`. Help and manual show this list.
    enum Status: Int32, CaseIterable {
        case finding = 1
        case usage = 64
        case badData = 65
        case unavailable = 69
        case inputOutput = 74
        case noPermission = 77
        case configuration = 78

        /// The meaning of the code, in the words of the help.
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
    /// The code of the refusal behind the failure, `stage/reason` as the specification names it; nil without one.
    let refusal: String?

    init(_ status: Status, _ what: String, remedy: Remedy? = nil, refusal: String? = nil) {
        self.status = status
        self.what = what
        self.remedy = remedy
        self.refusal = refusal
    }

    /// Returns the text for a person who named the node's home as in `options`, which a suggested command must repeat.
    /// With `showsCode` it contains the code of the refusal, for programs.
    func description(for options: HomeOptions?, showsCode: Bool = false) -> String {
        let code = showsCode ? refusal.map { " [\($0)]" } ?? "" : ""
        return what + code + (remedy.map { "\n  \($0.description(for: options))" } ?? "")
    }
}

/// The advice that follows a failure.
enum Remedy: Hashable, Sendable, ExpressibleByStringInterpolation {
    case sentence(String)
    /// The purpose of a command of this program, and the command without `inkling` and without `--home`.
    case command(String, String)

    init(stringLiteral value: String) { self = .sentence(value) }

    /// Returns the text, with the home that the person named.
    func description(for options: HomeOptions?) -> String {
        switch self {
        case .sentence(let text): text
        case .command(let purpose, let command): "\(purpose): \(options.hint(command))"
        }
    }
}

extension HomeOptions? {
    /// Returns a command as the person can type it: with `--home` if it was given.
    func hint(_ command: String) -> String {
        let home = self?.home.map { " --home \(shellQuoted($0))" } ?? ""
        return "inkling \(command)\(home)"
    }
}

extension HomeOptions {
    /// Returns a command as the person can type it: with `--home` if it was given.
    func hint(_ command: String) -> String { Optional(self).hint(command) }
}

/// Quotes a word for a shell, if that is necessary.
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

/// Runs a verb and turns its failure, or a failure to write its output, into a message on standard error and an exit
/// code.
func reporting(for options: HomeOptions? = nil, _ body: () throws -> Void) throws {
    do { try body() } catch { throw exit(for: error, options) }
    if let failure = outputFailure() { throw exit(for: failure, options) }
}

/// Runs a verb and turns its failure, or a failure to write its output, into a message on standard error and an exit
/// code. With `showsCode` the message contains the code of a refusal.
func reporting(
    for options: HomeOptions? = nil, showsCode: Bool = false, _ body: () async throws -> Void
) async throws {
    do { try await body() } catch { throw exit(for: error, options, showsCode: showsCode) }
    if let failure = outputFailure() { throw exit(for: failure, options) }
}

private func exit(for error: any Error, _ options: HomeOptions?, showsCode: Bool = false) -> any Error {
    // Report a failed write first: otherwise a reader could mistake incomplete output for all of it.
    guard let failure = outputFailure() ?? error as? Failure else { return error }
    NodeLog.write(
        .error, .failed,
        [
            "status": .integer(failure.status.rawValue), "reason": .text(failure.what),
            "remedy": failure.remedy.map { .text($0.description(for: options)) } ?? .null,
            "refusal": failure.refusal.map { .text($0) } ?? .null,
        ], sentence: "inkling: \(failure.description(for: options, showsCode: showsCode))")
    return ExitCode(failure.status.rawValue)
}
