#if Node
    import InklingEngine
    import InklingJSON
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingWire
    import InklingTesting
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @testable import InklingCommand

    @Suite(.runsPrograms) struct `inkling phone` {
        private let phone = ["--entity", "notify.mobile_app_pixel", "--trust-clock"]

        /// The numbers of the list of minors in a file for Home Assistant.
        private func minors(in text: String) throws -> [Int64] {
            let parts = text.split(separator: "minors: [", maxSplits: 1)
            let list = try unwrap(parts.last?.split(separator: "]", maxSplits: 1).first)
            return list.split { ", \n".contains($0) }.compactMap { Int64($0) }
        }

        private func text(of file: String) throws -> String { String(decoding: try bytesOfFile(file), as: UTF8.self) }

        /// The access rights of a file.
        private func mode(of file: String) throws -> mode_t {
            var facts = stat()
            try #require(unsafe stat(file, &facts) == 0, "\(file) is missing")
            return facts.st_mode & 0o777
        }

        /// The minors that a home predicts for a contact, from the epoch of a file on.
        private func predicted(by home: Home, from epoch: Int64, hours: Int) throws -> [Int64] {
            let outcome = try home.kit("predict", "--from", "\(epoch * 900)", "--hours", "\(hours)")
            return try outcome.lines.dropFirst().compactMap { try JSON(parsing: Array($0.utf8)).object }
                .filter {
                    ($0["epoch"]?.integer ?? 0) >= epoch && ($0["epoch"]?.integer ?? 0) < epoch + Int64(hours) * 4
                }
                .compactMap { $0["minor"]?.integer }
        }

        /// Covers INK-HAS-050, INK-HAS-051.
        @Test func `what a phone is told to show is what its home predicts, and its file has no key`() throws {
            let folder = try Folder()
            // A phone has the real clock.
            let ada = try Home("Ada", in: folder, clock: .real)
            let file = "\(folder.path)/phone.yaml"
            let told = try ada.facts(["phone", "add", "Ada's \"phone\"", "--days", "2", "--output", file] + phone)
            #expect(told.first?["contact"]?.text == "Ada's \"phone\"")
            #expect(told.first?["rows"]?.integer == 192)
            let written = try text(of: file)
            #expect(written.contains("alias: \"Inkling: Ada's \\\"phone\\\"\"\n"))
            let first = try unwrap(
                written.split(separator: "\n").first { $0.contains("first: ") }.flatMap {
                    Int64($0.split(separator: " ")[1])
                })
            #expect(abs(first - Int64(currentTime() / 900)) <= 1)
            let expected = try predicted(by: ada, from: first, hours: 48)
            #expect(expected.count == 192)
            #expect(try minors(in: written) == expected)
            #expect(try mode(of: file) == 0o600)

            // The keys are in a vault of their own, and none of them is in the file.
            let id = try unwrap(told.first?["id"]?.text)
            #expect(exists("\(ada.path)/phones/\(id)/vault"))
            #expect(try mode(of: "\(ada.path)/phones/\(id).key") == 0o600)
            #expect(!written.contains(id))
            let contact = try unwrap(try ada.facts("contacts", "list").first)
            #expect(contact["id"]?.text == id)

            // Another file of the same phone, over the one before.
            let again = try ada.facts(["phone", "renew", "Ada's \"phone\"", "--days", "1", "--output", file] + phone)
            #expect(again.first?["id"]?.text == id)
            let renewed = try minors(in: try text(of: file))
            #expect(renewed.count == 96)
            // An epoch may have ended meanwhile.
            #expect((0...1).contains { renewed.elementsEqual(expected.dropFirst($0).prefix(96)) })
        }

        /// Covers INK-HAS-054.
        @Test func `a phone that is heard is probable at most, and does not count as arrived`() throws {
            let folder = try Folder()
            // A phone has the real clock.
            let ada = try Home("Ada", in: folder, clock: .real)
            let node = try ada.start("run", "--json", "--sightings", "-", input: .later)
            _ = try node.fact { $0["event"]?.text == "visible" }
            // While the node runs: it gets the phone by its socket.
            let file = "\(folder.path)/phone.yaml"
            _ = try ada.facts(["phone", "add", "Phone", "--days", "1", "--output", file] + phone)
            let shown = try minors(in: try text(of: file))
            // Both minors, in case an epoch has ended meanwhile.
            for minor in shown.prefix(2) {
                for _ in 0..<20 { node.send("{\"minor\":\(minor),\"rssi\":-40,\"room\":\"hall\"}\n") }
            }
            let presence = try node.fact { $0["event"]?.text == "presence" }
            #expect(presence["contact"]?.text == "Phone")
            #expect(presence["presence"]?.text == "probable")
            let status = try ada.facts("status")
            #expect(status.first?["present"]?.integer == 0)
            #expect(status.last?["presence"]?.text == "probable")
            #expect(status.last?["room"]?.text == "hall")
            node.interrupt()
            let outcome = try node.finish()
            #expect(!outcome.output.contains("\"event\":\"arrived\""))
            #expect(!outcome.output.contains("\"confirmed\""))
        }

        @Test func `a name that is taken, a phone that is unknown, and wrong options are refused`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let taken = try Program.run(["phone", "add", "Bo"] + phone + ada.options)
            #expect(taken.status == 64)
            #expect(taken.errors.contains("there is a contact named 'Bo' already"), "\(taken)")
            let unknown = try Program.run(["phone", "renew", "Cy"] + phone + ada.options)
            #expect(unknown.errors.contains("there is no contact named 'Cy'"), "\(unknown)")
            let foreign = try Program.run(["phone", "renew", "Bo"] + phone + ada.options)
            #expect(foreign.errors.contains("the keys of 'Bo' are not in"), "\(foreign)")
            for entity in ["mobile_app_x", "notify.", "notify.X", "notify.a\n- b", "notify.a b", "light.x"] {
                #expect(NotifyEntity(entity) == nil)
                #expect(try Program.run(["phone", "add", "P", "--entity", entity] + ada.options).status == 64)
            }
            for days in ["0", "91", "x"] {
                #expect(try Program.run(["phone", "add", "P", "--days", days] + phone + ada.options).status == 64)
            }
            #expect(!exists("\(ada.path)/phones"))
        }
    }
#endif
