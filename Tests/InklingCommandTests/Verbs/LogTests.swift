#if Node
    import InklingJSON
    import InklingProgramTesting
    import InklingTesting
    import Testing

    @testable import InklingCommand

    @Suite(.runsPrograms) struct `inkling run --log json` {
        /// The objects on standard error.
        private func log(_ outcome: Program.Outcome) throws -> [JSONObject] {
            try outcome.errors.split(separator: "\n").map { line in
                try #require(try JSON(parsing: Array(line.utf8)).object, "no JSON object: \(line)")
            }
        }

        /// Runs a node whose antenna hears a contact and once nonsense; returns its output.
        private func outcome(of ada: Home, in folder: Folder, _ words: String...) throws -> Program.Outcome {
            let rows = try ada.kit("predict", "--hours", "1", "--from", "\(folder.clock.seconds)").lines.dropFirst()
                .compactMap { try JSON(parsing: Array($0.utf8)).object }
            let node = try Program(ada.words(["run", "--sightings", "-"] + words), input: .later)
            _ = try node.loggedFact { $0["id"]?.text == "visible" }
            let row = rows.first { $0["epoch"]?.integer == Int64(folder.clock.epoch) }
            node.send("nonsense\n{\"minor\":\(try unwrap(row?["minor"]?.integer)),\"rssi\":-50}\n")
            _ = try node.loggedFact { $0["id"]?.text == "presence" }
            node.interrupt()
            return try node.finish()
        }

        @Test func `each line is an object with a time, a level and an id, and names nobody`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let outcome = try outcome(of: ada, in: folder, "--log", "json")
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
            let lines = try log(outcome)
            for line in lines {
                #expect(line.names.prefix(3) == ["time", "level", "id"])
                #expect(["info", "warning", "error"].contains(line["level"]?.text))
            }
            let refused = try unwrap(lines.first { $0["id"]?.text == "sighting-refused" })
            #expect(refused["level"] == "warning")
            #expect(refused["line"]?.integer == 1)
            #expect(refused["reason"]?.text == "this is not JSON")
            #expect(lines.contains { $0["id"]?.text == "visible" && $0["technology"]?.text == "lan" })
            let presence = try unwrap(lines.first { $0["id"]?.text == "presence" })
            #expect(presence.names == ["time", "level", "id", "presence"])
            #expect(presence["presence"]?.text == "probable")
            let id = try unwrap(try bo.facts("card", "show").first?["id"]?.text)
            #expect(!outcome.errors.contains("Bo"))
            #expect(!outcome.errors.contains(id))
        }

        @Test func `the configuration chooses the format and whether contacts are named, and --json keeps the events`()
            throws
        {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let file = try folder.write("inkling.toml", "[log]\nformat = \"json\"\ncontacts = true\n".utf8)
            let outcome = try outcome(of: ada, in: folder, "--config", file, "--json")
            let presence = try unwrap(try log(outcome).first { $0["id"]?.text == "presence" })
            #expect(presence["contact"]?.text == "Bo")
            #expect(presence["contact-id"]?.text == (try bo.facts("card", "show").first?["id"]?.text))
            #expect(try outcome.facts().contains { $0["event"]?.text == "presence" && $0["contact"]?.text == "Bo" })
        }

        @Test func `what ends the program is a line too`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let first = try ada.start("run", "--json")
            _ = try first.fact { $0["event"]?.text == "visible" }
            let second = try ada.run("run", "--log", "json")
            let line = try unwrap(try log(second).last)
            #expect(line["id"]?.text == "failed")
            #expect(line["level"]?.text == "error")
            #expect(line["status"]?.integer == Int64(second.status))
            #expect(second.status != 0)
            first.interrupt()
            _ = try first.finish()
        }

        @Test func `another format is wrong usage`() throws {
            #expect(try Program.run("run", "--log", "xml").status == 64)
        }
    }
#endif
