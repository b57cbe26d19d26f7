import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@Suite(.runsPrograms) struct `inkling explain` {
    @Test func `without a running node it shows the expected values, and that no node runs`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let fact = try #require(try ada.facts("explain", "Bo").first)
        #expect(fact["presence"]?.text == "unseen")
        #expect(fact["why"]?.text == "no node runs to look for it")
        let expected = try #require(fact["expected"]?.list).compactMap(\.object)
        #expect((2...3).contains(expected.count))
        for one in expected {
            #expect(one["name"]?.text?.utf8.count == 32)
            #expect((0...65_535).contains(one["minor"]?.integer ?? -1))
        }
        #expect(fact["seen"]?.list?.isEmpty == true)
        #expect(fact["strangers"]?.integer == 0)
        let spoken = try ada.run("explain", "Bo")
        #expect(spoken.output.contains("with 0 strangers heard\n"))
        #expect(spoken.output.hasPrefix("Bo is unseen: no node runs to look for it (inkling run --home \(ada.path))\n"))
        #expect(spoken.output.contains("\nseen         nothing\n"))
    }

    @Test func `says that a contact has granted no keys, and rejects an unknown contact`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let cy = try Home("Cy", in: folder)
        try ada.add(cy)
        let spoken = try ada.run("explain", "Cy")
        #expect(spoken.output.contains("\n             nothing: it has granted no keys for this time\n"))
        let refused = try ada.run("explain", "Nobody")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("there is no contact 'Nobody'"))
    }
}
