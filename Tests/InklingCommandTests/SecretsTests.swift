import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingTesting
import InklingVault
import Testing

/// Values that identify a device, and keys from which they can be computed. A verb must not print them unless that is its
/// purpose.
private struct Canaries {
    private var texts: Set<String> = []
    /// Minors of five digits, searched as whole words; no other number in the output has five digits.
    private var minors: Set<String> = []

    /// Adds the secrets of a home, and the values that its node and its contacts show about now.
    mutating func add(_ home: Home, at epoch: UInt64) throws {
        let contents = try home.contents()
        add(contents.noiseKey.value)
        add(try bytesOfFile(home.keyFile))
        for audience in contents.audiences { add(audience.tree.value, at: epoch) }
        for contact in contents.contacts {
            for kept in contact.pairwiseKeys { add(kept.key.value) }
            for grant in contact.grants { add(grant.tree.value, at: epoch) }
        }
    }

    /// Adds an invitation and the secret in it.
    mutating func add(invitation: String) throws {
        texts.insert(invitation)
        let text = Array(invitation.utf8)
        let content = try TextForm.decode(text.span)
        add(content.bytes.withBytes { bytes in (17..<49).map { bytes[$0] } })
    }

    private mutating func add(_ tree: borrowing AudienceTree, at epoch: UInt64) {
        let now = UInt32(epoch)
        for epoch in (now - 2...now + 2).compactMap({ Epoch($0) }) {
            guard let period = tree.periodKey(epoch.period) else { continue }
            for device in [DeviceIndex.first, DeviceIndex(1)].compactMap({ $0 }) {
                let keys = period.deviceKeys(device)
                texts.insert(keys.mdns.serviceName(epoch).description)
                texts.insert(keys.mdns.hostName(epoch).description)
                texts.insert(keys.gatt.tag(epoch).description)
                let minor = String(keys.beacon.minor(epoch).value)
                if minor.count == 5 { minors.insert(minor) }
            }
        }
    }

    private mutating func add(_ secret: borrowing SecretBytes) {
        add(secret.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    private mutating func add(_ secret: [UInt8]) {
        texts.insert(hex(secret))
        // The beginning alone must be found too, in case the rest is cut off.
        texts.insert(hex(secret.prefix(8)))
        texts.insert(secret.prefix(4).map(String.init).joined(separator: ", "))
    }

    var count: Int { texts.count + minors.count }

    /// Returns the values that a text contains.
    func found(in text: String) -> [String] {
        let lowercase = text.lowercased()
        let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        return texts.filter { text.contains($0) || lowercase.contains($0) } + minors.intersection(words)
    }
}

@Suite(.runsPrograms) struct `What the verbs print` {
    @Test func `no verb prints a name, minor, tag, key or secret unless that is its purpose`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        var canaries = Canaries()
        try canaries.add(ada, at: folder.clock.epoch)
        try canaries.add(bo, at: folder.clock.epoch)
        var printed = ""
        func collect(_ home: Home, _ verb: [String]) throws {
            for form in [[], ["--json"]] {
                let outcome = try Program.run(home.words(verb + form))
                printed += outcome.output + outcome.errors
            }
        }

        for verb in [
            ["contacts", "list"], ["contacts", "show", "Bo"], ["contacts", "rename", "Bo", "Bob"],
            ["contacts", "show", "Eve"],
            ["contacts", "rename", "Bob", "Bo"], ["status"], ["send", "Bo", "Tea?"], ["recover", "--reviewed", "Bo"],
            ["accept", "INKLING:I:AAAA"],
        ] {
            try collect(ada, verb)
        }
        printed += try Program.run("version").output + Kit.run("vectors", "list", folder.path).errors

        #if Node
            let nodes = [try ada.start("run", "--json"), try bo.start("run")]
            _ = try nodes[0].fact { $0["presence"]?.text == "confirmed" }
            for verb in [
                ["status"], ["contacts", "list"], ["send", "Bo", "Tea?"], ["contacts", "show", "Bo"], ["run"],
            ] {
                try collect(ada, verb)
            }
            let host = try ada.start("invite", "--yes", "--json")
            let invitation = try unwrap(try host.fact()["invitation"]?.text)
            try canaries.add(invitation: invitation)
            try collect(bo, ["accept", invitation, "--yes"])
            _ = try host.finish()
            for node in nodes {
                node.interrupt()
                let outcome = try node.finish()
                printed += outcome.output + outcome.errors
            }
            try canaries.add(ada, at: folder.clock.epoch)
            try canaries.add(bo, at: folder.clock.epoch)
        #endif

        try collect(ada, ["recover", "--clock"])
        let wrong = try Program.run(
            "contacts", "list", "--home", ada.path, "--key-file", bo.keyFile)
        printed += wrong.output + wrong.errors
        try writeFile(ada.vault, try bytesOfFile(ada.vault).dropLast(5) + [])
        try collect(ada, ["contacts", "list"])
        try collect(bo, ["contacts", "remove", "Ada"])

        // In the first epoch of a period the keys of earlier epochs are erased already, so there are fewer values.
        #expect(canaries.count > 45)
        #expect(printed.contains("Bo"))
        #expect(canaries.found(in: printed) == [])
    }

    @Test func `the search finds keys and names in each form`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        var canaries = Canaries()
        try canaries.add(home, at: folder.clock.epoch)
        let key = try bytesOfFile(home.keyFile)
        #expect(!canaries.found(in: "key \(hex(key).uppercased())").isEmpty)
        #expect(!canaries.found(in: "\(key)").isEmpty)
        let contents = try home.contents()
        let epoch = try #require(Epoch(containing: folder.clock.seconds))
        let period = try unwrap(contents.audiences.first?.tree.value.periodKey(epoch.period))
        let keys = period.deviceKeys(.first)
        #expect(!canaries.found(in: "name=\(keys.mdns.serviceName(epoch)).").isEmpty)
        #expect(canaries.found(in: "none of these: 123456, Ada") == [])
    }
}
