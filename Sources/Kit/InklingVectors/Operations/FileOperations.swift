internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on records about files (`Specs/files.md`).
let fileOperations: [ShimOperation] = [
    ShimOperation(
        "file-encode",
        [
            .integer("type", in: 0x14...0x1a), .bytes("transfer", 16), .integer("number", in: 0...(1 << 40)),
            .integer("window", in: 0...Int128(FileWords.windowLimit)), .bytes("digest", in: 0...32),
            .bytes("bytes", in: 0...FileWords.chunkLimit), .integer("reason", in: 0...7),
        ]
    ) { arguments throws(ShimRefusal) in
        // The constraints on the members depend on the type, as they do when a body is read.
        var body: [UInt8] = []
        body.append(arguments.bytes("transfer").span)
        switch arguments.u8("type") {
        case 0x14, 0x17: body.append(u64: arguments.u64("number"))
        case 0x15:
            body.append(u64: arguments.u64("number"))
            body.append(u32: arguments.u32("window"))
            body.append(arguments.bytes("digest").span)
        case 0x16:
            body.append(u64: arguments.u64("number"))
            body.append(arguments.bytes("bytes").span)
        case 0x18: body.append(arguments.bytes("digest").span)
        case 0x19: break
        default: body.append(u8: arguments.u8("reason"))
        }
        let words: FileWords?
        do throws(FileWordsError) {
            words = try FileWords(RecordType(rawValue: arguments.u8("type")), parsing: body.span)
        } catch {
            throw .arguments(error.reason)
        }
        guard let words, words.members.members.allSatisfy({ arguments.members[$0.name] == $0.value }) else {
            throw .arguments("out-of-range")
        }
        return ["body": words.record.withBody { .hex($0) }]
    },
    ShimOperation(
        "file-decode", [.integer("type", in: 0x14...0x1a), .bytes("body")]
    ) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let words = try refusing { () throws(FileWordsError) in
            try FileWords(RecordType(rawValue: arguments.u8("type")), parsing: body.span)
        }
        guard let words else { throw .arguments("out-of-range") }
        return words.members
    },
]

extension FileWords {
    /// The members for every type; those that a type lacks are 0 or empty.
    fileprivate var members: JSONObject {
        var number: UInt64 = 0
        var window: UInt32 = 0
        var digest: Octets32?
        var content: [UInt8] = []
        var reason: UInt8 = 0
        switch self {
        case .offer(_, let size): number = size
        case .grant(_, let grant): (number, window, digest) = (grant.offset, grant.window, grant.digest)
        case .chunk(_, let offset, let bytes): (number, content) = (offset, bytes)
        case .taken(_, let offset): number = offset
        case .end(_, let whole): digest = whole
        case .done: break
        case .stop(_, let why): reason = why.rawValue
        }
        var shown: [UInt8] = []
        if let digest { shown.append(digest) }
        var transfer: [UInt8] = []
        transfer.append(id.octets)
        return [
            "transfer": .hex(transfer.span), "number": .integer(number), "window": .integer(window),
            "digest": .hex(shown.span), "bytes": .hex(content.span), "reason": .integer(reason),
        ]
    }
}
