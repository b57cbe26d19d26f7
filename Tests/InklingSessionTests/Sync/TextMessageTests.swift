import InklingKeys
import InklingSession
import InklingTesting
import Testing

private func refusal(of body: [UInt8]) -> TextMessageError? {
    do throws(TextMessageError) {
        _ = try TextMessage(parsing: body.span)
        return nil
    } catch {
        return error
    }
}

private func content(_ record: borrowing Record) -> [UInt8] {
    record.withBody { body in body.indices.map { body[$0] } }
}

@Suite struct `A text message` {
    @Test func `is encoded as its number and its bytes`() throws {
        let message = try TextMessage(number: 0x0102_0304_0506_0708, text: "hé💡")
        let record = message.record
        #expect(record.type == .message)
        #expect(record.withBody { hex($0) } == "010203040506070868c3a9f09f92a1")
        #expect(try record.withBody { body throws(TextMessageError) in try TextMessage(parsing: body) } == message)
    }

    @Test func `keeps the bytes of its text unchanged`() throws {
        for text in ["\u{e9}", "e\u{301}", "\u{feff}a", "\u{0}\u{1b}[2J"] {
            let body = try content(TextMessage(number: 1, text: text).record)
            let read = try TextMessage(parsing: body.span)
            #expect(Array(read.text.utf8) == Array(text.utf8))
        }
    }

    @Test func `has 1 to 8,192 bytes`() throws {
        let longest = String(repeating: "a", count: 8192)
        let body = try content(TextMessage(number: 7, text: longest).record)
        #expect(try TextMessage(parsing: body.span).text == longest)
        for text in ["", longest + "a", String(repeating: "€", count: 2731)] {
            #expect(throws: TextMessageError.wrongLength) { try TextMessage(number: 7, text: text) }
        }
        for count in [0, 7, 8, 8201, 16_384] {
            #expect(refusal(of: [UInt8](repeating: 0x61, count: count)) == .wrongLength)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xc3], [0xc0, 0x80], [0xe0, 0x82, 0xa9], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff],
        ] as [[UInt8]])
    func `is refused if it is not UTF-8`(text: [UInt8]) {
        #expect(refusal(of: [UInt8](repeating: 0, count: 8) + text) == .notUTF8)
        #expect(refusal(of: [UInt8](repeating: 0, count: 8) + Array("end".utf8) + text) == .notUTF8)
    }

    @Test func `is parsed without change or refused for random bytes`() throws {
        var generator = SeededGenerator(seed: 11)
        var readCount = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &generator)
            let body = (0..<count).map { _ in
                // Mostly ASCII, so that both outcomes occur.
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 0xff : 0x7f), using: &generator)
            }
            guard let message = try? TextMessage(parsing: body.span) else { continue }
            readCount += 1
            #expect(content(message.record) == body)
        }
        #expect(readCount > 100 && readCount < 19_000)
    }

    @Test func `is acknowledged by a receipt with exactly its number`() throws {
        let receipt = TextMessage.receipt(for: .max - 1)
        #expect(receipt.type == .receipt)
        #expect(receipt.withBody { hex($0) } == "fffffffffffffffe")
        let number = try receipt.withBody { body throws(TextMessageError) in
            try TextMessage.receiptNumber(parsing: body)
        }
        #expect(number == UInt64.max - 1)
        for count in [0, 7, 9] {
            let body = [UInt8](repeating: 1, count: count)
            #expect(throws: TextMessageError.wrongLength) { try TextMessage.receiptNumber(parsing: body.span) }
        }
    }

    @Test func `is refused with the codes of the specification`() {
        #expect(TextMessageError.wrongLength.stage == "message")
        #expect(TextMessageError.wrongLength.reason == "wrong-length")
        #expect(TextMessageError.notUTF8.stage == "message")
        #expect(TextMessageError.notUTF8.reason == "not-utf8")
    }
}
