import InklingJSON
import InklingProgramTesting
import Testing

@Suite(.runsPrograms) struct `inkling-kit shim` {
    private let epochRequest = #"{"id":1,"op":"epoch","args":{"unixSeconds":1785600000}}"#
    private let epochReply = #"{"id":1,"result":{"epoch":1984000,"period":496000}}"#

    @Test func `replies to a line before it reads the next`() throws {
        let shim = try Program(["shim"], input: .later, program: Kit.path)
        for _ in 0..<3 {
            shim.send(epochRequest + "\n")
            #expect(try shim.line() == epochReply)
        }
        #expect(try shim.finish().status == 0)
    }

    @Test func `replies to pipelined lines in order, and to a last line without a line feed`() throws {
        let requests = (0..<2000).map { #"{"id":\#($0),"op":"epoch","args":{"unixSeconds":\#($0 * 900)}}"# }
        let outcome = try Kit.run("shim", input: .text(requests.joined(separator: "\n")))
        #expect(outcome.status == 0)
        #expect(try outcome.facts().map { $0["id"]?.integer } == (0..<2000).map { Int64($0) })
        #expect(try outcome.facts().last?["result"]?.object?["epoch"]?.integer == 1999)
    }

    @Test func `replies to invalid lines and continues`() throws {
        let lines = ["", "[", "7", #"{"id":1}"#, #"{"id":2,"op":"fly"}"#, "\u{fffd}", epochRequest]
        let outcome = try Kit.run("shim", input: .text(lines.joined(separator: "\n") + "\n"))
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == lines.count)
        #expect(try outcome.facts()[4]["unsupported"]?.flag == true)
        #expect(outcome.lines.last == epochReply)
        let bytes = try Kit.run("shim", input: .bytes([0xff, 0x00, 0x0a] + Array(epochRequest.utf8)))
        #expect(bytes.lines.count == 2)
        #expect(bytes.lines.last == epochReply)
    }

    @Test(arguments: ["\n", ""])
    func `replies once to a line that is too long`(end: String) throws {
        let limit = 1 << 20
        for surplus in [1, 70_000, 3 << 20] {
            let line = String(repeating: " ", count: limit + surplus)
            let before = try Kit.run("shim", input: .text("\(epochRequest)\n\(line)\(end)"))
            #expect(before.lines.count == 2, "\(surplus)")
            #expect(before.lines.first == epochReply)
            #expect(try before.facts().last?["error"]?.object?["stage"]?.text == "request")
        }
        let after = try Kit.run(
            "shim", input: .text(String(repeating: " ", count: limit + 1) + "\n" + epochRequest))
        #expect(after.lines.count == 2)
        #expect(after.lines.last == epochReply)
    }

    @Test func `prints nothing without input`() throws {
        let outcome = try Kit.run("shim")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
    }

    @Test func `ends without a message when its reader goes away`() throws {
        let shim = try Program(["shim"], input: .later, program: Kit.path)
        shim.send(epochRequest + "\n")
        _ = try shim.line()
        shim.stopReading()
        for _ in 0..<3 { shim.send(epochRequest + "\n") }
        let outcome = try shim.finish()
        #expect(outcome.errors.isEmpty)
    }
}
