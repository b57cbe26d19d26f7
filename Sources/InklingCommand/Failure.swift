import ArgumentParser

/// A failure that a person can act on: what went wrong, where, and what to do about it.
struct Failure: Error, CustomStringConvertible {
    /// The exit codes of `sysexits.h` that this program uses.
    enum Status: Int32 {
        case finding = 1
        case usage = 64
        case badData = 65
        case unavailable = 69
        case noPermission = 77
        case configuration = 78
    }

    let status: Status
    let what: String
    let remedy: String?

    init(_ status: Status, _ what: String, remedy: String? = nil) {
        self.status = status
        self.what = what
        self.remedy = remedy
    }

    var description: String { remedy.map { "\(what)\n  \($0)" } ?? what }
}

/// Runs a verb and turns its failure into a message on standard error and an exit code.
func reporting(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as Failure { throw exit(for: failure) }
}

/// Runs a verb and turns its failure into a message on standard error and an exit code.
func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let failure as Failure { throw exit(for: failure) }
}

private func exit(for failure: Failure) -> ExitCode {
    writeError("inkling: \(failure)\n")
    return ExitCode(failure.status.rawValue)
}
