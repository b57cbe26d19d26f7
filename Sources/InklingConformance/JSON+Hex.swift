internal import InklingJSON
internal import InklingKeys

extension JSON {
    /// Bytes as lowercase hexadecimal digits.
    static func hex(_ bytes: Span<UInt8>) -> JSON { .text(Hex.encode(bytes)) }

    /// A secret as digits: only a shim may do this.
    static func hex(_ secret: borrowing SecretBytes) -> JSON { secret.withBytes { .hex($0) } }

    /// Sixteen bytes as digits.
    static func hex(_ octets: Octets16) -> JSON { .text(octets.description) }

    /// Thirty-two bytes as digits.
    static func hex(_ octets: Octets32) -> JSON { .text(octets.description) }
}
