import InklingVectors
import Testing

@testable import InklingJSON

/// Creates a file with one valid and one refused case, and replaces the texts in `changes`.
private func file(_ changes: (String, String)...) -> [UInt8] {
    var text = """
        {"schema": "schema/epoch.schema.json", "specification": "Specs/keys.md", "operation": "epoch",
        "description": "Epochs.", "caseCount": 2, "notes": {"boundary": {"meaning": "m", "reason": "r"}},
        "cases": [
        {"id": "epoch-0001", "comment": "c", "flags": ["boundary"], "requirements": [], "args": {"unixSeconds": 900},
        "result": {"epoch": 1, "period": 0}},
        {"id": "epoch-0002", "comment": "c", "flags": [], "requirements": ["INK-KEY-001"], "args": {},
        "error": {"stage": "arguments", "reason": "missing"}}]}
        """
    for (old, new) in changes { text = text.replacing(old, with: new) }
    return Array(text.utf8)
}

private func differences(_ bytes: [UInt8]) throws -> [String] {
    VectorVerification(of: try VectorDocument(parsing: bytes)).differences.map { "\($0.expected) \($0.got)" }
}

@Suite struct `A vector file` {
    @Test func `has no differences when it is correct`() throws {
        #expect(try differences(file()).isEmpty)
        #expect(try VectorDocument(parsing: file()).caseCount == 2)
        #expect(try VectorFile(parsing: file()).insensitive.isEmpty)
    }

    /// Covers INK-CNF-007.
    @Test(arguments: [
        (#""epoch": 1"#, #""epoch": 2"#, #"{"result":{"epoch":2,"period":0}} {"result":{"epoch":1,"period":0}}"#),
        (#""epoch": 1"#, #""epoch": 1.0"#, #"{"result":{"epoch":1.0,"period":0}} {"result":{"epoch":1,"period":0}}"#),
        (
            #", "period": 0"#, "", #"{"result":{"epoch":1}} {"result":{"epoch":1,"period":0}}"#
        ),
        (
            #""reason": "missing""#, #""reason": "wrong-type""#,
            #"{"error":{"stage":"arguments","reason":"wrong-type"}} {"error":{"stage":"arguments","reason":"missing"}}"#
        ),
        (
            #""unixSeconds": 900"#, #""unixSeconds": "900x""#,
            #"{"result":{"epoch":1,"period":0}} {"error":{"stage":"arguments","reason":"wrong-type"}}"#
        ),
    ])
    func `differs only in the case that is wrong`(old: String, new: String, difference: String) throws {
        #expect(try differences(file((old, new))) == [difference])
    }

    @Test func `differs in every case when the operation is unknown`() throws {
        #expect(try differences(file((#""operation": "epoch""#, #""operation": "era""#))).count == 2)
    }

    /// Covers INK-CNF-008, INK-CNF-030.
    @Test(arguments: [
        (#""caseCount": 2"#, #""caseCount": 3"#, VectorFileError.wrongCount(declared: 3, found: 2)),
        ("epoch-0002", "epoch-0001", .repeatedID("epoch-0001")),
        (#"["boundary"]"#, #"["limit"]"#, .unexplainedFlag("limit", in: "epoch-0001")),
        (#""comment": "c", "flags": []"#, #""remark": "c", "flags": []"#, .unknownMember("remark", in: "epoch-0002")),
        (#""description""#, #""summary""#, .unknownMember("summary", in: "the file")),
        (#""error": {"stage""#, #""fault": {"stage""#, .unknownMember("fault", in: "epoch-0002")),
        (
            #""result": {"epoch": 1, "period": 0}"#, #""intermediates": {}"#,
            .missing("result or error", in: "epoch-0001")
        ),
        (#""error": {"stage": "arguments", "#, #""error": {"#, .wrongType("error of epoch-0002")),
        (#""error": {"#, #""result": {}, "error": {"#, .missing("result or error", in: "epoch-0002")),
        (#""error": {"#, #""intermediates": {}, "error": {"#, .missing("result or error", in: "epoch-0002")),
        (#""schema": "schema/epoch.schema.json", "#, "", .missing("schema", in: "the file")),
        (#""caseCount": 2"#, #""caseCount": 2, "insensitive": []"#, .wrongType("insensitive")),
        (#""caseCount": 2"#, #""caseCount": 2, "sourceVectorCount": 2"#, .wrongType("sourceVectorCount")),
    ])
    func `is refused when it is malformed`(old: String, new: String, error: VectorFileError) {
        #expect(throws: error) { try VectorDocument(parsing: file((old, new))) }
    }

    /// Covers INK-CNF-031.
    @Test func `is refused with the position of the fault when it is not JSON`() {
        #expect(throws: VectorFileError.notJSON(JSONError(fault: .unexpectedEnd, offset: 1, line: 1))) {
            try VectorDocument(parsing: Array("{".utf8))
        }
        #expect(throws: VectorFileError.wrongType("the file")) { try VectorDocument(parsing: Array("[]".utf8)) }
    }
}

@Suite struct `A file of accumulated digests` {
    private func document(_ operation: String, digest: String, extra: String = "") throws -> VectorDocument {
        let text = """
            {"schema": "schema/accumulated.schema.json", "specification": "Specs/conformance.md", "description": "d",
            "caseCount": 1, "cases": [{"id": "accumulated-0001", "comment": "c", "operation": "\(operation)",
            "count": 1000, "digest": "\(digest)"\(extra)}]}
            """
        return try VectorDocument(parsing: Array(text.utf8))
    }

    @Test func `agrees, differs, or is skipped above the output limit`() throws {
        let digest = "dde279a61b82947947f2818e622bd3fe1bab91832293f514b8dd48f5800b5e99"
        let right = VectorVerification(of: try document("beacon-minor", digest: digest))
        #expect(right.agreed == 1)
        let wrong = VectorVerification(of: try document("gatt-tag", digest: digest))
        #expect(wrong.agreed == 0)
        #expect(wrong.differences.map(\.id) == ["accumulated-0001"])
        let unknown = VectorVerification(of: try document("weather", digest: digest))
        #expect(unknown.differences.map(\.got) == [#"{"unsupported":true}"#])
        let long = VectorVerification(of: try document("beacon-minor", digest: digest), outputLimit: 999)
        #expect(long.omitted == 1)
        #expect(long.agreed == 0)
    }

    @Test func `is refused when it has an unknown member`() {
        #expect(throws: VectorFileError.unknownMember("seed", in: "accumulated-0001")) {
            try document("derive", digest: "", extra: #", "seed": 1"#)
        }
    }
}
