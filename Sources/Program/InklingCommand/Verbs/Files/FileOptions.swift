import ArgumentParser
import InklingAccess
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal

/// The options of `inkling run` for files that contacts send.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Save files from contacts in this folder, which must exist.",
            discussion: "Each is offered first; see 'inkling files'. Without a folder every file is refused.",
            valueName: "folder"))
    var receiveFiles: String?
    @Option(
        help: ArgumentHelp(
            "Accept files up to this size without asking: bytes, or with k, M or G; or CONTACT=SIZE.",
            discussion: "Default: 0, nothing. It can be given more than once.", valueName: "size"))
    var fileLimit: [String] = []

    func validate() throws {
        for limit in fileLimit where byteCount(ofSize: Self.parts(of: limit).size) == nil {
            throw ValidationError("--file-limit must be a size such as 500k, 20M or 1G, got \(limit)")
        }
        guard fileLimit.isEmpty || receiveFiles != nil else {
            throw ValidationError("--file-limit needs --receive-files")
        }
    }

    /// Takes the options that the command line omits from a configuration file.
    mutating func complete(from configuration: Configuration) {
        receiveFiles = receiveFiles ?? configuration.text(.folder)
        guard fileLimit.isEmpty else { return }
        let others = configuration.sizes(.limits).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        fileLimit = (configuration.text(.limit).map { [$0] } ?? []) + others
    }

    /// Returns the storage for the files of a home.
    func storage(in home: String) -> any FileStorage { DiskStorage(home: home, folder: receiveFiles) }

    /// Tells the node which files to take without asking.
    ///
    /// - Throws: `Failure` when a contact is not known.
    func apply(to node: Node) async throws(Failure) {
        var rule = FileRule()
        for limit in fileLimit {
            let (contact, size) = Self.parts(of: limit)
            let bytes = byteCount(ofSize: size) ?? 0
            if let contact {
                rule.limits[try await ServedNode(node: node).contact(contact).user] = bytes
            } else {
                rule.limit = bytes
            }
        }
        await node.takeFiles(by: rule)
    }

    private static func parts(of limit: String) -> (contact: String?, size: String) {
        guard let sign = limit.lastIndex(of: "=") else { return (nil, limit) }
        return (String(limit[..<sign]), String(limit[limit.index(after: sign)...]))
    }
}
