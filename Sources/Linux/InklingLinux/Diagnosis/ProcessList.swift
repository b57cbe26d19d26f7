/// A program that runs on this machine, as `/proc` shows it to everyone.
package struct RunningProgram: Hashable, Sendable {
    /// The number of the process.
    package let process: Int32
    /// The name of the program, at most fifteen bytes.
    package let name: String
    /// The number of the user to whom the process belongs.
    package let user: UInt32
    /// The command line; empty when it cannot be read.
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
    /// Returns the programs that run, in the order of their numbers.
    package func programs() -> [RunningProgram] {
        names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { number in
            guard let name = line("/proc/\(number)/comm"), let user = owner(of: "/proc/\(number)") else { return nil }
            let arguments = text("/proc/\(number)/cmdline") ?? ""
            return RunningProgram(
                process: number, name: name, user: user,
                arguments: arguments.split(separator: "\0", omittingEmptySubsequences: true).map(String.init))
        }
    }

    /// Whether a process holds one of these sockets open; false for a process whose files this user may not see.
    func process(_ number: Int32, holds sockets: Set<UInt64>) -> Bool {
        let folder = "/proc/\(number)/fd"
        return names(in: folder).contains { name in
            guard let target = target(of: "\(folder)/\(name)"), target.hasPrefix("socket:["), target.hasSuffix("]")
            else { return false }
            return UInt64(target.dropFirst(8).dropLast()).map(sockets.contains) ?? false
        }
    }
}
