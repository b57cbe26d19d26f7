import InklingJSON
import InklingKeys
import InklingNode
import InklingTesting
import Testing

@testable import InklingCommand

#if Node
    // The page and its answers are tested by Tests/Rigs/dashboard, in a browser.
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

        @Test func `the timeline keeps a bounded number of moments, the newest`() throws {
            let history = DashboardHistory()
            for number in 0..<3000 {
                let epoch = try #require(Epoch(UInt32(1_900_000 + number)))
                history.note(EventFact(.showing(epoch, over: .lan), name: { _ in "" }))
            }
            #expect(history.all.count <= 1000 && history.all.count >= 750)
            history.note(EventFact(.silent(.gap, over: .lan), name: { _ in "" }))
            #expect(history.all.last?.state == "silent")
        }
    }
#endif
