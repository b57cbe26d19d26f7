import FoundationEssentials
import InklingConformance
import InklingJSON
import Testing

/// One input that must be refused.
private struct Input: CustomTestStringConvertible {
    let parser: String
    let name: String
    let bytes: [UInt8]
    let refusal: String
    var testDescription: String { "\(parser): \(name)" }
}

/// The inputs of `Tests/Hostile` whose parsers read files and lines, each with its refusal.
@Suite struct `Hostile inputs` {
    private static let parsers = ["json", "vector-file", "report"]

    private static func inputs() throws -> [Input] {
        // This file is Tests/InklingConformanceTests/HostileInputTests.swift.
        let folder =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
            + "/Hostile"
        return try parsers.flatMap { parser in
            let content = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(parser).json")))
            let file = try #require(try JSON(parsing: content).object)
            #expect(file["parser"]?.text == parser)
            return try #require(file["cases"]?.list).map { one in
                let members = try #require(one.object)
                return Input(
                    parser: parser, name: try #require(members["class"]?.text), bytes: try bytes(of: members),
                    refusal: try #require(members["refusal"]?.text))
            }
        }
    }

    /// What is written as a text, as hexadecimal digits, or as a text and how often it is repeated.
    private static func bytes(of members: JSONObject) throws -> [UInt8] {
        if let text = members["text"]?.text { return Array(text.utf8) }
        if let repeated = members["repeat"]?.list {
            let count = try #require(repeated[1].integer)
            return Array(String(repeating: try #require(repeated[0].text), count: Int(count)).utf8)
        }
        let digits = try #require(members["hex"]?.text)
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            let start = digits.index(digits.startIndex, offsetBy: place)
            return UInt8(digits[start...].prefix(2), radix: 16)
        }
    }

    @Test func `are refused, each for its reason`() throws {
        let inputs = try Self.inputs()
        for input in inputs { #expect(Self.refusal(input) == input.refusal, "\(input.testDescription)") }
        #expect(Set(inputs.map(\.testDescription)).count == inputs.count)
        #expect(inputs.count > 100)
    }

    private static func refusal(_ input: Input) -> String? {
        switch input.parser {
        case "json":
            do { _ = try JSON(parsing: input.bytes) } catch { return error.fault.rawValue }
        case "vector-file":
            do { _ = try VectorDocument(parsing: input.bytes) } catch { return error.description }
        default:
            do { _ = try ConformanceMatrix(parsing: [input.bytes]) } catch { return error.description }
        }
        return nil
    }

    @Test func `of the shim are answered on one line, whatever they are`() throws {
        let shim = Shim()
        for input in try Self.inputs() where input.parser == "json" {
            let reply = try JSON(parsing: Array(shim.reply(to: input.bytes).utf8)).object
            let reason = input.bytes.count > Shim.lineLimit ? "too-long" : "not-json"
            #expect(reply?["error"]?.object?["reason"]?.text == reason, "\(input.testDescription)")
        }
    }
}
