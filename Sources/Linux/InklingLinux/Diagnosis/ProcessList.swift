/// A running program, as `/proc` shows it to everyone.
package struct RunningProgram: Hashable, Sendable {
    /// The process id.
    package let process: Int32
    /// The name of the program, at most fifteen bytes.
    package let name: String
    /// The user id of the process.
    package let user: UInt32
    /// The command line; empty if it cannot be read.
    package let arguments: [String]

    /// Creates a description of a program.
    package init(process: Int32, name: String, user: UInt32, arguments: [String] = []) {
        self.process = process
        self.name = name
        self.user = user
        self.arguments = arguments
    }
}

extension SystemFiles {
    /// Returns the running programs, sorted by process id.
    package func programs() -> [RunningProgram] {
        names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { number in
            guard let name = line("/proc/\(number)/comm"), let user = owner(of: "/proc/\(number)") else { return nil }
            let arguments = text("/proc/\(number)/cmdline") ?? ""
            return RunningProgram(
                process: number, name: name, user: user,
                arguments: arguments.split(separator: "\0", omittingEmptySubsequences: true).map(String.init))
        }
    }

    /// Returns whether a process holds one of these sockets open; false if this user may not see its files.
    func process(_ number: Int32, holds sockets: Set<UInt64>) -> Bool {
        let folder = "/proc/\(number)/fd"
        return names(in: folder).contains { name in
            guard let target = target(of: "\(folder)/\(name)"), target.hasPrefix("socket:["), target.hasSuffix("]")
            else { return false }
            return UInt64(target.dropFirst(8).dropLast()).map(sockets.contains) ?? false
        }
    }
}
