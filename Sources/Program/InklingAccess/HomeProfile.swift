package import ArgumentParser
import InklingJSON
import InklingProfile
package import InklingTerminal
package import InklingWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The option that names the file of a profile.
package struct ProfileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the profile of an application in this file (inkling profile).",
            discussion: "Default: the one of the home, or else Inkling's own."))
    package var profile: String?

    package init() {}

    /// Returns the profile of the file, or else the one that a home uses; nil options mean no home.
    ///
    /// - Throws: `Failure` when there is no such profile.
    package func profile(in options: HomeOptions?) throws(Failure) -> ApplicationProfile {
        if let profile { return try readProfile(profile) }
        // Without a home there is no profile to read.
        guard let home = try? options?.path() else { return .inkling }
        return try homeProfile(in: home)
    }
}

/// Returns the path of the profile in a home.
package func profilePath(in home: String) -> String { "\(home)/profile.json" }

/// Returns the profile that a home uses; Inkling's own when it has none.
///
/// - Throws: `Failure` when the file cannot be read or is not a profile, because another profile would show this node
///   to others than its user wants.
package func homeProfile(in home: String) throws(Failure) -> ApplicationProfile {
    let path = profilePath(in: home)
    guard unsafe access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { return .inkling }
    return try readProfile(path)
}

/// Reads the file of a profile; `-` is standard input.
///
/// - Throws: `Failure` when the file cannot be read or is not a profile.
package func readProfile(_ path: String) throws(Failure) -> ApplicationProfile {
    let text = try readFile(path, limit: 1 << 20)
    do throws(ProfileError) { return try ApplicationProfile(parsing: text) } catch {
        var what = "\(printable(path)): \(error)"
        var remedy: Remedy?
        if case .unknownMember(let name) = error {
            let members = ApplicationProfile.Member.allCases.map(\.rawValue)
            what += ": '\(printable(name))'"
            remedy = nearest(to: name, among: members).map { "Did you mean '\($0)'?" }
        }
        throw Failure(.badData, what, remedy: remedy, refusal: "\(error.stage)/\(error.reason)")
    }
}

/// Stores the profile of a new home, whose directories exist.
///
/// - Throws: `Failure` when the file exists or cannot be written.
package func storeProfile(_ profile: ApplicationProfile, in home: String) throws(Failure) {
    try storeProfile(Array("\(profile.json.compact)\n".utf8), in: home)
}

/// Stores the file of a profile in a new home, whose directories exist.
///
/// - Throws: `Failure` when the file exists or cannot be written.
package func storeProfile(_ bytes: [UInt8], in home: String) throws(Failure) {
    let file = try NewFile(at: profilePath(in: home))
    file.write { $0 += bytes }
    try file.finish()
}
