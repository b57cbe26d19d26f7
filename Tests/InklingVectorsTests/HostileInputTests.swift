import InklingJSON
import InklingTesting
import InklingVectors
import Testing

/// The inputs of `Tests/Rigs/hostile-inputs` for the parsers of vector files and of shim lines, each with its refusal.
@Suite struct `Hostile inputs` {
    /// Covers INK-CNF-008.
    @Test(arguments: ["json", "vector-file"])
    func `are refused with the expected reason`(parser: String) throws {
        for input in try hostileInputs(parser) {
            #expect(refusal(parser, input.bytes) == input.refusal, "\(input)")
        }
    }

    private func refusal(_ parser: String, _ bytes: [UInt8]) -> String? {
        switch parser {
        case "json":
            do { _ = try JSON(parsing: bytes) } catch { return error.fault.rawValue }
        default:
            do { _ = try VectorDocument(parsing: bytes) } catch { return error.description }
        }
        return nil
    }

    /// Covers INK-CNF-002.
    @Test func `get exactly one reply line from the shim`() throws {
        let shim = Shim()
        for input in try hostileInputs("json") {
            let reply = try JSON(parsing: Array(shim.reply(to: input.bytes).utf8)).object
            let reason = input.bytes.count > Shim.lineLimit ? "too-long" : "not-json"
            #expect(reply?["error"]?.object?["reason"]?.text == reason, "\(input)")
        }
    }
}
