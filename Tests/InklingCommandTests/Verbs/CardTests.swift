import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingSimulation
import InklingTerminal
import InklingTesting
import InklingVault
import Synchronization
import Testing

@testable import InklingCommand

let contactNames = [
    "contact", "id", "cardName", "presence", "reachable", "reachableOver", "met", "devices", "recognisedUntil",
    "recognisesUsUntil",
    "standing", "needsReview", "restoredFrom", "blocked", "delays", "since", "lastHeard", "by", "leaves",
    "room",
]

@Suite(.runsPrograms) struct `inkling card` {
    @Test func `a card is shown and exported as text that begins with its kind`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let card = try home.card()
        #expect(card.hasPrefix("INKLING:C:"))
        let shown = try home.run("card", "show")
        #expect(shown.status == 0)
        // No QR code and no colours: standard output is not a terminal.
        #expect(shown.output == "Ada\n\(card)\n")
        #expect(shown.errors.isEmpty)
        for verb in ["show", "export"] {
            let facts = try home.facts("card", verb)
            #expect(facts.count == 1)
            #expect(facts.first?.names == ["name", "id", "card"])
            #expect(facts.first?["card"]?.text == card)
        }
    }

    @Test func `two people who exchange cards and sealed grants recognise each other`() throws {
        let folder = try Folder()
        let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
        let added = try ada.facts("card", "add", try bo.card())
        #expect(added.map(\.names) == [contactNames, ["sealedGrant"]])
        #expect(added.first?["recognisedUntil"] == .null)
        let forBo = try unwrap(added.last?["sealedGrant"]?.text)
        let forAda = try unwrap(try bo.add(ada).first)
        #expect(forBo.hasPrefix("INKLING:G:"))
        #expect(forBo != forAda)
        #expect(try bo.facts("card", "add", forBo).map(\.names) == [contactNames])
        // From standard input, with the white space of pasted text.
        let pasted = try Program.run(["card", "add", "-"] + ada.options, input: .text("  \(forAda)  \r\n"))
        #expect(pasted.status == 0, "\(pasted)")
        #expect(pasted.output.contains("recognisable until "))
        for (home, name) in [(ada, "Bo"), (bo, "Ada")] {
            let contact = try #require(try home.facts("contacts", "list").first)
            #expect(contact["contact"]?.text == name)
            #expect(contact["recognisedUntil"]?.text?.hasSuffix(":00:00Z") == true)
            #expect(contact["met"]?.flag == false)
            #expect(contact["presence"]?.text == "unseen")
        }
    }

    @Test func `adding a card twice keeps one contact`() throws {
        let folder = try Folder()
        let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
        #expect(try ada.add(bo).count == 1)
        #expect(try ada.add(bo).count == 1)
        #expect(try ada.facts("contacts", "list").count == 1)
    }

    @Test func `rejects a damaged text with the reason, and changes nothing`() throws {
        let folder = try Folder()
        let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
        let card = try bo.card()
        let other = card.last == "A" ? "B" : "A"
        let texts = [
            (card.dropLast() + other, "the card is incomplete or mistyped: \(card.count) characters found"),
            (
                String(card.dropLast(9)) as String,
                "the card is incomplete or mistyped: \(card.count - 9) characters found"
            ),
            ("INKLING:X:AAAA", "must be followed by I, C, G or L and a colon"), ("", "must begin with INKLING:"),
            ("hello", "must begin with INKLING:"),
            (card + "!", "the card is mistyped: character \(card.count + 1) is '!'"),
        ]
        for (text, reason) in texts {
            let outcome = try Program.run(["card", "add"] + ada.options + ["--", String(text)])
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.errors.contains(reason), "\(outcome)")
        }
        #expect(try ada.facts("contacts", "list").isEmpty)
    }

    @Test func `rejects the node's own card as a contact`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let outcome = try home.run("card", "add", try home.card())
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("the card contains a key of yours or of another contact"))
        #expect(try home.facts("contacts", "list").isEmpty)
    }

    @Test func `a sealed grant opens only for its grantee, and only after the issuer's card was added`() throws {
        let folder = try Folder()
        let (ada, bo, cy) = (try Home("Ada", in: folder), try Home("Bo", in: folder), try Home("Cy", in: folder))
        let grant = try unwrap(try ada.add(bo).first)
        let early = try bo.run("card", "add", grant)
        #expect(early.status == 65)
        #expect(early.errors.contains("the sealed grant does not open"))
        try cy.add(ada)
        #expect(try cy.run("card", "add", grant).status == 65)
    }

    @Test func `rejects standard input that is empty or not text`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        for input in [Program.Input.nothing, .text("\n"), .text("   \n"), .bytes([0xff, 0x0a])] {
            let outcome = try Program.run(["card", "add", "-"] + home.options, input: input)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.errors.contains("standard input"))
        }
    }

    /// The verb does this where no node runs. The evidence for the clock is simulated, since machines differ in theirs.
    @Test func `without an accepted clock it keeps the contact and says why there is no grant`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let host = simulation.addHost()
            host.timeEvidence.set(FixedTimeEvidence.none)
            let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
            var randomness = host.ports.randomness
            let bo = try NodeIdentity.makeContents(name: "Bo", now: now, using: &randomness)
            let card = try TextForm.encode(.card, bo.card.span)
            let keeper = KeptContents(try NodeIdentity.makeContents(name: "Di", now: now, using: &randomness))
            // The trust of one command does not extend to the next.
            for (run, isTrusted) in [false, true, false].enumerated() {
                let node = try #require(
                    Node(
                        contents: await keeper.contents, keeper: keeper, ports: host.ports(run: UInt64(run)),
                        isVisible: false, trustsClock: isTrusted))
                simulation.start(node)
                await node.started()
                let told = Mutex(0)
                let peer = Peer<Request.AddCard.Fact> { _ in told.withLock { $0 += 1 } }
                let refusal: Failure?
                do throws(Failure) {
                    try await Request.AddCard(text: card).run(on: ServedNode(node: node), for: peer)
                    refusal = nil
                } catch {
                    refusal = error
                }
                #expect(refusal == (isTrusted ? nil : Failure(NodeError.clockNotAccepted)))
                #expect(told.withLock { $0 } == (isTrusted ? 2 : 1))
                #expect(await node.contacts().map(\.name) == ["Bo"])
                node.stop()
                await simulation.settle()
            }
        }
    }

    @Test func `a clock that the command is told to trust is enough for a grant`() throws {
        let folder = try Folder()
        let bo = try Home("Bo", in: folder, clock: .real)
        let key = try folder.write("key", [UInt8](repeating: 7, count: 32))
        let home = ["--home", "\(folder.path)/doubting", "--key-file", key]
        #expect(try Program.run(["init", "--name", "Di"] + home).status == 0)
        let trusted = try Program.run(["card", "add", try bo.card(), "--trust-clock"] + home)
        #expect(trusted.status == 0)
        #expect(trusted.output.contains("INKLING:G:"))
    }
}
