import InklingAccess
import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@testable import InklingCommand

#if Node
    @Suite(.runsPrograms) struct `inkling config` {
        @Test func `example has every setting, and is without mistakes when each has its effect`() throws {
            let example = try Program.run("config", "example").output
            let folder = try Folder()
            let plain = try folder.write("plain.toml", Array(example.utf8))
            #expect(try Program.run("config", "check", plain).output == "\(plain): no mistakes, 0 settings\n")
            let effective = example.split(separator: "\n").map { line in
                Setting.allCases.contains { line.hasPrefix("#\($0.key) = ") } ? line.dropFirst() : line
            }
            let file = try folder.write("all.toml", Array(effective.joined(separator: "\n").utf8))
            let outcome = try Program.run("config", "check", file)
            #expect(outcome.output == "\(file): no mistakes, \(Setting.allCases.count) settings\n", "\(outcome)")
            #expect(outcome.status == 0)
        }

        @Test(arguments: [
            ("[node]\nhome = \"relative\"", "2: home must be an absolute path"),
            ("[node]\narive-after = 5", "2: unknown key 'arive-after' in [node]\n  Did you mean 'arrive-after'?"),
            ("[node]\n# a comment\nleave-after = 29", "3: leave-after must be a whole number from 30 to 86400"),
            ("[node]\nleave-after = \"120\"", "2: leave-after must be a whole number"),
            ("[node]\ninvisible = 1", "2: invisible must be true or false"),
            ("\n[bluetoth]\nuse = \"auto\"", "2: unknown section [bluetoth]\n  Did you mean [bluetooth]?"),
            ("[bluetooth]\nuse = \"on\"", "2: use must be one of \"auto\", \"beacon\", \"links\", \"off\""),
            ("[node]\nuse = \"auto\"", "2: unknown key 'use' in [node]\n  It is 'use' in [bluetooth]."),
            ("home = \"/h\"", "1: 'home' stands in no section\n  Put it under [node]."),
            ("[files]\nlimit = \"20M\"", "2: limit needs folder"),
            ("[files]\nfolder = \"/f\"\nlimits = { Ada = \"1T\" }", "3: limits must be a table of sizes"),
            ("files.folder = \"/f\"\nfiles.limit = 20", "2: limit must be a size such as \"500k\", \"20M\" or \"1G\""),
            (
                "[mqtt]\nbroker = \"mqtt://u:word@host\"",
                "2: broker must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without"
            ),
            ("[mqtt]\nuser = \"inkling\"", "2: user needs broker"),
            ("[mqtt]\nbroker = \"mqtt://host\"\npassword-file = \"/p\"", "3: password-file needs user"),
            ("[mqtt]\nbroker = \"mqtt://host\"\npassword = \"secret\"", "3: unknown key 'password' in [mqtt]"),
            (
                "[mqtt]\nbroker = \"mqtts://host\"\ncertificate-key = \"/k\"",
                "3: certificate-key needs certificate-file"
            ),
            (
                "[[antennas]]\nname = \"a\"",
                "1: the antenna 'a' needs one of esphome, espresense, openmqttgateway"
            ),
            (
                "[[antennas]]\nname = \"a\"\nesphome = \"h\"\nplaintext = true\nespresense = \"e\"",
                "1: the antenna 'a' needs one of esphome, espresense, openmqttgateway"
            ),
            (
                "[[antennas]]\nname = \"a\"\nespresense = \"e/#\"",
                "3: espresense must be a topic without + and #, such as"
            ),
            (
                "[[antennas]]\nname = \"a\"\nopenmqttgateway = \"home\"\nexclusive = true",
                "4: exclusive is allowed only with esphome"
            ),
            ("[mqtt]\nbroker = \"mqtt://host\"\ndiscovery-prefix = \"home/#\"", "3: discovery-prefix must be a topic"),
            ("[node]\nhome = \"/a\"\nhome = \"/b\"", "3: "), ("[node", "1: "), ("[node]\nhome = \"\u{7}\"", "2: "),
        ])
        func `check shows a mistake with its line and what was expected`(text: String, mistake: String) throws {
            let outcome = try Program.run("config", "check", "-", input: .text(text))
            #expect(outcome.status == 78)
            #expect(outcome.output.hasPrefix("-:\(mistake)"), "\(outcome)")
            let fact = try #require(
                try Program.run("config", "check", "-", "--json", input: .text(text)).facts().first)
            let line = fact["mistakes"]?.list?.first?.object?["line"]?.integer
            #expect(line.map { "\($0): " } == String(mistake.prefix { $0 != " " }) + " ")
        }

        @Test func `check shows every mistake, and a verb the first with the number of the others`() throws {
            let text = "[node]\nhme = \"/h\"\nleave-after = 1\n[file]\n"
            let checked = try Program.run("config", "check", "-", input: .text(text))
            #expect(checked.output.split(separator: "\n").filter { $0.hasPrefix("-:") }.count == 3)
            let folder = try Folder()
            let file = try folder.write("bad.toml", Array(text.utf8))
            let outcome = try Program.run("status", "--config", file)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("\(file):2: unknown key 'hme' in [node]\n  Did you mean 'home'?"))
            #expect(outcome.errors.contains("'inkling config check \(file)' shows 2 more."))
        }

        @Test func `a file that is missing, no UTF-8 or too long is refused`() throws {
            let folder = try Folder()
            let missing = try Program.run("config", "check", "\(folder.path)/none.toml")
            #expect(missing.status == 65)
            #expect(missing.errors.contains("none.toml: No such file or directory"))
            let bytes = try folder.write("bytes.toml", [0x23, 0xff, 0x0a])
            #expect(try Program.run("config", "check", bytes).output == "\(bytes): the text is not UTF-8\n")
            let long = try folder.write("long.toml", [UInt8](repeating: 0x23, count: Configuration.byteLimit + 1))
            #expect(try Program.run("config", "check", long).errors.contains("is larger than 65536 bytes"))
        }

        @Test func `a node uses the settings, and the command line takes their place`() throws {
            let folder = try Folder()
            let key = try folder.write("key", [UInt8](repeating: 7, count: 32), mode: 0o600)
            let text = "[node]\nhome = \"\(folder.path)/ada\"\nkey-file = \"\(key)\"\n"
            let file = try folder.write("inkling.toml", Array(text.utf8))
            let made = try Program.run("init", "--name", "Ada", "--config", file, "--key-file", key)
            #expect(made.status == 0, "\(made)")
            // The home and the key of the file open the vault that the home of the file has.
            let shown = try Program.run("contacts", "list", "--config", file)
            #expect(shown.status == 0, "\(shown)")
            let named = try Program.run("contacts", "list", environment: ["INKLING_CONFIG": file])
            #expect(named.status == 0, "\(named)")
            let other = try Program.run("contacts", "list", "--config", file, "--home", "\(folder.path)/other")
            #expect(other.status != 0)
            #expect(other.errors.contains("\(folder.path)/other"))
        }
    }
#endif
