import InklingConformance
import Testing

@Suite struct `Every vector in the folder` {
    private let folder: VectorFolder

    init() throws { folder = try VectorFolder() }

    @Test func `is answered as the file says`() {
        var agreed = 0
        for entry in folder.entries {
            // Debug builds take their time over a million outputs; `inkling vectors verify --all` computes those too.
            let outcome = VectorVerification(of: entry.document, outputLimit: 100_000)
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

    @Test func `that others published is there in full`() throws {
        for case .cases(let file) in folder.entries.filter(\.isExternal).map(\.document) {
            let count = try #require(file.sourceVectorCount, "\(file.description)")
            print("\(file.description): \(count) vectors of the source in \(file.cases.count) cases")
            #expect(file.cases.count >= count, "\(file.description)")
        }
    }

    @Test func `has a schema, and every schema has vectors`() {
        let own = folder.entries.filter { !$0.isExternal }.map { String($0.name.dropLast(".json".count)) }
        #expect(own == folder.schemas)
    }

    @Test func `belongs to an operation of the shim, and every operation has vectors`() {
        let covered = Set(folder.entries.map(\.document.operation)).subtracting(["accumulated"])
        #expect(covered == Set(Shim().operationNames).subtracting(["capabilities"]))
    }
}
