import InklingConformance
import InklingEngine
import Testing

@Suite struct `Facts about platforms` {
    private let documents: [VectorDocument]

    init() throws {
        let names = ["platform-profile.json", "transport-plan.json"]
        documents = try VectorFolder().entries.filter { names.contains($0.name) }.map(\.document)
        try #require(documents.count == names.count)
    }

    @Test func `without any one fact a named row of the sources is answered otherwise`() {
        let facts = PlatformProfiles.known.facts
        for fact in facts {
            let shim = Shim(knowing: PlatformProfiles(facts.filter { $0 != fact }))
            let rows = documents.flatMap { VectorVerification(of: $0, by: shim).differences }.map(\.comment)
                .filter { !$0.hasPrefix("generated") }
            #expect(!rows.isEmpty, "\(fact.id)")
        }
    }
}
