import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingTesting
import InklingVault
import Testing

@Suite(.runsPrograms) struct `inkling recover` {
    @Test func `an old copy is detected and adopted on request, and its contacts must be reviewed`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let backup = try bytesOfFile(ada.vault)
        _ = try ada.facts("contacts", "rename", "Bo", "Bo from work")
        try writeFile(ada.vault, backup)

        let refused = try ada.run("contacts", "list")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("an old copy: generation "))
        #expect(refused.errors.contains("inkling recover --restored-copy"))
        #expect(try bytesOfFile(ada.vault) == backup)
        let silent = try ada.run("status")
        #expect(silent.status == 69 && silent.output.isEmpty)
        #expect(silent.errors.contains("no node runs in \(ada.path), and none can: "), "\(silent)")
        #expect(silent.errors.contains("inkling recover --restored-copy --home \(ada.path)"))

        #expect(try ada.facts("recover", "--restored-copy").map(\.names) == [["recovered"]])
        let contact = try #require(try ada.facts("contacts", "list").first)
        #expect(contact["needsReview"]?.flag == true)
        #expect(try ada.run("contacts", "list").output.contains("inkling recover --reviewed"))
        let kept = try #require(try ada.facts("recover", "--reviewed", "Bo").first)
        #expect(kept.names == contactNames)
        #expect(kept["needsReview"]?.flag == false)
        #expect(try ada.facts("contacts", "list").first?["needsReview"]?.flag == false)
    }

    @Test func `a vault without its counter is adopted only on request`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        _ = try Program(["\(home.path)/generation"], program: "/bin/rm").finish()
        let refused = try home.run("contacts", "list")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("has no counter"))
        #expect(refused.errors.contains("inkling recover --restored-copy"))
        #expect(try home.run("recover", "--clock").status == 65)
        #expect(try home.run("recover", "--restored-copy").status == 0)
        #expect(try home.run("contacts", "list").status == 0)
    }

    @Test func `recovery starts a new generation of the audience, above the old one`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let before = try #require(try home.contents().audiences.first)
        let outcome = try home.run("recover", "--clock")
        #expect(outcome.status == 0)
        #expect(outcome.output == "Recovered. Contacts must meet this node again.\n")
        let after = try #require(try home.contents().audiences.first)
        #expect(after.id == before.id)
        #expect(after.generation > before.generation)
        #expect(try home.contents().restored == nil)
    }

    @Test func `rejects the review of an unknown contact`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let outcome = try home.run("recover", "--reviewed", "Eve")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("there is no contact 'Eve'"))
    }
}
