import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `The text form` {
    private func encode(_ kind: TextForm.Kind, _ content: [UInt8]) throws -> String {
        try TextForm.encode(kind, content.span)
    }

    private func decode(_ text: String) throws -> [UInt8] {
        let content = try TextForm.decode(Array(text.utf8).span)
        return [content.kind.rawValue] + content.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func refusal(_ text: String) -> TextFormError? {
        do {
            _ = try decode(text)
            return nil
        } catch {
            return error as? TextFormError
        }
    }

    @Test(arguments: TextForm.Kind.allCases)
    func `survives encoding and parsing at any length`(kind: TextForm.Kind) throws {
        for count in [1, 2, 3, 4, 5, 6, 7, 8, 55, 246, 4096] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let text = try encode(kind, content)
            #expect(text.utf8.allSatisfy { (0x30...0x5a).contains($0) }, "not in the alphanumeric mode of QR codes")
            #expect(try decode(text) == [kind.rawValue] + content)
            #expect(try decode(text.lowercased()) == [kind.rawValue] + content)
            #expect(text.utf8.count <= TextForm.textLimit)
        }
    }

    @Test func `has 105 characters for an invitation`() throws {
        #expect(try encode(.invitation, [UInt8](repeating: 7, count: 55)).utf8.count == 105)
    }

    @Test func `is refused if any character is replaced`() throws {
        let text = Array(try encode(.invitation, [UInt8](0..<12)).utf8)
        for place in text.indices {
            for other in UInt8(0x21)...0x7e where other & 0xdf != text[place] & 0xdf || !isLetter(other) {
                guard other != text[place] else { continue }
                let changed = String(decoding: text.replacing(at: place, with: [other]), as: UTF8.self)
                #expect(refusal(changed) != nil, "\(Character(UnicodeScalar(other))) at \(place)")
            }
        }
    }

    @Test func `is refused if a character is missing or doubled or two are exchanged`() throws {
        let text = Array(try encode(.card, [UInt8](0..<40)).utf8)
        for place in text.indices {
            var lost = text
            lost.remove(at: place)
            #expect(refusal(String(decoding: lost, as: UTF8.self)) != nil)
            #expect(refusal(String(decoding: text[...place] + text[place...], as: UTF8.self)) != nil)
            if place > 0, text[place] != text[place - 1] {
                var exchanged = text
                exchanged.swapAt(place, place - 1)
                #expect(refusal(String(decoding: exchanged, as: UTF8.self)) != nil)
            }
        }
    }

    @Test func `is refused for each error with its own reason`() throws {
        let text = try encode(.invitation, [1])
        #expect(text == "INKLING:I:" + text.dropFirst(10))
        #expect(refusal("") == .unknownPrefix)
        #expect(refusal("INKLING") == .unknownPrefix)
        #expect(refusal("INKLINK:I:AAAA") == .unknownPrefix)
        #expect(refusal("INKLING:") == .unknownKind)
        #expect(refusal("INKLING:X:AAAA") == .unknownKind)
        #expect(refusal("INKLING:I") == .noSeparator)
        #expect(refusal("INKLING:I;AAAA") == .noSeparator)
        #expect(refusal("INKLING:I:AAA1AAAA") == .notBase32)
        #expect(refusal("INKLING:I:AAA=AAAA") == .notBase32)
        #expect(refusal(text + " ") == .notBase32)
        #expect(refusal(text + "\n") == .notBase32)
        #expect(refusal("INKLING:I:AAA") == .impossibleLength)
        #expect(refusal("INKLING:I:AB") == .paddingNotZero)
        #expect(refusal("INKLING:I:") == .tooShort)
        #expect(refusal("INKLING:I:AAAAAAA") == .tooShort)
        #expect(refusal("INKLING:I:AAAAAAAA") == .checkMismatch)
        #expect(refusal("INKLING:C" + text.dropFirst(9)) == .checkMismatch)
        #expect(refusal("INKLING:I:" + String(repeating: "A", count: 6561)) == .tooLong)
    }

    @Test func `ignores the case of ASCII letters only`() throws {
        let text = try encode(.sealedGrant, [UInt8](0..<30))
        #expect(refusal(text.replacing("K", with: "\u{212a}")) == .unknownPrefix)
        #expect(refusal(text.replacing("I", with: "ı")) == .unknownPrefix)
        #expect(refusal("inkling:g" + text.dropFirst(9)) == nil)
    }

    @Test func `carries at most 4,096 bytes`() {
        #expect(throws: TextFormError.tooLong) { try encode(.card, [UInt8](repeating: 0, count: 4097)) }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte & 0xdf) }
}
