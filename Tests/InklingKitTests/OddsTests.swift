import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@Suite(.runsPrograms) struct `inkling-kit odds` {
    // `JSON` keeps the digits of a number; here its value is compared.
    private func fraction(_ fact: JSONObject, _ name: String) throws -> Double {
        guard case .number(let digits)? = fact[name] else { throw MissingFigure(name: name) }
        return try #require(Double(digits))
    }

    private struct MissingFigure: Error { let name: String }

    @Test func `computes the figures of the formula without a vault`() throws {
        let facts = try Kit.run("odds", "--contacts", "300", "--devices", "2", "--json").facts()
        #expect(facts.count == 5)
        #expect(facts[0]["values"]?.integer == 600)
        #expect(facts[0]["countingNow"] == .null)
        #expect(abs(try fraction(facts[0], "perStranger") - 0.01153) < 0.00001)
        #expect(facts.dropFirst().map { $0["strangers"]?.integer } == [10, 50, 200, 1000])
        #expect(abs(try fraction(facts[3], "falseFriends") - 2.306) < 0.001)
        #expect(abs(try fraction(facts[3], "falseFriendsInDay") / fraction(facts[3], "falseFriends") - 96) < 0.001)
        let spoken = try Kit.run("odds", "--contacts", "300", "--devices", "2", "--strangers", "50")
        #expect(spoken.output.contains("a chance of 1.2 %\n"))
        #expect(spoken.output.contains("\n50          0.58            44 %           55         > 99.9 %\n"))
        #expect(!spoken.output.contains("\n200"))
    }

    @Test func `writes the members of its JSON in a fixed order, and null for what is unknown`() throws {
        let lines = try Kit.run("odds", "--contacts", "1", "--strangers", "0", "--json").lines
        #expect(
            lines == [
                #"{"contacts":1,"values":1,"skew":120,"entries":1.2666666666666666,"perStranger":1.9327760156451212e-05,"#
                    + #""countingNow":null,"anyCollision":0.0,"collidingPairs":0.0}"#,
                #"{"strangers":0,"falseFriends":0.0,"anyFalseFriend":0.0,"falseFriendsInDay":0.0,"#
                    + #""anyFalseFriendInDay":0.0}"#,
            ])
        let spoken = try Kit.run("odds", "--contacts", "1")
        #expect(spoken.output.hasPrefix("contacts     1, with 1 minor in an epoch; "))
    }

    @Test func `counts a node's own contacts, except one without a grant`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        let cy = try Home("Cy", in: folder)
        try ada.add(cy)
        let figures = try #require(try ada.kit("odds", "--at", "\(folder.clock.seconds)", "--json").facts().first)
        #expect(figures["contacts"]?.integer == 1)
        #expect(figures["values"]?.integer == 1)
        #expect([1, 2].contains(figures["countingNow"]?.integer))
        let empty = try #require(try cy.kit("odds", "--at", "\(folder.clock.seconds)", "--json").facts().first)
        #expect(empty["values"]?.integer == 0)
        #expect(try fraction(empty, "perStranger") == 0)
        #expect(
            try bo.kit("odds", "--at", "\(folder.clock.seconds)").output.contains(
                "collisions   0 now, 0 until this time tomorrow\n"))
    }

    @Test func `reports the collisions among the real predictions, with their epochs`() throws {
        let folder = try Folder()
        var arguments = ["odds", "--at", "1785600000", "--devices", "16", "--json"]
        for number in 0..<12 {
            let file = try folder.write("\(number).root", [UInt8](repeating: UInt8(number), count: 32))
            arguments += ["--root-file", "person \(number)=\(file)"]
        }
        let collisions = try Kit.run(arguments).facts().filter { $0["minor"] != nil }
        // 12 people with 16 devices: 16,896 pairs in each of 96 epochs, and twice as many at each boundary.
        #expect((40...110).contains(collisions.count), "\(collisions.count)")
        // A few of them, by another verb.
        for collision in collisions.prefix(4) {
            let sides = try #require(collision["of"]?.list).compactMap(\.object)
            #expect(sides.count == 2)
            #expect(sides[0]["contact"] != sides[1]["contact"])
            for side in sides {
                let owner = try #require(side["contact"]?.text?.split(separator: " ").last)
                let epoch = try #require(side["epoch"]?.integer)
                let shown = try Program.run(
                    "derive", "--key-file", "\(folder.path)/\(owner).root", "--at", "\(epoch * 900)", "--device",
                    "\(side["device"]?.integer ?? 0)", "--json")
                #expect(try shown.facts().first?["minor"] == collision["minor"])
            }
        }
    }

    @Test func `rejects an invalid root file, a day without keys and a repeated label`() throws {
        let folder = try Folder()
        let file = try folder.write("short", [1, 2, 3])
        #expect(try Kit.run("odds", "--root-file", file).status == 65)
        #expect(try Kit.run("odds", "--example", "--at", "3774873000").status == 64)
        #expect(try Kit.run("odds", "--example", "--at", "yesterday").status == 64)
        let good = try folder.write("good", [UInt8](repeating: 1, count: 32))
        #expect(try Kit.run("odds", "--root-file", "a=\(good)", "--root-file", "a=\(good)").status == 64)
    }
}
