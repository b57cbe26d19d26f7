internal import InklingJSON
internal import InklingKeys
internal import InklingVectors
internal import InklingWire

extension FuzzTarget {
    static let textTargets = [
        FuzzTarget("service-name") { input in
            guard let name = OpaqueServiceName(parsing: input) else { return nil }
            promise(Array(name.description.utf8) == input.array, "a name has one spelling")
            // One byte, because a text in hexadecimal digits contains no field in the form that it has in memory.
            return 0x5a00 | UInt32(truncatingIfNeeded: name.octets.low & 0xff)
        },

        // First byte 1: the rest is the content, because no mutation produces a correct check of four bytes.
        FuzzTarget("text-form") { input in
            guard !input.isEmpty else { return nil }
            let rest = input.extracting(1...)
            guard input[0] == 1 else {
                guard let content = try? TextForm.decode(rest) else { return nil }
                let again = content.bytes.withBytes { try? TextForm.encode(content.kind, $0) }
                promise(again.map { Array($0.utf8) } == rest.array.map(upperCase), "one content, one text")
                return content.bytes.withBytes { $0.field() }
            }
            guard !rest.isEmpty, let text = try? TextForm.encode(.card, rest) else { return nil }
            guard let content = try? TextForm.decode(Array(text.utf8).span) else {
                brokenPromise("what was encoded is decoded")
            }
            promise(content.bytes.withBytes { $0.isEqual(to: rest) }, "and is the same")
            return rest.field()
        },

        // In the next three targets, the four bytes before the text are the field, because every byte of an accepted text
        // matters.
        FuzzTarget("json") { input in
            guard input.count >= 4, let value = try? JSON(parsing: input.extracting(4...).array) else { return nil }
            promise((try? JSON(parsing: Array(value.compact.utf8))) == value, "what is written reads the same")
            return input.tag
        },

        FuzzTarget("shim-line") { input in
            guard input.count >= 4 else { return nil }
            let reply = shim.reply(to: input.extracting(4...).array)
            guard let object = (try? JSON(parsing: Array(reply.utf8)))?.object else {
                brokenPromise("a reply is one JSON object")
            }
            promise(!reply.utf8.contains(UInt8(ascii: "\n")), "on one line")
            // A line counts as accepted when it is JSON, even if the request is refused.
            return object["error"]?.object?["reason"] == .text("not-json") ? nil : input.tag
        },

        FuzzTarget("noise-protocol-name") { input in
            guard input.count >= 4, let text = input.extracting(4...).text,
                let name = NoiseProtocolName(text)
            else { return nil }
            promise(name.description == text && text.utf8.count < 64, "a name has one spelling")
            return input.tag
        },
    ]

    private static let shim = Shim()
}

private func upperCase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
}
