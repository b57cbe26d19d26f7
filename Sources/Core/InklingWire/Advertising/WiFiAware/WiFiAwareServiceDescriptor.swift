internal import InklingKeys

/// The attribute with which a Wi-Fi Aware device publishes a service or subscribes to one (`Specs/wifi-aware.md`).
public struct WiFiAwareServiceDescriptor: Hashable, Sendable {
    /// The purpose of a descriptor.
    public enum Role: UInt8, Sendable, CaseIterable {
        /// The sender offers the service.
        case publish = 0
        /// The sender looks for devices that offer the service.
        case subscribe = 1
        /// The sender addresses an instance that it found before.
        case followUp = 2
    }

    /// The maximum length in bytes of each of the three variable fields.
    public static let fieldLimit = 255

    /// The purpose of the descriptor.
    public let role: Role
    /// The service.
    public let service: WiFiAwareServiceID
    /// The sender's instance number for this publication or subscription, 1…255.
    public let instance: UInt8
    /// The receiver's instance number of the subscription to which this responds; 0 if it is unsolicited.
    public let requestor: UInt8
    /// Whether only devices at close range should respond.
    public let isRangeLimited: Bool
    /// The attributes that belong to this descriptor, if it has this field.
    public let bindingBitmap: UInt16?
    /// The values that both sides compare, if it has this field.
    public let matchingFilter: [[UInt8]]?
    /// The devices that should respond, if it has this field: a byte of flags, then addresses or a Bloom filter.
    public let responseFilter: [UInt8]?
    /// The bytes that the service defines, if it has this field.
    public let serviceInfo: [UInt8]?

    /// Creates a descriptor. With the default arguments, it has none of the optional fields.
    public init(
        role: Role, service: WiFiAwareServiceID, instance: UInt8, requestor: UInt8 = 0, isRangeLimited: Bool = false,
        bindingBitmap: UInt16? = nil, matchingFilter: [[UInt8]]? = nil, responseFilter: [UInt8]? = nil,
        serviceInfo: [UInt8]? = nil
    ) {
        self.role = role
        self.service = service
        self.instance = instance
        self.requestor = requestor
        self.isRangeLimited = isRangeLimited
        self.bindingBitmap = bindingBitmap
        self.matchingFilter = matchingFilter
        self.responseFilter = responseFilter
        self.serviceInfo = serviceInfo
    }

    // The bits of the service control byte; the two lowest are the role.
    private enum Control {
        static let role: UInt8 = 0x03
        static let matchingFilter: UInt8 = 0x04
        static let responseFilter: UInt8 = 0x08
        static let serviceInfo: UInt8 = 0x10
        static let rangeLimited: UInt8 = 0x20
        static let bindingBitmap: UInt8 = 0x40
        static let randomizedService: UInt8 = 0x80
    }

    /// The length in bytes of the content before the optional fields.
    private static let fixedByteCount = 9

    // The bits of the first byte of a response filter, and the length of each address after it.
    private enum ResponseFilter {
        static let isBloomFilter: UInt8 = 0x01
        static let addressCount = 6
    }
}

// MARK: Parsing

extension WiFiAwareServiceDescriptor {
    /// Parses an attribute, from its type to its end.
    ///
    /// - Throws: `WiFiAwareError` with the stage of the field that is wrong.
    public init(parsing attribute: Span<UInt8>) throws(WiFiAwareError) {
        let header = WiFiAwareAttribute.headerCount
        guard attribute.count >= header + Self.fixedByteCount else {
            throw .truncatedDescriptor(count: attribute.count)
        }
        var fields = ByteReader()
        guard let type = fields.u8(of: attribute), let count = fields.littleEndian16(of: attribute) else {
            throw .truncatedDescriptor(count: attribute.count)
        }
        guard type == WiFiAwareAttribute.serviceDescriptor else { throw .notDescriptor(type: type) }
        guard Int(count) == fields.remaining(of: attribute) else {
            throw .descriptorLength(count: attribute.count, got: Int(count))
        }
        try self.init(content: attribute.extracting(fields.offset...))
    }

    /// Parses the content of a Service Descriptor attribute.
    ///
    /// - Throws: `WiFiAwareError` with the stage of the field that is wrong.
    init(content: Span<UInt8>) throws(WiFiAwareError) {
        var fields = ByteReader()
        guard let service = Self.service(of: content, &fields), let instance = fields.u8(of: content),
            let requestor = fields.u8(of: content), let control = fields.u8(of: content)
        else { throw .truncatedDescriptor(count: content.count) }
        guard control & Control.randomizedService == 0 else { throw .randomizedService }
        guard let role = Role(rawValue: control & Control.role) else { throw .unknownRole }
        var bitmap: UInt16?
        var matching: [[UInt8]]?
        var response: [UInt8]?
        var info: [UInt8]?
        if control & Control.bindingBitmap != 0 { bitmap = try Self.bindingBitmap(of: content, &fields) }
        if control & Control.matchingFilter != 0 {
            let filter = try Self.field(.matchingFilter, of: content, &fields)
            matching = try Self.values(of: filter)
        }
        if control & Control.responseFilter != 0 {
            let filter = try Self.field(.responseFilter, of: content, &fields)
            try Self.checkResponseFilter(filter)
            response = filter
        }
        if control & Control.serviceInfo != 0 { info = try Self.field(.serviceInfo, of: content, &fields) }
        guard fields.remaining(of: content) == 0 else { throw .trailingBytes(offset: fields.offset) }
        self.init(
            role: role, service: service, instance: instance, requestor: requestor,
            isRangeLimited: control & Control.rangeLimited != 0, bindingBitmap: bitmap, matchingFilter: matching,
            responseFilter: response, serviceInfo: info)
    }

    /// Returns whether the content of a descriptor begins with the service identifier of Inkling; ignores the rest.
    static func isOfInkling(_ content: Span<UInt8>) -> Bool {
        var fields = ByteReader()
        return service(of: content, &fields) == .inkling
    }

    private static func service(of content: Span<UInt8>, _ fields: inout ByteReader) -> WiFiAwareServiceID? {
        guard let high = fields.u16(of: content), let low = fields.u32(of: content) else { return nil }
        return WiFiAwareServiceID(UInt64(high) << 32 | UInt64(low))
    }

    /// Parses the values of a matching filter, each of which follows its length byte.
    private static func values(of filter: [UInt8]) throws(WiFiAwareError) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var fields = ByteReader()
        var offset = fields.offset
        while let count = fields.u8(of: filter.span) {
            guard let value = fields.skip(Int(count), of: filter.span) else { throw .badFilterValue(offset: offset) }
            values.append([UInt8](filter[value]))
            offset = fields.offset
        }
        return values
    }

    private static func checkResponseFilter(_ filter: [UInt8]) throws(WiFiAwareError) {
        guard let flags = filter.first else { throw .emptyResponseFilter }
        if flags & ResponseFilter.isBloomFilter != 0 {
            guard filter.count > 1 else { throw .emptyResponseFilter }
        } else {
            guard (filter.count - 1) % ResponseFilter.addressCount == 0 else {
                throw .responseFilterLength(count: filter.count)
            }
        }
    }

    private static func bindingBitmap(
        of content: Span<UInt8>, _ fields: inout ByteReader
    ) throws(WiFiAwareError) -> UInt16 {
        guard let bitmap = fields.littleEndian16(of: content) else { throw .truncatedField(.bindingBitmap) }
        return bitmap
    }

    /// Reads a length byte and the field after it.
    private static func field(
        _ field: WiFiAwareError.Field, of content: Span<UInt8>, _ fields: inout ByteReader
    ) throws(WiFiAwareError) -> [UInt8] {
        guard let count = fields.u8(of: content), let place = fields.skip(Int(count), of: content) else {
            throw .truncatedField(field)
        }
        var bytes: [UInt8] = []
        bytes.append(content.extracting(place))
        return bytes
    }
}

// MARK: Encoding

extension WiFiAwareServiceDescriptor {
    /// Returns the encoded attribute, from its type to its end.
    ///
    /// - Throws: `WiFiAwareError` if a field is longer than its length byte can express, if the instance is 0, or if a
    ///   receiver would refuse the response filter.
    public func encoded() throws(WiFiAwareError) -> [UInt8] {
        guard instance != 0 else { throw .zeroInstance }
        for (field, bytes) in variableFields {
            guard let bytes, bytes.count > Self.fieldLimit else { continue }
            throw .fieldTooLong(field, count: bytes.count)
        }
        if let responseFilter { try Self.checkResponseFilter(responseFilter) }
        return assembled()
    }

    /// Returns the encoded attribute of a descriptor whose fields are known to be within their limits.
    func assembled() -> [UInt8] {
        var control = role.rawValue
        var content: [UInt8] = []
        if let bindingBitmap {
            control |= Control.bindingBitmap
            content.append(littleEndian: bindingBitmap)
        }
        for (field, bytes) in variableFields {
            guard let bytes else { continue }
            switch field {
            case .matchingFilter: control |= Control.matchingFilter
            case .responseFilter: control |= Control.responseFilter
            case .serviceInfo: control |= Control.serviceInfo
            case .bindingBitmap: continue
            }
            content.append(u8: UInt8(truncatingIfNeeded: bytes.count))
            content += bytes
        }
        if isRangeLimited { control |= Control.rangeLimited }
        var attribute = [WiFiAwareAttribute.serviceDescriptor]
        attribute.append(littleEndian: UInt16(truncatingIfNeeded: Self.fixedByteCount + content.count))
        service.append(to: &attribute)
        attribute += [instance, requestor, control]
        return attribute + content
    }

    /// The fields that follow a length byte, in their order.
    private var variableFields: [(WiFiAwareError.Field, [UInt8]?)] {
        // A value of more than 255 bytes makes the whole filter too long, so no filter with a wrong length byte is
        // encoded.
        let filter = matchingFilter.map { values in
            values.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 }
        }
        return [(.matchingFilter, filter), (.responseFilter, responseFilter), (.serviceInfo, serviceInfo)]
    }
}

extension [UInt8] {
    /// Appends a number in the byte order of Wi-Fi Aware.
    fileprivate mutating func append(littleEndian value: UInt16) {
        append(contentsOf: [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)])
    }
}
