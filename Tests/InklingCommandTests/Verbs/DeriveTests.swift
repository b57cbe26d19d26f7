import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

private let root = Array(UInt8(0x20)...0x3f)

@Suite(.runsPrograms) struct `inkling derive` {
    // The values are those of Vectors/ and Specs/identifiers.md; the independent generator computed them.
    @Test(
        arguments: [
            (
                "2026-08-01T16:14:59Z", 1_984_000, 63941, "ee86ffa399825968e402a6832c863656",
                "247f2895250d23da6bb0d8d9e9808ea3", "0bdc3018c5e0835a1c2da209526c3f94"
            ),
            (
                "1785600899", 1_984_000, 63941, "ee86ffa399825968e402a6832c863656", "247f2895250d23da6bb0d8d9e9808ea3",
                "0bdc3018c5e0835a1c2da209526c3f94"
            ),
            ("2026-08-01 16:15:00.5Z", 1_984_001, 39665, "4bfc5b501e8469baa43d07fbdb67b3e8", nil, nil),
            ("2026-08-01T18:15:00+02:00", 1_984_001, 39665, "4bfc5b501e8469baa43d07fbdb67b3e8", nil, nil),
        ] as [(String, Int64, Int64, String, String?, String?)])
    func `a device shows the same values until its epoch ends`(
        moment: String, epoch: Int64, minor: Int64, name: String, host: String?, tag: String?
    ) throws {
        let outcome = try Program.run("derive", "--example", "--at", moment, "--json")
        let facts = try #require(try outcome.facts().first)
        #expect(outcome.status == 0)
        #expect(
            facts.names == ["epoch", "period", "device", "validUntil", "minor", "name", "host", "tag", "serviceType"])
        #expect(facts["epoch"]?.integer == epoch)
        #expect(facts["period"]?.integer == 496_000)
        #expect(facts["validUntil"]?.integer == (epoch + 1) * 900)
        #expect(facts["minor"]?.integer == minor)
        #expect(facts["name"]?.text == name)
        if let host { #expect(facts["host"]?.text == host) }
        if let tag { #expect(facts["tag"]?.text == tag) }
        let spoken = try Program.run("derive", "--example", "--at", moment).output
        #expect(spoken.contains("name    \(name)._inkling._tcp.local\n"))
        #expect(spoken.contains("minor   \(minor)\n"))
    }

    @Test func `another device of the same user shows other values`() throws {
        let facts = try Program.run("derive", "--example", "--device", "1", "--at", "1785600000", "--json").facts()
        #expect(facts.first?["name"]?.text == "d3dcd03c463d203da83eb00153784538")
        #expect(facts.first?["minor"]?.integer == 0x3133)
        #expect(facts.first?["device"]?.integer == 1)
    }

    @Test func `reads a key raw or as hexadecimal digits, from a file or from standard input`() throws {
        let folder = try Folder()
        let digits = hex(root)
        let contents = [root, Array(digits.utf8), Array(digits.uppercased().utf8), Array("\(digits)\n".utf8)]
        let expected = try Program.run("derive", "--example", "--at", "1785600000", "--json").output
        for content in contents {
            let file = try folder.write("key", content)
            #expect(try Program.run("derive", "--key-file", file, "--at", "1785600000", "--json").output == expected)
            let piped = try Program.run(
                "derive", "--key-file", "-", "--at", "1785600000", "--json", input: .bytes(content))
            #expect(piped.output == expected)
        }
    }

    @Test func `rejects a file that is not a key, and does not print its bytes`() throws {
        let folder = try Folder()
        let contents = [
            [], Array(root.dropLast()), root + [1], Array("\(hex(root))0".utf8),
            Array("zz\(hex(root.dropFirst()))".utf8),
            Array("\(hex(root))\n\n".utf8), [UInt8](repeating: 0x41, count: 100_000),
        ]
        for content in contents {
            let file = try folder.write("key", content)
            let outcome = try Program.run("derive", "--key-file", file)
            #expect(outcome.status == 65)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("\(file) is not a key: expected 32 bytes or 64 hexadecimal digits"))
            #expect(!outcome.errors.contains(hex(root.dropFirst())))
        }
        let missing = try Program.run("derive", "--key-file", "\(folder.path)/missing")
        #expect(missing.status == 65)
        #expect(missing.errors.contains("No such file"))
    }

    @Test(arguments: [
        "yesterday", "", "-1", "2026-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "99999999999", "18446744073709551616",
    ])
    func `rejects an invalid time, and a time without keys`(moment: String) throws {
        let outcome = try Program.run("derive", "--example", "--at=\(moment)")
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("2026-08-01T16:00:00Z"))
    }
}
