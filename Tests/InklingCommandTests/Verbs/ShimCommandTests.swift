import InklingJSON
import Testing

@Suite struct `inkling shim` {
    private let epochRequest = #"{"id":1,"op":"epoch","args":{"unixSeconds":1785600000}}"#
    private let epochReply = #"{"id":1,"result":{"epoch":1984000,"period":496000}}"#

    @Test func `every line gets one reply before the next is read`() throws {
        let shim = try Program(["shim"], input: .later)
        for _ in 0..<3 {
            shim.send(epochRequest + "\n")
            #expect(try shim.line() == epochReply)
        }
        #expect(try shim.finish().status == 0)
    }

    @Test func `pipelined lines are answered in order, and a line without an end counts`() throws {
        let requests = (0..<2000).map { #"{"id":\#($0),"op":"epoch","args":{"unixSeconds":\#($0 * 900)}}"# }
        let outcome = try Program.run("shim", input: .text(requests.joined(separator: "\n")))
        #expect(outcome.status == 0)
        #expect(try outcome.facts().map { $0["id"]?.integer } == (0..<2000).map { Int64($0) })
        #expect(try outcome.facts().last?["result"]?.object?["epoch"]?.integer == 1999)
    }

    @Test func `bad lines are answered and end nothing`() throws {
        let lines = ["", "[", "7", #"{"id":1}"#, #"{"id":2,"op":"fly"}"#, "\u{fffd}", epochRequest]
        let outcome = try Program.run("shim", input: .text(lines.joined(separator: "\n") + "\n"))
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == lines.count)
        #expect(try outcome.facts()[4]["unsupported"]?.flag == true)
        #expect(outcome.lines.last == epochReply)
        let bytes = try Program.run("shim", input: .bytes([0xff, 0x00, 0x0a] + Array(epochRequest.utf8)))
        #expect(bytes.lines.count == 2)
        #expect(bytes.lines.last == epochReply)
    }

    @Test(arguments: ["\n", ""])
    func `a line that is too long gets one refusal, wherever it ends`(end: String) throws {
        let limit = 1 << 20
        for surplus in [1, 70_000, 3 << 20] {
            let line = String(repeating: " ", count: limit + surplus)
            let before = try Program.run("shim", input: .text("\(epochRequest)\n\(line)\(end)"))
            #expect(before.lines.count == 2, "\(surplus)")
            #expect(before.lines.first == epochReply)
            #expect(try before.facts().last?["error"]?.object?["stage"]?.text == "request")
        }
        let after = try Program.run(
            "shim", input: .text(String(repeating: " ", count: limit + 1) + "\n" + epochRequest))
        #expect(after.lines.count == 2)
        #expect(after.lines.last == epochReply)
    }

    @Test func `no input is no output`() throws {
        let outcome = try Program.run("shim")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
    }

    @Test func `a reader that goes away ends it quietly`() throws {
        let shim = try Program(["shim"], input: .later)
        shim.send(epochRequest + "\n")
        _ = try shim.line()
        shim.stopReading()
        for _ in 0..<3 { shim.send(epochRequest + "\n") }
        let outcome = try shim.finish()
        #expect(outcome.errors.isEmpty)
    }
}
