import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let root = [UInt8](repeating: 0x11, count: 32)

@Suite(.runsPrograms) struct `inkling-kit predict` {
    /// Covers INK-MAT-003.
    @Test func `rejects a key on the command line, for predict and for match`() throws {
        let folder = try Folder()
        _ = try folder.write("root", root)
        for verb in ["predict", "match"] {
            for words in [
                ["--root-file", hex(root)], ["--root-file", "ada=\(hex(root))"], ["--key-file", hex(root)],
                ["--table", hex(root)], [hex(root)], ["--key", hex(root)], ["--root", hex(root)],
            ] where verb == "match" || words[0] != "--table" {
                let outcome = try Kit.run([verb] + words + ["--home", folder.path])
                #expect(outcome.status != 0, "\(verb) \(words)")
                #expect(outcome.output.isEmpty, "\(outcome)")
            }
        }
    }

    /// Covers INK-MAT-001, INK-MAT-002.
    @Test func `a prediction file contains the values of the requested hours, and no keys`() throws {
        let folder = try Folder()
        let file = try folder.write("root", root)
        let outcome = try Kit.run(
            "predict", "--root-file", "ada=\(file)", "--devices", "2", "--from", "1785600000", "--hours", "2")
        #expect(outcome.status == 0)
        let facts = try outcome.facts()
        // Two hours, and one epoch on each side.
        #expect(facts[0]["from"]?.integer == 1_983_999)
        #expect(facts[0]["to"]?.integer == 1_984_008)
        #expect(facts[0]["rows"]?.integer == 20)
        #expect(facts[0]["contacts"] == .list(["ada"]))
        #expect(facts.count == 21)
        let epochs = facts.dropFirst().compactMap { $0["epoch"]?.integer }
        #expect(epochs == (1_983_999...1_984_008).flatMap { [$0, $0] })
        for fact in [facts[1], facts[20]] {
            let shown = try Program.run(
                "derive", "--key-file", file, "--device", "\(fact["device"]?.integer ?? 0)", "--at",
                "\((fact["epoch"]?.integer ?? 0) * 900)", "--json")
            #expect(try shown.facts().first?["name"] == fact["name"])
            #expect(try shown.facts().first?["minor"] == fact["minor"])
        }
        #expect(!outcome.output.contains(hex(root.prefix(8))))
        #expect(
            facts.allSatisfy {
                $0.names == ["file", "from", "to", "contacts", "rows"]
                    || $0.names == ["epoch", "contact", "device", "name", "minor"]
            })
    }

    /// Covers INK-MAT-004.
    @Test func `only the user can read a prediction file, and a message says what it reveals`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        let path = "\(folder.path)/today"
        let outcome = try Kit.run(
            ["predict", "--hours", "1", "--from", "\(folder.clock.seconds)", "--numbers", "--json", "--output", path]
                + ada.options)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("Anyone with these predictions can recognise 1 contact until "))
        #expect(try outcome.facts().map(\.names) == [["file", "contacts", "rows", "until"]])
        var facts = stat()
        #expect(unsafe stat(path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        let text = String(decoding: try bytesOfFile(path), as: UTF8.self)
        #expect(text.contains("\"contact 1\""))
        #expect(!text.contains("Bo"))
        // An existing file is not replaced.
        let again = try Kit.run(["predict", "--output", path] + ada.options)
        #expect(again.status == 78)
        #expect(String(decoding: try bytesOfFile(path), as: UTF8.self) == text)
        #expect(bo.name == "Bo")
    }

    /// Covers INK-MAT-018.
    @Test func `the binary form gives the same matches, and is rejected as a whole`() throws {
        let folder = try Folder()
        let (text, binary) = ("\(folder.path)/text", "\(folder.path)/binary")
        let words = ["predict", "--example", "--devices", "3", "--from", "1785600000", "--hours", "2", "--output"]
        #expect(try Kit.run(words + [text]).status == 0)
        let outcome = try Kit.run(words + [binary, "--binary"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("They contain no keys."))
        let bytes = try bytesOfFile(binary)
        #expect(bytes.count == 32 + 8 + 23 * 30)
        let log = try bytesOfFile(text).split(separator: 0x0a).dropFirst().map { row in
            let row = try #require(try JSON(parsing: Array(row)).object)
            let time = (row["epoch"]?.integer ?? 0) * 900 + 450
            return #"{"time":\#(time),"name":"\#(row["name"]?.text ?? "")","minor":\#(row["minor"]?.integer ?? 0)}"#
        }.joined(separator: "\n")
        let matches = try Kit.run("match", "--table", text, input: .text(log))
        #expect(matches.lines.count >= 60)
        for tables in [[binary], [binary, text], [text, binary]] {
            let others = try Kit.run(
                ["match"] + tables.flatMap { ["--table", $0] }, input: .text(log))
            #expect(others.output == matches.output && others.errors == matches.errors, "\(tables)")
        }
        let cut = try folder.write("cut", Array(bytes.dropLast()))
        let rejected = try Kit.run("match", "--table", cut, input: .text(log))
        #expect(rejected.status == 65)
        #expect(rejected.errors.contains("\(cut): there are fewer predictions than announced"), "\(rejected)")
        #expect(rejected.output.isEmpty)
        #expect(try Kit.run("predict", "--example", "--binary").status == 64)
    }

    @Test func `rejects hours without keys`() throws {
        #expect(try Kit.run("predict", "--example", "--from", "3774870000", "--hours", "2").status == 64)
        #expect(try Kit.run("predict", "--example", "--from", "soon").status == 64)
    }
}

@Suite(.runsPrograms) struct `inkling-kit match` {
    private let log = """
        {"time":1785600240,"name":"ee86ffa399825968e402a6832c863656","address":"aa","rssi":-61,"note":"x"}

        {"time":"2026-08-01T16:14:59Z","minor":63941}
        {"time":1785601200,"minor":63941}
        {"time":1785600240,"name":"Living Room"}
        {"time":1785601000,"name":"4bfc5b501e8469baa43d07fbdb67b3e8","minor":63941}
        """

    /// Covers INK-MAT-014.
    @Test func `keys and tables give the same matches, line by line`() throws {
        let folder = try Folder()
        let table = "\(folder.path)/table"
        let made = try Kit.run(
            "predict", "--example", "--from", "1785600000", "--hours", "1", "--output", table)
        #expect(made.status == 0)
        let byKeys = try Kit.run("match", "--example", input: .text(log))
        let byTable = try Kit.run("match", "--table", table, "--table", table, input: .text(log))
        #expect(byKeys.status == 0, "\(byKeys)")
        #expect(byKeys.output == byTable.output)
        let first = #"{"line":1,"time":1785600240,"name":"ee86ffa399825968e402a6832c863656","address":"aa","rssi":-61,"#
        #expect(byKeys.lines.first == first + #""of":[{"contact":"example","device":0,"epoch":1984000}]}"#)
        let facts = try byKeys.facts()
        // Near the boundary at 1785600900, both the old minor and the new name count.
        #expect(facts.map { $0["line"]?.integer } == [1, 3, 6, 6])
        #expect(facts[1]["time"] == "2026-08-01T16:14:59Z")
        #expect(facts[2].names == ["line", "time", "name", "of"])
        #expect(facts[3].names == ["line", "time", "minor", "of"])
        #expect(byKeys.errors.hasPrefix("6 lines, 5 sightings: 2 matched by name, 2 by minor ("))
        #expect(try Kit.run("match", "--example", "--skew", "0", input: .text(log)).facts().count == 3)
    }

    @Test func `matches sightings with the contacts of a vault, and prints their names`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        let predicted = try ada.kit("predict", "--hours", "1", "--from", "\(folder.clock.seconds)").facts()
        let row = try #require(predicted.dropFirst().first)
        let time = try #require(row["epoch"]?.integer) * 900
        let line = #"{"time":\#(time),"name":"\#(row["name"]?.text ?? "")","minor":\#(row["minor"]?.integer ?? 0)}"#
        let outcome = try Kit.run(["match"] + ada.options, input: .text(line))
        #expect(outcome.status == 0, "\(outcome)")
        let owners = try outcome.facts().compactMap { $0["of"]?.list?.first?.object?["contact"]?.text }
        #expect(owners == ["Bo", "Bo"])
        #expect(try Kit.run(["match"] + bo.options, input: .text(line)).output.isEmpty)
    }

    @Test func `matches only sightings between --since and --until`() throws {
        func lines(_ options: String...) throws -> [Int64?] {
            try Kit.run(["match", "--example"] + options, input: .text(log)).facts().map { $0["line"]?.integer }
        }
        #expect(try lines("--since", "1785600240") == [1, 3, 6, 6])
        #expect(try lines("--since", "1785600241") == [3, 6, 6])
        #expect(try lines("--since", "1785600241", "--until", "2026-08-01T16:15:00Z") == [3])
        #expect(try lines("--until", "1785600240") == [])
    }

    /// Covers INK-MAT-015.
    @Test func `stops at an invalid line and names it, or counts and skips it`() throws {
        let bad = "{\"time\":1,\"minor\":1}\n\n{\"time\":1}\n{\"time\":1,\"minor\":2}\nnothing\n"
        let stopped = try Kit.run("match", "--example", input: .text(bad))
        #expect(stopped.status == 65)
        #expect(stopped.errors.contains("line 3: \"name\" and \"minor\" are both missing\n"))
        #expect(stopped.errors.contains("Lines read: 3."))
        let passed = try Kit.run("match", "--example", "--keep-going", input: .text(bad))
        #expect(passed.status == 65)
        #expect(passed.errors.contains("line 5: this is not JSON\n"))
        #expect(passed.errors.contains("5 lines, 2 sightings: "))
        #expect(passed.errors.contains("2 of 5 lines were invalid and skipped"))
        let long = try Kit.run(
            "match", "--example", input: .text("{\"time\":1,\"minor\":1}\n" + String(repeating: "x", count: 70_000)))
        #expect(long.status == 65)
        #expect(long.errors.contains("line 2: the line is longer than 2048 bytes"))
        let many = try Kit.run(
            "match", "--example", "--keep-going", input: .text(String(repeating: "?\n", count: 50)))
        #expect(many.errors.split(separator: "\n").count == 12)
    }

    @Test func `repeats the members of a sighting as they were read, and counts one line as one`() throws {
        let line = #"{"rssi":-61,"minor":63941,"time":1785600240.50,"address":"aa"}"#
        let outcome = try Kit.run("match", "--example", input: .text(line))
        let matched = #"{"line":1,"time":1785600240.50,"minor":63941,"address":"aa","rssi":-61,"#
        #expect(outcome.output == matched + #""of":[{"contact":"example","device":0,"epoch":1984000}]}"# + "\n")
        #expect(outcome.errors.hasPrefix("1 line, 1 sighting: 0 matched by name, 1 by minor"), "\(outcome)")
        let wrong = try Kit.run("match", "--example", "--keep-going", input: .text("?\n"))
        #expect(wrong.errors.hasSuffix("inkling-kit: 1 of 1 line was invalid and skipped\n"), "\(wrong)")
    }

    @Test func `accepts an empty log`() throws {
        let outcome = try Kit.run("match", "--example", input: .nothing)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "0 lines, 0 sightings: 0 matched by name, 0 by minor\n")
    }

    @Test func `rejects an invalid table and names the line`() throws {
        let folder = try Folder()
        let rows = try Kit.run("predict", "--example", "--from", "1785600000", "--hours", "1").lines
        for (lines, what) in [
            (rows.dropLast(), "6: there are fewer predictions"), (rows + [rows[6]], "8: there are more predictions"),
            ([rows[0], "{}"], "2: this is not a prediction"), ([], "1: this is not a file of predictions"),
        ] as [([String].SubSequence, String)] {
            let table = try folder.write("table", Array(lines.joined(separator: "\n").utf8))
            let outcome = try Kit.run("match", "--table", table, input: .text(log))
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("\(table):\(what)"), "\(outcome)")
            #expect(outcome.output.isEmpty)
        }
        #expect(try Kit.run("match", "--table", "\(folder.path)/missing").status == 65)
    }

    /// Covers INK-MAT-019.
    @Test(arguments: ["1", "2", "7"])
    func `prints matches in the order of the lines of a long log`(processors: String) throws {
        let count = 20_000
        let stranger = #"{"time":1785600240,"name":"00000000000000000000000000000000"}"#
        let log = (1...count).map { number in
            switch number % 400 {
            case 0: #"{"time":1785600240.\#(number),"minor":63941}"#
            case 1: #"{"time":1785600240.\#(number),"minor":63941,"other":{}}"#
            case 2: "?"
            default: stranger
            }
        }.joined(separator: "\r\n")
        let outcome = try Kit.run(
            "match", "--example", "--keep-going", "--processors", processors, input: .text(log))
        #expect(outcome.status == 65)
        let facts = try outcome.facts()
        let numbers: [Int] = facts.map { Int($0["line"]?.integer ?? 0) }
        let expected: [Int] = (1...count).filter { $0 % 400 < 2 }
        #expect(numbers == expected)
        let times: [JSON?] = numbers.map { JSON.number("1785600240.\($0)") }
        #expect(facts.map { $0["time"] } == times)
        #expect(outcome.errors.contains("20000 lines, 19950 sightings: 0 matched by name, 100 by minor"))
        #expect(outcome.errors.contains("50 of 20000 lines were invalid and skipped"))
        #expect(outcome.errors.split(separator: "\n").count { $0.contains("this is not JSON") } == 10)
    }

    @Test func `prints a match, and ends at an invalid line, while the input is still open`() throws {
        let program = try Program(["match", "--example"], input: .later, program: Kit.path)
        program.send(#"{"time":1785600240,"minor":63941}"# + "\n")
        #expect(try program.line().hasPrefix(#"{"line":1,"#))
        program.send("?\n")
        // The output ends although the input does not.
        #expect(throws: Program.OutputEnded.self) { try program.line() }
        let outcome = try program.finish()
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("line 2: this is not JSON"))
    }

    @Test func `reports output that cannot be written, and input that cannot be read`() throws {
        let folder = try Folder()
        let log = try folder.write("log", Array((self.log + "\n").utf8))
        let full = try Program(
            ["-c", "exec \"$0\" match --example < \"$1\" > /dev/full", Kit.path, log], program: "/bin/sh")
        let outcome = try full.finish()
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("cannot write to standard output: No space left on device"), "\(outcome)")
        let unreadable = try Program(
            ["-c", "exec \"$0\" match --example < \"$1\"", Kit.path, folder.path], program: "/bin/sh")
        #expect(try unreadable.finish().status == 65)
        for processors in ["0", "1025", "two"] {
            #expect(try Kit.run("match", "--example", "--processors", processors).status == 64)
        }
    }
}
