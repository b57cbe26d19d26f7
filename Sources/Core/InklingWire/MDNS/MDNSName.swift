package import InklingKeys

/// The meaning of a domain name in a packet to a node.
package enum MDNSName: Hashable, Sendable {
    /// The service type below `local.`, in any case: `_inkling._tcp.local.`.
    case serviceType
    /// `<32 digits>.<service type>.local.`; the digits in lowercase.
    case instance(OpaqueServiceName)
    /// `<32 digits>.local.`; the digits in lowercase.
    case host(OpaqueHostName)
    /// Any other name.
    case other

    /// The most bytes of a name, with the lengths of its labels.
    private static let byteLimit = 255
    /// The most compression pointers of a name.
    private static let pointerLimit = 32

    /// Reads the name at the reader's position, and moves past it.
    ///
    /// A compression pointer must point to a place before the labels that lead to it, so that the walk ends; few pointers
    /// are followed, so that it ends soon.
    ///
    /// - Throws: `MDNSMessageError.truncated`, `.badLabel`, `.badPointer`, `.nameTooLong`.
    init(
        _ reader: inout ByteReader, of packet: Span<UInt8>, for service: ServiceType
    ) throws(MDNSMessageError) {
        // Only the first four labels can matter; the others are counted.
        var labels = InlineArray<4, Label>(repeating: Label(start: 0, count: 0))
        var labelCount = 0
        var length = 1
        var cursor = reader
        var start = reader.offset
        var pointerCount = 0
        while true {
            guard let count = cursor.u8(of: packet) else { throw .truncated }
            switch count {
            case 0:
                if pointerCount == 0 { reader = cursor }
                self = Self.meaning(of: labels, count: labelCount, in: packet, for: service)
                return
            case 1...63:
                guard let label = cursor.skip(Int(count), of: packet) else { throw .truncated }
                length += 1 + label.count
                guard length <= Self.byteLimit else { throw .nameTooLong }
                if labelCount < labels.count {
                    labels[labelCount] = Label(start: label.lowerBound, count: label.count)
                }
                labelCount += 1
            case 0xc0...:
                guard let low = cursor.u8(of: packet) else { throw .truncated }
                let target = Int(count & 0x3f) << 8 | Int(low)
                guard target < start, pointerCount < Self.pointerLimit else { throw .badPointer }
                if pointerCount == 0 { reader = cursor }
                pointerCount += 1
                start = target
                cursor = ByteReader(at: target)
            default: throw .badLabel
            }
        }
    }

    private struct Label {
        let start: Int
        let count: Int
    }

    private static func meaning(
        of labels: InlineArray<4, Label>, count: Int, in packet: Span<UInt8>, for service: ServiceType
    ) -> MDNSName {
        func matches(_ index: Int, _ text: StaticString) -> Bool {
            let label = labels[index]
            return packet.extracting(label.start..<label.start + label.count).isEqual(ignoringCaseOf: text)
        }
        func isService(_ index: Int) -> Bool {
            let label = labels[index]
            return packet.extracting(label.start..<label.start + label.count)
                .isEqual(ignoringCaseOf: service.label.span)
        }
        func digits(_ label: Label) -> Octets16? {
            OpaqueServiceName(parsing: packet.extracting(label.start..<label.start + label.count))?.octets
        }
        switch count {
        case 2 where matches(1, "local"):
            return digits(labels[0]).map { .host(OpaqueHostName($0)) } ?? .other
        case 3 where isService(0) && matches(1, "_tcp") && matches(2, "local"):
            return .serviceType
        case 4 where isService(1) && matches(2, "_tcp") && matches(3, "local"):
            return digits(labels[0]).map { .instance(OpaqueServiceName($0)) } ?? .other
        default:
            return .other
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes are these of lowercase ASCII, in any case.
    fileprivate func isEqual(ignoringCaseOf text: Span<UInt8>) -> Bool {
        guard count == text.count else { return false }
        for index in indices {
            let byte = self[index]
            guard text[index] == ((0x41...0x5a).contains(byte) ? byte | 0x20 : byte) else { return false }
        }
        return true
    }

    /// Whether the bytes are this lowercase ASCII text, in any case.
    fileprivate func isEqual(ignoringCaseOf text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices {
            let byte = self[index]
            let lower = (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
            guard unsafe lower == text.utf8Start[index] else { return false }
        }
        return true
    }
}
