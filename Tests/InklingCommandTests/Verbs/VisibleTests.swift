import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@testable import InklingCommand

#if Node
    private let visibilityNames = ["to", "audience", "contact", "id"]

    @Suite(.runsPrograms) struct `inkling visible` {
        @Test func `keeps the choice in a home whose node does not run, and refuses who is no contact`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let one = try #require(try ada.facts("visible", "Bo").first)
            #expect(one.names == visibilityNames)
            #expect(one["to"]?.text == "contact" && one["contact"]?.text == "Bo")
            #expect(one["id"] == (try ada.facts("contacts", "list").first?["id"]))
            #expect(try ada.run("visible", "nobody").output == "From now on visible to nobody.\n")
            #expect(try ada.run("visible", "Bo").output == "From now on visible to Bo only.\n")
            let unknown = try ada.run("visible", "Zoe")
            #expect(unknown.status == 65 && unknown.errors.contains("there is no contact 'Zoe'"))
            let node = try ada.start("run", "--json")
            try node.waitForControl(of: ada)
            let status = try #require(try ada.facts("status").first)
            #expect(status["visibility"]?.object?["contact"]?.text == "Bo")
            // Visibility to one contact alone becomes visibility to nobody when that contact is removed.
            _ = try ada.facts("contacts", "remove", "Bo")
            #expect(try ada.facts("status").first?["visibility"]?.object?["to"]?.text == "nobody")
        }

        @Test func `changes a running node, which says so and shows other values`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let node = try ada.start("run", "--json", "--invisible")
            try node.waitForControl(of: ada)
            #expect(try ada.facts("status").first?["visibility"]?.object?["to"]?.text == "nobody")
            let own = try ada.run("visible", "all")
            #expect(own.output == "From now on visible to all contacts.\n")
            let all = try node.fact { $0["event"]?.text == "visibility" }
            #expect(all.names == ["schema", "event"] + visibilityNames + ["time", "unixMilliseconds"])
            #expect(all["to"]?.text == "all" && all["id"] == .null)
            _ = try node.fact(where: isVisible)
            #expect(try ada.run("visible", "Bo").status == 0)
            let one = try node.fact { $0["event"]?.text == "visibility" }
            #expect(one["to"]?.text == "contact" && one["contact"]?.text == "Bo")
            _ = try node.fact(where: isVisible)
            #expect(try ada.run("status").output.hasPrefix("node      visible to Bo only; "))
            _ = try ada.facts("audience", "create", "friends")
            _ = try ada.facts("audience", "assign", "Bo", "friends")
            #expect(
                try ada.run("audience", "show", "friends").output
                    == "From now on visible to the audience friends only.\n")
            let audience = try node.fact { $0["event"]?.text == "visibility" }
            #expect(audience["to"]?.text == "audience" && audience["audience"]?.text == "friends")
            _ = try node.fact(where: isVisible)
            #expect(try ada.facts("audience", "list").map { $0["shown"]?.flag } == [false, true])
            #expect(try ada.run("visible", "Bo").status == 0)
            _ = try node.fact(where: isVisible)

            // Bo's node recognises what is shown to it alone.
            let other = try bo.start("run", "--json")
            _ = try other.fact(where: isConfirmed)
            /// Returns whether Bo's node sees a value of Ada in this audience, and counts it.
            func counts(_ audience: ExplanationFact.AudienceKind) throws -> Bool {
                try ask(Request.Explain(contact: "Ada"), of: bo.path).contains { explanation in
                    explanation.seen.contains { $0.audience == audience && $0.counts }
                }
            }
            // Ada's node may have found Bo's, and confirmed it, before Bo's has seen anything.
            try wait { try counts(.pair) }
            #expect(try !counts(.granted))
            #expect(try ada.run("explain", "Bo").output.contains("shown        visible to Bo only\n"))
        }
    }
#endif
