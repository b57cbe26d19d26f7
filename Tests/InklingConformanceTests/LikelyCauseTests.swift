import InklingConformance
import InklingJSON
import InklingVectors
import Testing

/// Returns the cause that is reported for a wrong reply to a case.
private func cause(_ family: String, _ id: String, _ result: (JSONObject) -> String) throws -> String? {
    let suite = try TestedShim.suite("\(family).json")
    let question = try #require(suite.cases.first { $0.id == id })
    let right = question.expected["result"]?.object ?? [:]
    let reply = try JSON(parsing: Array(#"{"id":"\#(id)",\#(result(right))}"#.utf8)).object ?? [:]
    return Difference(question, got: reply).cause
}

@Suite struct `The likely cause of a wrong reply` {
    /// In case beacon-minor-0001, H(key, "iBeacon-minor-1984000") begins with f9c5.
    @Test(arguments: [
        (#""minor":50681"#, "the two bytes are in the opposite order"),
        (#""minor":39665"#, "`epoch` is one too high"),
        (#""minor":"63941""#, "a number is written as a string"),
        (#""minor":63942"#, "it is one too high"),
        (#""minor":-1595"#, "sixteen bits are read as signed"),
        (#""minors":63941"#, "this member is missing"),
        (#""minor":1"#, nil),
    ])
    func `is found for a minor`(result: String, expected: String?) throws {
        #expect(try cause("beacon-minor", "beacon-minor-0001") { _ in #""result":{\#(result)}"# } == expected)
    }

    @Test func `is found for a name that is written in another form`() throws {
        func name(_ change: (String) -> String) throws -> String? {
            try cause("mdns-name", "mdns-name-0005") { #""result":{"name":"\#(change($0["name"]?.text ?? ""))"}"# }
        }
        #expect(try name { $0.uppercased() } == "hexadecimal digits are written in upper case")
        #expect(try name { String($0.prefix(16)) } == "only 8 of 16 bytes are present")
        #expect(try name { $0 + "00" } == "the value is not cut to its length")
        #expect(try name { _ in "247f2895250d23da6bb0d8d9e9808ea3" } == "the label of `mdns-host` is used")
    }

    @Test func `is not sought among mistakes with bytes if the text is not hexadecimal`() throws {
        func shown(_ change: (String) -> String) throws -> String? {
            try cause("card-decode", "card-decode-0001") { right in
                var result = right
                result["name"] = .text(change(right["name"]?.text ?? ""))
                return #""result":\#(JSON.object(result).compact)"#
            }
        }
        #expect(try shown { $0.uppercased() } == "upper and lower case are not preserved")
        #expect(try shown { $0 + "." } == nil)
    }

    @Test func `is a missing check, or a check in the wrong order, when input must be refused`() throws {
        let suite = try TestedShim.suite("grant-decode.json")
        let refused = try #require(suite.cases.first { $0.expected["error"]?.object?["stage"]?.text == "signature" })
        let stage = refused.expected["error"]?.object?["stage"]?.text ?? ""
        let accepted = Difference(refused, got: ["id": .text(refused.id), "result": .object([:])])
        #expect(accepted.cause?.contains("the check behind `\(stage)`") == true)
        let other = Difference(
            refused, got: ["id": .text(refused.id), "error": .object(["stage": "length", "reason": "wrong-length"])])
        #expect(
            other.cause
                == "the check behind `length`/`wrong-length` comes before the right check, or the right check is missing"
        )
    }

    @Test func `is the order of the public keys of a pair`() throws {
        let suite = try TestedShim.suite("pair-root.json")
        let question = try #require(
            suite.cases.first { $0.expected["result"] != nil && $0.arguments?["advertising"]?.flag == true })
        let shim = Shim()
        func reply(_ change: (inout JSONObject) -> Void) throws -> JSONObject {
            var arguments = question.arguments ?? [:]
            change(&arguments)
            let request: JSONObject = ["id": .text(question.id), "op": "pair-root", "args": .object(arguments)]
            let line = shim.reply(to: Array(JSON.object(request).compact.utf8))
            return try #require(try JSON(parsing: Array(line.utf8)).object)
        }
        let turned = try reply { $0["advertising"] = .flag(false) }
        #expect(Difference(question, got: turned).cause == "the public keys are in the wrong order")
    }

    @Test(arguments: [
        (#""epoch":2,"period":0"#, "the epoch is rounded up"), (#""epoch":1,"period":1"#, "the period is rounded up"),
    ])
    func `is an epoch or a period that was rounded up`(result: String, expected: String) throws {
        #expect(try cause("epoch", "epoch-0006") { _ in #""result":{\#(result)}"# } == expected)
    }
}
