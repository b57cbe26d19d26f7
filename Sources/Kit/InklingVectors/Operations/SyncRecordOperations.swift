internal import InklingJSON
internal import InklingKeys
internal import InklingWire

private let textNumbers: ClosedRange<Int128> = 1...Int128(UInt64.max >> 1)

/// The operations on the records of text delivery (`Specs/sync.md`).
let syncRecordOperations = [
    ShimOperation(
        "message-encode",
        [
            .integer("number", in: textNumbers), .bytes("id", 16), .u64("writtenAt"),
            .text("text", in: 1...SyncMessage.textLimit).optional,
        ]
    ) { arguments throws(ShimRefusal) in
        let message = try arguments.message()
        return ["body": message.record.withBody { .hex($0) }]
    },
    ShimOperation("message-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let message = try refusing { () throws(SyncError) in try SyncMessage(parsing: body.span) }
        var result: JSONObject = [
            "number": .text(String(message.number)), "id": .text(message.id.rawValue.description),
            "writtenAt": .text(String(message.writtenAt)),
        ]
        result["text"] = message.text.map(JSON.text)
        return result
    },
    ShimOperation(
        "receipt-encode",
        [
            .bytes("stream", 8).optional, .integer("number", in: textNumbers).optional, .bytes("id", 16).optional,
            .integer("room", in: 0...Int128(SyncReceipt.roomLimit)),
        ]
    ) { arguments throws(ShimRefusal) in
        let last = try arguments.last()
        let receipt = try refusing { () throws(SyncError) in
            try SyncReceipt(last: last, room: arguments.u16("room"))
        }
        return ["body": receipt.record.withBody { .hex($0) }]
    },
    ShimOperation("receipt-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let receipt = try refusing { () throws(SyncError) in try SyncReceipt(parsing: body.span) }
        var result = receipt.last.map(\.members) ?? [:]
        result["room"] = .integer(receipt.room)
        return result
    },
    ShimOperation(
        "stream-encode", [.bytes("stream", 8), .integer("first", in: textNumbers)]
    ) { arguments throws(ShimRefusal) in
        let stream = try arguments.stream("stream")
        let announced = try refusing { () throws(SyncError) in
            try SyncStream(stream: stream, first: arguments.u64("first"))
        }
        return ["body": announced.record.withBody { .hex($0) }]
    },
    ShimOperation("stream-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let announced = try refusing { () throws(SyncError) in try SyncStream(parsing: body.span) }
        return ["stream": .text(announced.stream.digits), "first": .text(String(announced.first))]
    },
]

extension ShimArguments {
    fileprivate func message() throws(ShimRefusal) -> SyncMessage {
        let id = try textID()
        return try refusing { () throws(SyncError) in
            try SyncMessage(
                number: u64("number"), id: id, writtenAt: u64("writtenAt"), text: has("text") ? text("text") : nil)
        }
    }

    /// Returns a stream id: eight bytes that are not all zero.
    func stream(_ name: String) throws(ShimRefusal) -> StreamID {
        let number = bytes(name).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let stream = StreamID(rawValue: number) else { throw .arguments("out-of-range") }
        return stream
    }

    /// Returns a text id: sixteen bytes that are not all zero.
    func textID(_ name: String = "id") throws(ShimRefusal) -> TextID {
        guard let id = TextID(rawValue: octets16(name)) else { throw .arguments("out-of-range") }
        return id
    }

    /// Returns the name of a text, whose members must be given all or none.
    func last(
        _ stream: String = "stream", _ number: String = "number", _ id: String = "id"
    ) throws(ShimRefusal) -> SyncReceipt.Last? {
        let given = [stream, number, id].map(has)
        guard given.contains(true) else { return nil }
        guard !given.contains(false) else { throw .arguments("missing") }
        let (stream, id) = (try self.stream(stream), try textID(id))
        guard let last = SyncReceipt.Last(stream: stream, number: u64(number), id: id)
        else { throw .arguments("out-of-range") }
        return last
    }
}

extension StreamID {
    /// The id as sixteen lowercase hexadecimal digits.
    var digits: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension SyncReceipt.Last {
    var members: JSONObject {
        ["stream": .text(stream.digits), "number": .text(String(number)), "id": .text(id.rawValue.description)]
    }
}
