package import InklingKeys

/// The reason a packet is not a message of multicast DNS (`Specs/mdns.md`, "Refusals of packets").
package enum MDNSMessageError: Refusal, Hashable {
    /// The packet has more than 9,000 bytes.
    case tooLong
    /// The packet ends before the end of an announced part.
    case truncated
    /// The opcode in the header is not 0.
    case badOpcode
    /// The response code in the header is not 0.
    case badResponseCode
    /// The header announces more than 256 questions and records.
    case tooManyRecords
    /// A label has a reserved type.
    case badLabel
    /// A compression pointer does not point backwards.
    case badPointer
    /// A name has more than 255 bytes.
    case nameTooLong
    /// The data of a record of ours do not have the length of their type.
    case badData
    /// More than 32 records are of the kinds that are read.
    case tooManyAccepted

    package var stage: String {
        switch self {
        case .tooLong, .truncated, .badOpcode, .badResponseCode, .tooManyRecords, .tooManyAccepted: "packet"
        case .badLabel, .badPointer, .nameTooLong: "name"
        case .badData: "data"
        }
    }

    package var reason: String {
        switch self {
        case .tooLong, .nameTooLong: "too-long"
        case .truncated: "truncated"
        case .badOpcode: "bad-opcode"
        case .badResponseCode: "bad-response-code"
        case .tooManyRecords: "too-many-records"
        case .tooManyAccepted: "too-many-accepted"
        case .badLabel: "bad-label"
        case .badPointer: "bad-pointer"
        case .badData: "bad-length"
        }
    }
}

/// The parts of a multicast DNS packet that concern names of this service; everything else in it is skipped.
package struct MDNSMessage: Hashable, Sendable {
    /// The most bytes of a packet.
    package static let byteLimit = 9000
    /// The most questions and records of a packet.
    static let recordLimit = 256
    /// The most questions and records of a packet that are read.
    static let acceptedLimit = 32

    /// Record types (RFC 1035, RFC 2782, RFC 3596).
    enum RecordType {
        static let a: UInt16 = 1, pointer: UInt16 = 12, text: UInt16 = 16, aaaa: UInt16 = 28, service: UInt16 = 33
        static let any: UInt16 = 255
    }

    /// A question of class IN or ANY about a name of this service.
    package struct Question: Hashable, Sendable {
        /// The name in the question: never `.other`.
        package let name: MDNSName
        /// The type in the question; 255 is any.
        package let type: UInt16
        /// Whether the querier wants the answer by unicast.
        package let wantsUnicast: Bool

        package init(name: MDNSName, type: UInt16, wantsUnicast: Bool) {
            self.name = name
            self.type = type
            self.wantsUnicast = wantsUnicast
        }
    }

    /// The section of a message that contains a record.
    package enum Section: Hashable, Sendable, CaseIterable {
        case answer
        case authority
        case additional
    }

    /// A record of class IN about a name of this service.
    package struct Record: Hashable, Sendable {
        package let section: Section
        package let content: Content
        /// The time to live in seconds; 0 withdraws the record.
        package let timeToLive: UInt32
    }

    /// The content of a record.
    package enum Content: Hashable, Sendable {
        /// The service type has this instance.
        case pointer(OpaqueServiceName)
        /// The instance is at a port of a host; nil for a target that is no host of this service.
        case service(OpaqueServiceName, host: OpaqueHostName?, port: UInt16)
        /// The instance has this text; whether it is the one string `v=1`.
        case text(OpaqueServiceName, isVersion1: Bool)
        /// The host has this address; a link-local one is without scope.
        case address(OpaqueHostName, Endpoint.Address)
    }

    /// The number that a legacy querier wants back.
    package let id: UInt16
    /// Whether it is a response.
    package let isResponse: Bool
    /// Whether more known answers follow in another packet.
    package let isTruncated: Bool
    /// The questions about names of this service.
    package private(set) var questions: [Question] = []
    /// The records about names of this service, in the order of the packet.
    package private(set) var records: [Record] = []
    /// Whether the authority section has any record: a query with one is a probe.
    package let hasAuthority: Bool

    /// Parses a packet and keeps the parts that concern a service type.
    ///
    /// - Throws: `MDNSMessageError` for a packet that must be dropped.
    package init(parsing packet: Span<UInt8>, of service: ServiceType = .inkling) throws(MDNSMessageError) {
        guard packet.count <= Self.byteLimit else { throw .tooLong }
        var reader = ByteReader()
        guard let id = reader.u16(of: packet), let flags = reader.u16(of: packet),
            let questionCount = reader.u16(of: packet), let answerCount = reader.u16(of: packet),
            let authorityCount = reader.u16(of: packet), let additionalCount = reader.u16(of: packet)
        else { throw .truncated }
        guard flags & 0x7800 == 0 else { throw .badOpcode }
        guard flags & 0x000f == 0 else { throw .badResponseCode }
        let count = Int(questionCount) + Int(answerCount) + Int(authorityCount) + Int(additionalCount)
        guard count <= Self.recordLimit else { throw .tooManyRecords }
        self.id = id
        isResponse = flags & 0x8000 != 0
        isTruncated = flags & 0x0200 != 0
        hasAuthority = authorityCount > 0

        for _ in 0..<questionCount { try readQuestion(&reader, of: packet, for: service) }
        for _ in 0..<answerCount { try readRecord(&reader, of: packet, in: .answer, for: service) }
        for _ in 0..<authorityCount { try readRecord(&reader, of: packet, in: .authority, for: service) }
        for _ in 0..<additionalCount { try readRecord(&reader, of: packet, in: .additional, for: service) }
    }

    private mutating func readQuestion(
        _ reader: inout ByteReader, of packet: Span<UInt8>, for service: ServiceType
    ) throws(MDNSMessageError) {
        let name = try MDNSName(&reader, of: packet, for: service)
        guard let type = reader.u16(of: packet), let rawClass = reader.u16(of: packet) else { throw .truncated }
        guard name != .other, Self.isReadClass(rawClass, orAny: true) else { return }
        guard questions.count + records.count < Self.acceptedLimit else { throw .tooManyAccepted }
        questions.append(Question(name: name, type: type, wantsUnicast: rawClass & 0x8000 != 0))
    }

    private mutating func readRecord(
        _ reader: inout ByteReader, of packet: Span<UInt8>, in section: Section, for service: ServiceType
    ) throws(MDNSMessageError) {
        let owner = try MDNSName(&reader, of: packet, for: service)
        guard let type = reader.u16(of: packet), let rawClass = reader.u16(of: packet),
            let timeToLive = reader.u32(of: packet), let count = reader.u16(of: packet),
            let data = reader.skip(Int(count), of: packet)
        else { throw .truncated }
        guard Self.isReadClass(rawClass, orAny: false),
            let content = try Content(owner, type: type, data: data, of: packet, for: service)
        else { return }
        guard questions.count + records.count < Self.acceptedLimit else { throw .tooManyAccepted }
        records.append(Record(section: section, content: content, timeToLive: timeToLive))
    }

    /// The highest bit is the cache-flush bit of a record, and asks for unicast in a question.
    private static func isReadClass(_ raw: UInt16, orAny: Bool) -> Bool {
        raw & 0x7fff == 1 || orAny && raw & 0x7fff == 255
    }
}

extension MDNSMessage.Content {
    /// Reads the data of a record; nil for a record that has no meaning here.
    fileprivate init?(
        _ owner: MDNSName, type: UInt16, data: Range<Int>, of packet: Span<UInt8>, for service: ServiceType
    ) throws(MDNSMessageError) {
        var reader = ByteReader(at: data.lowerBound)
        switch (owner, type) {
        case (.serviceType, MDNSMessage.RecordType.pointer):
            let target = try MDNSName(&reader, of: packet, for: service)
            guard reader.offset == data.upperBound else { throw .badData }
            guard case .instance(let name) = target else { return nil }
            self = .pointer(name)
        case (.instance(let name), MDNSMessage.RecordType.service):
            guard data.count >= 7, reader.skip(4, of: packet) != nil, let port = reader.u16(of: packet) else {
                throw .badData
            }
            let target = try MDNSName(&reader, of: packet, for: service)
            guard reader.offset == data.upperBound else { throw .badData }
            if case .host(let host) = target {
                self = .service(name, host: host, port: port)
            } else {
                self = .service(name, host: nil, port: port)
            }
        case (.instance(let name), MDNSMessage.RecordType.text):
            self = .text(name, isVersion1: packet.extracting(data).isVersion1)
        case (.host(let host), MDNSMessage.RecordType.a):
            guard data.count == 4, let address = reader.u32(of: packet) else { throw .badData }
            self = .address(host, .v4(address))
        case (.host(let host), MDNSMessage.RecordType.aaaa):
            guard data.count == 16, let address = reader.octets16(of: packet) else { throw .badData }
            self = .address(host, .v6(address, scope: 0))
        default:
            return nil
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes are the one string `v=1` of TXT.
    fileprivate var isVersion1: Bool {
        count == 4 && self[0] == 3 && self[1] == UInt8(ascii: "v") && self[2] == UInt8(ascii: "=")
            && self[3] == UInt8(ascii: "1")
    }
}
