import Testing

@testable import InklingJSON

private func parse(_ text: String) throws(JSONError) -> JSON { try JSON(parsing: Array(text.utf8)) }

@Suite struct `JSON values` {
    @Test(arguments: [
        #"{"a":[1,2.50,-3e+7,"x\n\u00e9😀",true,false,null],"b":{}}"#, "[]", #""""#, "0", "-0",
    ])
    func `parses its own output`(text: String) throws {
        let value = try parse(text)
        #expect(try parse(value.compact) == value)
        #expect(try parse(value.pretty) == value)
    }

    @Test func `keeps the digits of a number, and returns an integer only if it is written as one`() throws {
        #expect(try parse("1.0") == .number("1.0"))
        #expect(try parse("1.0").integer == nil)
        #expect(try parse("1e2").integer == nil)
        #expect(try parse("9007199254740993").integer == 9_007_199_254_740_993)
    }

    @Test func `objects are equal whatever the order of their members`() throws {
        #expect(try parse(#"{"a":1,"b":2}"#) == parse(#"{"b":2,"a":1}"#))
        #expect(try parse(#"{"a":1,"b":2}"#) != parse(#"{"a":1,"b":3}"#))
        #expect(try parse(#"{"a":1}"#) != parse(#"{"a":1,"b":3}"#))
    }

    @Test(arguments: [
        ("", JSONError.Fault.unexpectedEnd, 0), ("{\"a\":1,}", .unexpectedCharacter, 7),
        ("{\"a\":1,\"a\":2}", .repeatedName, 7), ("[1,2", .unexpectedEnd, 4), ("01", .trailingText, 1),
        ("1.", .badNumber, 0), ("\"\\ud800\"", .badEscape, 7), ("\"\u{1}\"", .controlCharacter, 1),
        ("nul", .unexpectedCharacter, 0), ("1 2", .trailingText, 2), ("\"\\x\"", .badEscape, 2),
        ("NaN", .unexpectedCharacter, 0), ("\u{feff}1", .unexpectedCharacter, 0),
    ])
    func `rejects invalid JSON and reports the offset of the fault`(
        text: String, fault: JSONError.Fault, offset: Int
    ) {
        #expect(throws: JSONError(fault: fault, offset: offset, line: 1)) { try parse(text) }
    }

    @Test func `reports the line of a fault`() {
        #expect(throws: JSONError(fault: .unexpectedCharacter, offset: 9, line: 3)) { try parse("{\n\"a\": 1\n:}") }
    }

    @Test func `rejects deep nesting`() {
        let deep = String(repeating: "[", count: 10_000)
        #expect(throws: JSONError(fault: .tooDeep, offset: 65, line: 1)) { try parse(deep) }
    }

    @Test func `rejects bytes that are not UTF-8`() {
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xc0, 0xaf, 0x22]) }
    }

    @Test func `is valid exactly when it parses, whatever byte of a text is replaced`() {
        let text = Array(#"{"a":[1,2.50,-3e+7,"x\n\u00e9\ud83d\ude00é😀",true],"b":{"c":{},"d":"\"","é":null}} "#.utf8)
        let replacements = Array("\"\\{}[]:,0du ".utf8) + [0x01, 0x7f, 0x80, 0xc3, 0xe2, 0xf0, 0xff]
        #expect(JSON.isValid(text))
        var refused = 0
        for place in text.indices {
            for byte in replacements {
                var changed = text
                changed[place] = byte
                let parses = (try? JSON(parsing: changed)) != nil
                #expect(JSON.isValid(changed) == parses, "byte \(byte) at \(place)")
                refused += parses ? 0 : 1
            }
        }
        #expect(refused > 500)
    }

    @Test(arguments: [
        (#""""#, ""), (#""\\""#, "\\"), (#""a\tb""#, "a\tb"), (#""\ta""#, "\ta"), (#""é\u00e9é""#, "ééé"),
    ])
    func `a text is what stands between its quotes, with its escapes replaced`(text: String, content: String) throws {
        #expect(try parse(text) == .text(content))
    }

    @Test func `an escape does not complete the bytes of a character`() {
        #expect(throws: JSONError(fault: .notUTF8, offset: 0, line: 1)) {
            try JSON(parsing: [0x22, 0xe2, 0x82] + Array(#"\u00ac""#.utf8))
        }
    }

    @Test func `escapes control characters, so that no value can control a terminal`() {
        #expect(JSON.text("a\u{1b}[31m\u{9b}\"").compact == #""a\u001b[31m\u009b\"""#)
    }
}
