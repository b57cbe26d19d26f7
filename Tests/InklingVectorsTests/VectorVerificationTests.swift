import InklingTesting
import InklingVectors
import Testing

@Suite struct `Every vector in the folder` {
    private let folder: VectorFolder

    init() throws { folder = try VectorFolder() }

    /// Covers INK-CNF-006, INK-CNF-030.
    @Test func `gives the result in its file`() throws {
        var agreed = 0
        for entry in folder.entries {
            // A debug build is too slow for more. The documents' check runs `inkling-kit vectors verify`, which computes
            // 100,000 outputs.
            let document = try VectorDocument(parsing: entry.bytes)
            #expect(entry.writtenOperation ?? "accumulated" == document.operation, "\(entry.name)")
            let outcome = VectorVerification(of: document, outputLimit: 2000)
            for difference in outcome.differences {
                Issue.record(
                    """
                    \(entry.name) \(difference.id): \(difference.comment)
                    expected \(difference.expected)
                    got      \(difference.got)
                    """)
            }
            #expect(outcome.agreed + outcome.differences.count + outcome.omitted == entry.writtenCaseCount)
            agreed += outcome.agreed
        }
        print("\(agreed) cases in \(folder.entries.count) vector files agree")
        #expect(folder.entries.count > 20)
    }

    @Test func `includes all vectors of the external sources`() throws {
        var vectors: [String: Int] = [:]
        for entry in folder.entries where entry.isExternal {
            guard case .cases(let file) = try VectorDocument(parsing: entry.bytes) else { continue }
            let count = try #require(file.sourceVectorCount, "\(entry.name)")
            // A Noise vector gives two cases, one for each side, every other vector one.
            #expect(file.cases.count == (file.operation == "noise" ? 2 * count : count), "\(entry.name)")
            print("\(entry.name): \(count) vectors of the source in \(file.cases.count) cases")
            vectors[String(entry.name.dropFirst("external/".count).dropLast(".json".count))] = count
        }
        #expect(
            vectors == [
                "noise-bitchat": 2, "noise-cacophony": 59, "noise-snow": 51, "rfc4231-hmac-sha256": 7,
                "rfc5869-hkdf-sha256": 3, "rfc7748-x25519": 8, "rfc8032-ed25519-sign": 4,
                "wycheproof-chacha20-poly1305": 325, "wycheproof-chacha20-poly1305-seal": 256,
                "wycheproof-ed25519": 151, "wycheproof-hkdf-sha256": 86, "wycheproof-hmac-sha256": 174,
                "wycheproof-x25519": 518, "wycheproof-xchacha20-poly1305": 315,
                "wycheproof-xchacha20-poly1305-seal": 246,
            ])
    }

    /// Covers INK-CNF-031.
    @Test func `has a schema, and every schema has vectors`() {
        let names = folder.entries.map { String($0.name.dropLast(".json".count)).replacing("/", with: "-") }
        #expect(names.sorted() == folder.schemas)
    }

    /// Covers INK-CNF-009.
    @Test func `belongs to an operation of the shim, and every operation has vectors`() {
        let covered = Set(folder.entries.compactMap(\.writtenOperation))
        #expect(covered == Set(Shim().operationNames).subtracting(["capabilities"]))
    }
}
