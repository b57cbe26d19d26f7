import InklingNode
package import InklingTerminal
import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A configuration file that has been read.
package struct ConfigurationFile: Sendable {
    package let path: String
    package let configuration: Configuration

    /// The system-wide file.
    package static let systemPlace = "/etc/inkling/inkling.toml"

    /// The user's own file; nil for a user without a home directory.
    private static var userPlace: String? {
        if let folder = VaultKey.environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            return "\(folder)/inkling/inkling.toml"
        }
        return VaultKey.environment("HOME").flatMap { $0.isEmpty ? nil : "\($0)/.config/inkling/inkling.toml" }
    }

    /// Returns the file that `path` or else `$INKLING_CONFIG` names, or else the first existing one of the user's and
    /// the system's; nil if there is none.
    package static func place(_ path: String?) -> String? {
        if let path { return path }
        if let named = VaultKey.environment("INKLING_CONFIG"), !named.isEmpty { return named }
        // Skip only missing files; a file that cannot be read is an error.
        return [userPlace, systemPlace].compactMap(\.self)
            .first { unsafe access($0, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR }
    }

    /// Reads the file that `place(_:)` returns; nil if there is none.
    ///
    /// - Throws: `Failure` when it cannot be read or has mistakes.
    package static func find(_ path: String?) throws(Failure) -> ConfigurationFile? {
        guard let place = place(path) else { return nil }
        return try ConfigurationFile(reading: place)
    }

    /// Reads a file.
    ///
    /// - Throws: `Failure` when it cannot be read or has mistakes, with the first of them.
    package init(reading path: String) throws(Failure) {
        self.path = path
        do { configuration = try Self.parse(path) } catch { throw error.failure(in: path) }
    }

    /// Reads and parses a file; `-` is standard input.
    ///
    /// - Throws: `Problem` with all mistakes.
    package static func parse(_ path: String) throws(Problem) -> Configuration {
        #if Node
            let bytes: [UInt8]
            do { bytes = try readFile(path, limit: Configuration.byteLimit) } catch { throw .unreadable(error) }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .mistakes([Configuration.Mistake(line: nil, problem: "the text is not UTF-8", suggestion: nil)])
            }
            do { return try Configuration(parsing: text) } catch { throw .mistakes(error.all) }
        #else
            throw .unreadable(
                Failure(
                    .unavailable, "\(path): this program was built without the trait Node and reads no configuration",
                    remedy: "Build it with: swift build --traits Node"))
        #endif
    }

    /// The reason why there is no configuration.
    package enum Problem: Error {
        case unreadable(Failure)
        /// At least one.
        case mistakes([Configuration.Mistake])

        /// Returns the failure of a file, with the first mistake and the number of others.
        package func failure(in path: String) -> Failure {
            switch self {
            case .unreadable(let failure): return failure
            case .mistakes(let all):
                let first = all.first
                let others =
                    all.count > 1 ? "'inkling config check \(shellQuoted(path))' shows \(all.count - 1) more." : nil
                let advice = [first?.suggestion, others].compactMap(\.self).joined(separator: "\n  ")
                return Failure(
                    .configuration,
                    "\(printable(path))\(first?.line.map { ":\($0)" } ?? ""): \(first?.problem ?? "")",
                    remedy: advice.isEmpty ? nil : .sentence(advice))
            }
        }
    }
}
