import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingTesting
import InklingVault
import Testing

private let audienceNames = ["audience", "within", "generation", "members", "holders", "shown"]

@Suite(.runsPrograms) struct `inkling audience` {
    @Test func `creates, fills, renames and removes audiences, and says who can recognise the user until when`() throws
    {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let created = try ada.facts("audience", "create", "friends")
        #expect(created.map(\.names) == [audienceNames])
        #expect(created.first?["within"]?.text == "all" && created.first?["members"]?.integer == 0)
        _ = try ada.facts("audience", "create", "close", "--within", "friends")
        #expect(
            try ada.run("audience", "assign", "Bo", "close").output
                == "close               in friends          1 member    0 can recognise you by it\n")
        let listed = try ada.facts("audience", "list")
        #expect(listed.map { $0["audience"]?.text } == ["all", "friends", "close"])
        #expect(listed.map { $0["members"]?.integer } == [1, 1, 1])
        #expect(listed.map { $0["holders"]?.integer } == [1, 0, 0])
        #expect(listed.map { $0["shown"]?.flag } == [true, false, false])

        let who = try #require(try ada.facts("audience", "who").first)
        #expect(who.names == ["contact", "id", "relation", "grants", "shownAlone", "recognisedUntil"])
        let grants = try #require(who["grants"]?.list)
        #expect(grants.map { $0.object?["audience"]?.text } == ["all"])
        #expect(grants.first?.object?.names == ["audience", "generation", "until", "remaining", "renewed", "shown"])
        #expect(try ada.run("audience", "who").lines.first?.hasPrefix("WHO                 AUDIENCE") == true)
        _ = try ada.facts("contacts", "grant", "Bo")
        #expect(try ada.facts("audience", "who").first?["grants"]?.list?.count == 3)

        let left = try ada.run("audience", "unassign", "Bo", "friends")
        #expect(left.output.contains("Bo can recognise you by it until "))
        #expect(left.output.contains("inkling contacts renew --audience friends --home"))
        let renewed = try ada.run("contacts", "renew", "--audience", "friends")
        #expect(renewed.output == "Nobody can recognise this node by earlier grants of friends any more.\n")
        let held = try ada.facts("audience", "who").first?["grants"]?.list
        #expect(held?.map { $0.object?["audience"]?.text } == ["all", "close"])

        #expect(try ada.facts("audience", "rename", "friends", "mates").first?["audience"]?.text == "mates")
        #expect(try ada.run("audience", "show", "mates").output == "From now on visible to the audience mates only.\n")
        #expect(try ada.run("audience", "remove", "mates").output == "The audience mates is removed.\n")
        #expect(try ada.facts("audience", "list").map { $0["audience"]?.text } == ["all", "close"])
        #expect(try ada.contents().visibility == .nobody)
    }

    @Test func `refuses names that are unknown, in use or ambiguous, with a remedy`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        _ = try ada.facts("audience", "create", "friends")
        for name in ["friends", "all", "nobody", ""] {
            let taken = try ada.run("audience", "create", name)
            #expect(taken.status == 65 && taken.errors.contains("an audience cannot have this name"), "\(name)")
        }
        let unknown = try ada.run("audience", "assign", "Bo", "frends")
        #expect(unknown.status == 65)
        #expect(unknown.errors.contains("there is no audience 'frends'; did you mean 'friends'?"))
        #expect(unknown.errors.contains("inkling audience list --home \(ada.path)\n"))
        #expect(try ada.run("audience", "remove", "all").status == 65)
        // An audience with the name of a contact.
        _ = try ada.facts("audience", "create", "Bo")
        let twice = try ada.run("visible", "Bo")
        #expect(twice.status == 65 && twice.errors.contains("both an audience and a contact are named 'Bo'"))
        let id = try #require(try ada.facts("contacts", "list").first?["id"]?.text)
        #expect(try ada.run("visible", id).output == "From now on visible to Bo only.\n")
    }
}

@Suite(.runsPrograms) struct `inkling contacts revoke` {
    @Test func `says what each level changes, and does it only with consent`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let carol = try Home("Carol", in: folder)
        try acquaint(ada, carol)
        let unasked = try ada.run("contacts", "revoke", "Bo", "--level", "R3")
        #expect(unasked.status == 64 && unasked.errors.contains("Add --yes"))
        #expect(try ada.facts("audience", "who").map { $0["grants"]?.list?.count } == [1, 1])

        let lapse = try ada.run("contacts", "revoke", "Bo", "--level", "lapse", "--yes")
        #expect(lapse.lines.first == "Bo's grants are no longer renewed.")
        #expect(try ada.facts("audience", "who").first?["relation"]?.text == "lapsing")
        let block = try ada.run("contacts", "revoke", "Bo", "--level", "R1", "--yes")
        #expect(block.lines.first == "Bo is blocked: no session, no answer, no invitation, at once.")
        #expect(try ada.run("contacts", "list").lines.first?.hasSuffix("; blocked") == true)
        #expect(try ada.facts("contacts", "unblock", "Bo").first?["blocked"]?.flag == false)

        let blind = try #require(
            try ada.facts("contacts", "revoke", "Bo", "--level", "blind", "--yes").first)
        #expect(
            blind.names == [
                "contact", "id", "level", "device", "done", "recognisesUsUntil", "recognisesUsAfterwards", "renewed",
                "holdersOfGrants", "holdersWhomWeRecognise", "changesIdentifiers",
            ])
        #expect(blind["level"]?.text == "R3" && blind["done"]?.flag == true)
        #expect(blind["recognisesUsUntil"]?.text != nil && blind["recognisesUsAfterwards"] == .null)
        #expect(blind["renewed"]?.list?.map(\.text) == ["all"])
        #expect(blind["holdersOfGrants"]?.integer == 1 && blind["holdersWhomWeRecognise"]?.integer == 1)
        #expect(try ada.facts("audience", "who").map { $0["grants"]?.list?.count } == [0, 0])
        #expect(try ada.facts("audience", "who").map { $0["relation"]?.text } == ["blocked", "waiting"])
        let refused = try ada.run("contacts", "grant", "Bo")
        #expect(refused.status == 69 && refused.errors.contains("inkling contacts unblock CONTACT"))

        let device = try ada.run(
            "contacts", "revoke", "Carol", "--level", "R4", "--device", "0", "--yes")
        #expect(
            device.output.hasPrefix("From now on, device 0 of Carol gets no answer and can no longer recognise you.\n"))
        #expect(try ada.run("contacts", "revoke", "Carol", "--level", "R4", "--yes").status == 64)
        #expect(try ada.run("contacts", "revoke", "Carol", "--level", "R5", "--yes").status == 64)
    }

    @Test func `heals by a sealed grant, and a removed contact is listed until its grants end`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        for home in [ada, bo] { _ = try home.run("contacts", "renew") }
        let sealed = try ada.run("contacts", "grant", "Bo")
        let text = try #require(sealed.lines.first)
        #expect(sealed.status == 0 && text.hasPrefix("INKLING:G:"))
        let before = try bo.facts("contacts", "list").first?["recognisedUntil"]?.text
        #expect(try bo.facts("card", "add", text).first?["recognisedUntil"]?.text == before)
        let (ours, theirs) = (try ada.contents(), try bo.contents())
        #expect(ours.audiences.first?.generation == theirs.contacts.first?.grants.first?.generation)

        let removed = try ada.run("contacts", "remove", "Bo")
        #expect(removed.output.contains("inkling contacts renew --audience all --home \(ada.path)"))
        #expect(try ada.facts("audience", "who").map { $0["relation"]?.text } == ["removed"])
        #expect(try ada.run("audience", "who").output.contains("removed"))
        _ = try ada.run("contacts", "renew")
        #expect(try ada.run("audience", "who").output == "Nobody can recognise you.\n")
        let again = try bo.run("contacts", "remove", "Ada", "--renew")
        #expect(again.status == 0)
        #expect(try bo.facts("audience", "who").isEmpty)
    }
}
