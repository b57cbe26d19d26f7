internal import InklingKeys

extension FileWords {
    /// The transfer that the message concerns.
    package var id: TransferID {
        switch self {
        case .offer(let id, _), .grant(let id, _), .chunk(let id, _, _), .taken(let id, _), .end(let id, _),
            .done(let id), .stop(let id, _):
            id
        }
    }

    /// The type of the record.
    package var type: RecordType {
        switch self {
        case .offer: .fileOffer
        case .grant: .fileGrant
        case .chunk: .fileChunk
        case .taken: .fileTaken
        case .end: .fileEnd
        case .done: .fileDone
        case .stop: .fileStop
        }
    }

    /// Parses the body of a record; returns nil for a record of another type.
    ///
    /// - Throws: `FileWordsError`, the first row of the table in `Specs/files.md` that applies.
    package init?(_ type: RecordType, parsing body: Span<UInt8>) throws(FileWordsError) {
        guard let lengths = Self.lengths(of: type) else { return nil }
        var fields = ByteReader()
        guard lengths.contains(body.count), let octets = fields.octets16(of: body) else { throw .wrongLength }
        let id = TransferID(octets)
        switch type {
        case .fileOffer: self = .offer(id, size: try Self.offset(&fields, of: body))
        case .fileGrant:
            let offset = try Self.offset(&fields, of: body)
            guard let window = fields.u32(of: body), let digest = fields.octets32(of: body) else { throw .wrongLength }
            guard (1...Self.windowLimit).contains(window) else { throw .outOfRange }
            self = .grant(id, FileGrant(offset: offset, window: window, digest: digest))
        case .fileChunk:
            let offset = try Self.offset(&fields, of: body)
            let bytes = body.extracting(fields.offset...)
            guard offset + UInt64(bytes.count) <= Self.sizeLimit else { throw .outOfRange }
            var copy: [UInt8] = []
            copy.append(bytes)
            self = .chunk(id, offset: offset, copy)
        case .fileTaken: self = .taken(id, offset: try Self.offset(&fields, of: body))
        case .fileEnd:
            guard let digest = fields.octets32(of: body) else { throw .wrongLength }
            self = .end(id, digest: digest)
        case .fileDone: self = .done(id)
        default:
            guard let reason = fields.u8(of: body) else { throw .wrongLength }
            self = .stop(id, FileStopReason(rawValue: reason) ?? .paused)
        }
    }

    /// The record to send. The caller stays within the limits; a longer chunk is truncated.
    package var record: Record {
        let id = id.octets
        if case .chunk(_, let offset, let bytes) = self {
            return Record(type, followedBy: bytes.span.extracting(first: Self.chunkLimit)) { writer in
                writer.append(id)
                writer.append(u64: offset)
            }
        }
        return Record(type) { writer in
            writer.append(id)
            switch self {
            case .offer(_, let number), .taken(_, let number): writer.append(u64: number)
            case .grant(_, let grant):
                writer.append(u64: grant.offset)
                writer.append(u32: grant.window)
                writer.append(grant.digest)
            case .end(_, let digest): writer.append(digest)
            case .chunk, .done: break
            case .stop(_, let reason): writer.append(u8: reason.rawValue)
            }
        }
    }

    /// Returns the lengths in bytes of the body of a type; nil for a type that does not concern files.
    private static func lengths(of type: RecordType) -> ClosedRange<Int>? {
        switch type {
        case .fileOffer, .fileTaken: 24...24
        case .fileGrant: 60...60
        case .fileChunk: 25...24 + chunkLimit
        case .fileEnd: 48...48
        case .fileDone: 16...16
        case .fileStop: 17...17
        default: nil
        }
    }

    private static func offset(_ fields: inout ByteReader, of body: Span<UInt8>) throws(FileWordsError) -> UInt64 {
        guard let number = fields.u64(of: body) else { throw .wrongLength }
        guard number <= sizeLimit else { throw .outOfRange }
        return number
    }
}
