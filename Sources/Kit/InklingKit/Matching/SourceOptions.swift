import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingPredictions
import InklingTerminal

/// The options that choose whose values are predicted: a node's contacts, or the owners of roots in files.
struct SourceOptions: ParsableArguments {
    @OptionGroup var home: HomeOptions
    @Option(
        help: ArgumentHelp(
            "Predict from a file with an audience root instead of the contacts; can be repeated.",
            discussion: "32 bytes or 64 hexadecimal digits; LABEL is the file's name unless given.",
            valueName: "[label=]file"))
    var rootFile: [String] = []
    @Flag(help: "Predict the public example of Specs/keys.md (bytes 20…3f) instead of the contacts.")
    var example = false
    @Option(help: "Predict this many devices of each root, 1 to 16.") var devices: UInt8 = 1

    func validate() throws {
        guard (1...DeviceIndex.limit).contains(devices) else {
            throw ValidationError("--devices must be 1 to 16, got \(devices)")
        }
        guard !rootFile.contains(where: { $0.hasSuffix("=-") || $0 == "-" }) else {
            throw ValidationError("--root-file requires a file: roots are not read from standard input")
        }
    }

    /// Opens the source; asks for a passphrase only when nothing else unlocks the vault.
    ///
    /// - Throws: `Failure` when a file, the vault or the running node cannot be read.
    func open() async throws(Failure) -> PredictionSource {
        var roots: [(label: String, grants: [HeldGrant])] = []
        if example { roots.append(("example", grants(SecretBytes(copying: Array(0x20...0x3f).span)))) }
        for text in rootFile {
            let parts = text.split(separator: "=", maxSplits: 1)
            let path = String(parts.count == 2 ? parts[1] : parts.first ?? "")
            roots.append((String(parts.first ?? ""), grants(try readKey(path))))
        }
        guard Set(roots.map(\.label)).count == roots.count else {
            throw Failure(.usage, "two root files have the same label", remedy: "Write: --root-file ada=FILE")
        }
        if !roots.isEmpty { return PredictionSource(roots) }
        let place = try home.control()
        if try ControlSocket.connect(to: place) != nil { return PredictionSource(nodeAt: place) }
        let opened = try await OpenedNode(home, isVisible: false)
        return PredictionSource(await opened.node.recognisableContacts())
    }

    private func grants(_ root: consuming SecretBytes) -> [HeldGrant] {
        let devices = (0..<devices).compactMap { DeviceIndex($0) }
        return [HeldGrant(audience: .granted(0), devices: devices, tree: SecretBox(AudienceTree(root: root)))]
    }
}
