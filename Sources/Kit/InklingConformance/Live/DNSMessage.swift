/// A domain name as received. Two names are equivalent when they differ only in the case of letters.
public struct DNSName: Hashable, Sendable, CustomStringConvertible {
    /// The labels from left to right; invalid UTF-8 is replaced by replacement characters.
    public let labels: [String]

    public init(_ labels: [String]) { self.labels = labels }

    /// Creates a name from labels separated by dots.
    public init(_ text: String) { labels = text.split(separator: ".").map(String.init) }

    /// The labels, separated by dots.
    public var description: String { labels.joined(separator: ".") }

    /// Returns whether the names are equivalent.
    public func means(_ other: DNSName) -> Bool {
        labels.map { $0.lowercased() } == other.labels.map { $0.lowercased() }
    }

    /// Returns whether the name ends with these labels.
    public func ends(in other: DNSName) -> Bool {
        labels.count >= other.labels.count && DNSName(Array(labels.suffix(other.labels.count))).means(other)
    }
}

/// A message of multicast DNS (RFC 1035, RFC 6762), with the parts that an observer needs.
public struct DNSMessage: Hashable, Sendable {
    /// The types of records that an observer distinguishes.
    public enum RecordType {
        public static let a: UInt16 = 1
        public static let ptr: UInt16 = 12
        public static let txt: UInt16 = 16
        public static let aaaa: UInt16 = 28
        public static let srv: UInt16 = 33
        public static let any: UInt16 = 255
    }

    /// A question for the records of a name.
    public struct Question: Hashable, Sendable {
        public let name: DNSName
        public let type: UInt16

        public init(_ name: DNSName, _ type: UInt16) {
            self.name = name
            self.type = type
        }
    }

    /// A resource record.
    public struct Record: Hashable, Sendable {
        /// The parsed data of a record.
        public enum Content: Hashable, Sendable {
            case pointer(DNSName)
            case service(priority: UInt16, weight: UInt16, port: UInt16, host: DNSName)
            case text([UInt8])
            /// Four bytes, most significant first.
            case address4([UInt8])
            /// Sixteen bytes.
            case address6([UInt8])
            case other(type: UInt16)
        }

        public let owner: DNSName
        /// Whether the cache-flush bit is set.
        public let isUnique: Bool
        /// The time to live in seconds; 0 in a goodbye.
        public let timeToLive: UInt32
        public let content: Content

        public init(_ owner: DNSName, isUnique: Bool, timeToLive: UInt32, _ content: Content) {
            self.owner = owner
            self.isUnique = isUnique
            self.timeToLive = timeToLive
            self.content = content
        }
    }

    /// Whether the message is a response.
    public let isResponse: Bool
    public let questions: [Question]
    /// The records of all sections of a response. The known answers in a query are omitted.
    public let records: [Record]

    public init(isResponse: Bool, questions: [Question] = [], records: [Record] = []) {
        self.isResponse = isResponse
        self.questions = questions
        self.records = records
    }

    /// The maximum accepted length of a message in bytes.
    public static let byteLimit = 9_000
    /// The maximum accepted number of questions and records.
    static let entryLimit = 512

    /// Parses a message; `nil` if it is malformed.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit, bytes.count >= 12 else { return nil }
        var reader = DNSReader(bytes)
        guard reader.skip(2), let flags = reader.number(2), let questionCount = reader.number(2),
            let answers = reader.number(2), let authorities = reader.number(2), let additionals = reader.number(2)
        else { return nil }
        let recordCount = answers + authorities + additionals
        guard questionCount + recordCount <= Self.entryLimit else { return nil }
        var questions: [Question] = []
        for _ in 0..<questionCount {
            guard let name = reader.name(), let type = reader.number(2), reader.skip(2) else { return nil }
            questions.append(Question(name, UInt16(truncatingIfNeeded: type)))
        }
        var records: [Record] = []
        for _ in 0..<recordCount {
            guard let record = reader.record() else { return nil }
            records.append(record)
        }
        isResponse = flags & 0x8000 != 0
        self.questions = questions
        self.records = isResponse ? records : []
    }

    /// Returns the bytes of a query with these questions, whose labels must have 1 to 63 bytes.
    public static func query(_ questions: [Question]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: questions.count), 0, 0, 0, 0, 0, 0]
        for question in questions {
            for label in question.name.labels {
                let label = Array(label.utf8.prefix(63))
                bytes.append(UInt8(truncatingIfNeeded: label.count))
                bytes += label
            }
            bytes += [0, UInt8(question.type >> 8), UInt8(question.type & 0xff), 0, 1]
        }
        return bytes
    }
}

/// A reader of the fields of a message, from left to right, that never reads beyond the bytes.
private struct DNSReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - place else { return false }
        place += count
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let start = place
        guard skip(count) else { return nil }
        return bytes[start..<place].reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func name() -> DNSName? {
        guard let (name, end) = name(at: place) else { return nil }
        place = end
        return name
    }

    /// Returns the name at an offset and the offset of the next field. Pointers must point backwards, so every name
    /// ends.
    private func name(at start: Int) -> (DNSName, end: Int)? {
        var labels: [String] = []
        var place = start
        var end: Int?
        var total = 0
        while true {
            guard place < bytes.count else { return nil }
            let length = Int(bytes[place])
            switch length {
            case 0: return (DNSName(labels), end ?? place + 1)
            case 1...63:
                guard place + 1 + length <= bytes.count else { return nil }
                labels.append(String(decoding: bytes[place + 1..<place + 1 + length], as: UTF8.self))
                total += length + 1
                guard total < 255 else { return nil }
                place += 1 + length
            case 0xc0...0xff:
                guard place + 1 < bytes.count else { return nil }
                let target = (length & 0x3f) << 8 | Int(bytes[place + 1])
                guard target < place else { return nil }
                if end == nil { end = place + 2 }
                place = target
            default: return nil
            }
        }
    }

    mutating func record() -> DNSMessage.Record? {
        guard let owner = name(), let type = number(2), let kind = number(2), let timeToLive = number(4),
            let count = number(2)
        else { return nil }
        let start = place
        guard skip(count), let content = content(type, at: start, count) else { return nil }
        return DNSMessage.Record(
            owner, isUnique: kind & 0x8000 != 0, timeToLive: UInt32(truncatingIfNeeded: timeToLive), content)
    }

    private func content(_ type: Int, at start: Int, _ count: Int) -> DNSMessage.Record.Content? {
        func u16(_ offset: Int) -> UInt16 { UInt16(bytes[start + offset]) << 8 | UInt16(bytes[start + offset + 1]) }
        let raw = Array(bytes[start..<start + count])
        switch UInt16(truncatingIfNeeded: type) {
        case DNSMessage.RecordType.ptr:
            guard let target = name(at: start), target.end == start + count else { return nil }
            return .pointer(target.0)
        case DNSMessage.RecordType.srv:
            guard count >= 7, let host = name(at: start + 6), host.end == start + count else { return nil }
            return .service(priority: u16(0), weight: u16(2), port: u16(4), host: host.0)
        case DNSMessage.RecordType.txt: return .text(raw)
        case DNSMessage.RecordType.a: return count == 4 ? .address4(raw) : nil
        case DNSMessage.RecordType.aaaa: return count == 16 ? .address6(raw) : nil
        case let type: return .other(type: type)
        }
    }
}
