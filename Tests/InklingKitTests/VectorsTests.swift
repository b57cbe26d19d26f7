import InklingJSON
import InklingProgramTesting
import Testing

/// The folder Vectors of this checkout; this file is Tests/InklingKitTests/VectorsTests.swift.
private let vectors =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/Vectors"

@Suite(.runsPrograms) struct `inkling-kit vectors` {
    /// Creates a folder with one vector file, in which a text is replaced.
    private func damaged(_ file: String, _ old: String, _ new: String) throws -> (folder: Folder, path: String) {
        let folder = try Folder()
        let text = String(decoding: try bytesOfFile("\(vectors)/\(file)"), as: UTF8.self)
        let place = try #require(text.firstRange(of: old))
        let changed = text[..<place.lowerBound] + new + text[place.upperBound...]
        return (folder, try folder.write(file, Array(changed.utf8)))
    }

    /// Creates a folder with an ordinary, an accumulated and an external file.
    private func folder() throws -> Folder {
        let folder = try Folder()
        for file in ["accumulated.json", "mdns-name.json", "external/wycheproof-x25519.json"] {
            let name = file.split(separator: "/").last.map(String.init) ?? file
            try folder.write(name, try bytesOfFile("\(vectors)/\(file)"))
        }
        return folder
    }

    /// The whole folder is verified by the library's tests, and in release with the README.
    @Test func `verifies ordinary, accumulated and external files`() throws {
        let folder = try folder()
        let outcome = try Kit.run("vectors", "verify", folder.path, "--json")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.isEmpty)
        let facts = try outcome.facts()
        for fact in facts {
            #expect(fact.names == ["file", "operation", "agreed", "differing", "omitted"])
            #expect(fact["differing"]?.integer == 0)
        }
        let listed = try Kit.run("vectors", "list", folder.path, "--json").facts()
        #expect(facts.map { $0["file"]?.text } == listed.map { $0["file"]?.text })
        #expect(facts.map { $0["agreed"]?.integer } == [14, 66, 518])
        #expect(facts.map { $0["omitted"]?.integer } == [7, 0, 0])
        #expect(listed.map { $0["cases"]?.integer } == [21, 66, 518])
    }

    @Test func `lists files, counts and pages in columns`() throws {
        let folder = try folder()
        let outcome = try Kit.run("vectors", "list", folder.path)
        #expect(outcome.status == 0)
        let columns = outcome.lines.map { $0.prefix(before: " cases   Specs/")?.count }
        #expect(!columns.contains(nil))
        #expect(Set(columns).count == 1)
        for fact in try Kit.run("vectors", "list", folder.path, "--json").facts() {
            #expect(fact.names == ["file", "operation", "cases", "specification", "description"])
        }
    }

    @Test func `names the case, the expected and the computed result of a difference`() throws {
        let right = "ee86ffa399825968e402a6832c863656"
        let wrong = "fe86ffa399825968e402a6832c863656"
        let (folder, _) = try damaged("mdns-name.json", right, wrong)
        let spoken = try Kit.run("vectors", "verify", folder.path)
        #expect(spoken.status == 1)
        #expect(spoken.output.contains("✗ mdns-name.json: 65 of 66\n"))
        #expect(spoken.output.contains("  mdns-name-0005: root 20…3f, device 0\n"))
        #expect(spoken.output.contains(#"expected {"result":{"name":"\#(wrong)"}}"#))
        #expect(spoken.output.contains(#"got      {"result":{"name":"\#(right)"}}"#))
        #expect(spoken.output.hasSuffix("65 cases in 1 file agree, 1 differs\n"))
        #expect(spoken.errors == "inkling-kit: 1 case differs in \(folder.path)\n")

        let outcome = try Kit.run("vectors", "verify", folder.path, "--json")
        #expect(outcome.status == 1)
        let facts = try outcome.facts()
        #expect(facts.count == 2)
        #expect(facts.first?["differing"]?.integer == 1)
        #expect(facts.last?.names == ["file", "id", "comment", "expected", "got"])
        #expect(facts.last?["id"]?.text == "mdns-name-0005")
    }

    @Test(
        arguments: [
            (#""caseCount": 66"#, #""caseCount": 67"#, "caseCount is 67, but the number of cases is 66", 6),
            (#""caseCount": 66"#, #""caseCount": 66, "surplus": 1"#, "the file has an unknown member 'surplus'", 6),
            (
                #""id": "mdns-name-0002", "#, #""id": "mdns-name-0002", "surplus": 1, "#,
                "mdns-name-0002 has an unknown member 'surplus'", 31
            ),
            (#""id": "mdns-name-0003""#, #""id": "mdns-name-0001""#, "the id 'mdns-name-0001' is used twice", 32),
            (#""specification": "Specs/identifiers.md","#, "", "the file has no usable member 'specification'", nil),
            (#""caseCount": 66"#, #""caseCount": 66,,"#, "not JSON", 6),
            (#""id": "mdns-name-0001", "#, #""id": "mdns-name-0001", "id": "x", "#, "a member name is repeated", 30),
        ] as [(String, String, String, Int?)])
    func `rejects a file that is not a vector file, and names the line`(
        old: String, new: String, reason: String, line: Int?
    ) throws {
        let (folder, path) = try damaged("mdns-name.json", old, new)
        for verb in ["list", "verify"] {
            let outcome = try Kit.run("vectors", verb, folder.path)
            #expect(outcome.status == 65)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("\(path)\(line.map { ":\($0)" } ?? ""): "), "\(outcome)")
            #expect(outcome.errors.contains(reason), "\(outcome)")
        }
    }

    @Test func `rejects a folder that is missing or contains no vectors`() throws {
        let folder = try Folder()
        let empty = try Kit.run("vectors", "verify", folder.path)
        #expect(empty.status == 65)
        #expect(empty.errors.contains("\(folder.path) contains no vector files"))
        let missing = try Kit.run("vectors", "list", "\(folder.path)/missing")
        #expect(missing.status == 65)
        #expect(missing.errors.contains("cannot read the folder \(folder.path)/missing"))
    }
}

extension String {
    /// Returns the part before a text; nil when the text does not occur.
    fileprivate func prefix(before text: String) -> Substring? {
        firstRange(of: text).map { self[..<$0.lowerBound] }
    }
}
