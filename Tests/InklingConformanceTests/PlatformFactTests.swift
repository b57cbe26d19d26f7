import InklingConformance
import InklingEngine
import Testing

@Suite struct `Facts about platforms` {
    @Test func `without any one fact a named row of the sources is answered otherwise`() throws {
        let documents = try ["platform-profile", "transport-plan"].map { try vectorDocument("\($0).json") }
        let facts = PlatformProfiles.known.facts
        for fact in facts {
            let shim = Shim(knowing: PlatformProfiles(facts.filter { $0 != fact }))
            let rows = documents.flatMap { VectorVerification(of: $0, by: shim).differences }.map(\.comment)
                .filter { !$0.hasPrefix("generated") }
            #expect(!rows.isEmpty, "\(fact.id)")
        }
    }

    @Test func `the library names no row of the sources`() throws {
        // What the policy answers must follow from facts, and not from knowing the question.
        let documents = try ["platform-profile", "transport-plan"].map { try vectorDocument("\($0).json") }
        #expect(documents.allSatisfy { VectorVerification(of: $0).differences.isEmpty })
    }
}
