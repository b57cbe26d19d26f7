import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingTerminal
import InklingTesting
import InklingVault
import Testing

@testable import InklingCommand

#if Node
    import NIOHTTP1
#endif

#if Node
    // The page and its answers are tested by Tests/Rigs/home/dashboard.py, in a browser.
    @Suite(.runsPrograms) struct `inkling dashboard` {
        @Test func `the token of the node that runs now is shown, and that of another run is another`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            var tokens: Set<String> = []
            for _ in 0..<2 {
                let port = try freePort()
                let run = try ada.start(
                    "run", "--json", "--bluetooth", "off", "--dashboard", "127.0.0.1:\(port)")
                _ = try run.fact(where: isVisible)
                let told = try ada.run("dashboard", "--json")
                #expect(told.status == 0, "\(told.errors)")
                let object = try #require(try JSON(parsing: Array(told.output.utf8)).object)
                #expect(object["address"]?.text == "http://127.0.0.1:\(port)/")
                let token = try #require(object["token"]?.text)
                #expect(token.utf8.count == 32 && token.allSatisfy(\.isHexDigit))
                #expect(tokens.insert(token).inserted)
                let plain = try ada.run("dashboard")
                #expect(plain.output == "address  http://127.0.0.1:\(port)/\ntoken    \(token)\n")
                run.interrupt()
                #expect(try run.finish().status == 0)
            }
        }

        @Test func `a node without a dashboard says how to start it with one, and no node says that none runs`() throws
        {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let none = try ada.run("dashboard")
            #expect(none.status == 69)
            #expect(none.errors.contains("no node runs"))
            let run = try ada.start("run", "--json", "--bluetooth", "off")
            _ = try run.fact(where: isVisible)
            let plain = try ada.run("dashboard")
            #expect(plain.status == 69)
            #expect(plain.errors.contains("the node serves no dashboard"))
            #expect(plain.errors.contains("inkling run --dashboard 127.0.0.1:9761"))
        }

        @Test func `only the whole token in one header opens anything`() {
            let token = DashboardToken()
            let text = token.text.value.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            #expect(token.isShown(in: ["Bearer \(text)"]))
            for values in [
                [], [""], [text], ["Bearer "], ["Bearer \(text.dropLast())"], ["Bearer \(text)0"], ["bearer \(text)"],
                ["Bearer \(text)", "Bearer \(text)"], ["Bearer \(String(repeating: "0", count: 32))"],
                ["Basic \(text)"],
            ] {
                #expect(!token.isShown(in: values), "\(values)")
            }
        }

        @Test func `the timeline and the log keep a bounded number of moments and events, the newest`() throws {
            let history = DashboardHistory()
            for number in 0..<3000 {
                let epoch = try #require(Epoch(UInt32(1_900_000 + number)))
                history.note(EventFact(.showing(epoch, over: .lan), name: { _ in "" }), at: UInt64(number))
            }
            #expect(history.all.count <= 1000 && history.all.count >= 750)
            #expect(history.log.isEmpty, "a new epoch is no news")
            history.note(EventFact(.silent(.gap, over: .lan), name: { _ in "" }), at: 3000)
            #expect(history.all.last?.state == "silent")
            #expect(history.log.isEmpty, "neither is the gap before it")
            for number in 0..<250 {
                history.note(EventFact(.visibility(.nobody), name: { _ in "" }), at: UInt64(number))
            }
            #expect(history.log.count == 100)
            #expect(history.log.map(\.unixMilliseconds) == Array((150..<250 as Range<UInt64>).reversed()))
        }

        @Test func `the log has no texts of messages`() throws {
            let history = DashboardHistory()
            let user = try #require(UserID(String(repeating: "01", count: 16)))
            history.note(EventFact(.message(user, "Tea?"), name: { _ in "Bo" }), at: 1)
            #expect(history.log.isEmpty)
        }

        @Test func `only a request of this server's own page, or of a program, is answered`() {
            let hosts = ["127.0.0.1:9761"]
            #expect(LoopbackServer.isOwn(origin: [], host: hosts))
            #expect(LoopbackServer.isOwn(origin: ["http://127.0.0.1:9761"], host: hosts))
            for origin in [
                "null", "", "http://127.0.0.1", "http://127.0.0.1:9762", "https://127.0.0.1:9761",
                "http://localhost:9761", "http://evil.example", "http://127.0.0.1:9761.evil.example",
            ] {
                #expect(!LoopbackServer.isOwn(origin: [origin], host: hosts), "\(origin)")
            }
            #expect(!LoopbackServer.isOwn(origin: ["http://127.0.0.1:9761", "http://127.0.0.1:9761"], host: hosts))
        }

        @Test func `only a loopback address and localhost are a host of this machine`() {
            for host in ["127.0.0.1:9761", "127.0.0.1", "localhost:9761", "[::1]:9761", "127.8.8.8:1"] {
                #expect(LoopbackServer.isLoopback(host: [host]), "\(host)")
            }
            for host in [
                "", "evil.example:9761", "10.0.0.1:9761", "localhost.evil.example", "127.0.0.1.evil.example:9761",
            ] {
                #expect(!LoopbackServer.isLoopback(host: [host]), "\(host)")
            }
            #expect(!LoopbackServer.isLoopback(host: []))
            #expect(!LoopbackServer.isLoopback(host: ["127.0.0.1", "127.0.0.1"]))
        }

        @Test func `only the type of JSON, which no form can send, is a request`() {
            for type in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
                #expect(Dashboard.isJSON([type]), "\(type)")
            }
            for types in [
                [], [""], ["text/plain"], ["application/x-www-form-urlencoded"], ["multipart/form-data"],
                ["text/plain; application/json"], ["application/json", "application/json"],
            ] {
                #expect(!Dashboard.isJSON(types), "\(types)")
            }
        }

        @Test func `a question is answered once, by its number, and with no when its page has gone`() async {
            let questions = OpenQuestions()
            let (numbers, show) = AsyncStream<String>.makeStream()
            var shown = numbers.makeAsyncIterator()
            for answer in [true, false] {
                let asking = Task { await questions.ask { show.yield($0) } }
                let number = await shown.next() ?? ""
                #expect(!questions.answer("\(number)0", true))
                #expect(questions.answer(number, answer))
                #expect(!questions.answer(number, true))
                #expect(await asking.value == answer)
            }
            let asking = Task { await questions.ask { show.yield($0) } }
            let number = await shown.next() ?? ""
            asking.cancel()
            #expect(await asking.value == false)
            #expect(!questions.answer(number, true))
        }

        @Test func `a request is an object whose name the page needs`() async throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            // Without the options, which would harden this process.
            let opened = try await OpenedNode(home: home.path, isVisible: false, trustsClock: true) {
                _ throws(Failure) in
                try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: home.keyFile) }
            }
            let requests = DashboardRequests(of: ServedNode(node: opened.node))
            func status(_ body: String) -> UInt { requests.answer(Array(body.utf8)).status.code }
            for body in ["", "{", "[]", "{}", #"{"do":1}"#, #"{"do":"answer"}"#, #"{"do":"messages"}{}"#] {
                #expect(status(body) == 400, "\(body)")
            }
            for name in Request.all.map({ $0.name }) where !DashboardRequests.permitted.contains(name) {
                #expect(status(#"{"do":"\#(name)"}"#) == 403, "\(name)")
            }
            #expect(status(#"{"do":"answer","question":"1","agree":true}"#) == 409)
            let answer = requests.answer(Array(#"{"do":"rename","contact":"Bo","name":"Bob"}"#.utf8))
            #expect(answer.status == .ok)
            guard case .stream(let pieces) = answer.body else { throw Failure(.badData, "the answer is no stream") }
            var lines = ""
            for await piece in pieces { if case .text(let text) = piece { lines += text } }
            #expect(lines.contains("there is no contact 'Bo'"))
            #expect(lines.contains(#""failed""#) && !lines.contains(#""done""#))
        }

        @Test func `the modules of a code are those that a terminal shows`() throws {
            let text = SecretBytes(copying: Array("INKLING:I:ABCDEFG".utf8).span)
            guard let modules = QRModules(text), let code = QRCode(text) else {
                throw Failure(.badData, "the text has no code")
            }
            #expect(code.columns == modules.width + 8)
            #expect(modules.digits.value.count == modules.width * modules.width)
            // A finder pattern: a ring of seven modules, and nothing dark beside the code.
            #expect((0..<7).allSatisfy { modules.isDark(0, $0) && modules.isDark($0, 0) && modules.isDark(6, $0) })
            #expect(!modules.isDark(1, 1) && !modules.isDark(-1, 0) && !modules.isDark(0, modules.width))
        }
    }
#endif
