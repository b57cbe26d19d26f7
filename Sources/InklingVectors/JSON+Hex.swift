package import InklingJSON
package import InklingKeys

extension JSON {
    /// Bytes as lowercase hexadecimal digits.
    package static func hex(_ bytes: Span<UInt8>) -> JSON { .text(Hex.encode(bytes)) }

    /// A secret as digits. Only a shim may print secrets.
    package static func hex(_ secret: borrowing SecretBytes) -> JSON { secret.withBytes { .hex($0) } }

    /// Sixteen bytes as digits.
    package static func hex(_ octets: Octets16) -> JSON { .text(octets.description) }

    /// Thirty-two bytes as digits.
    package static func hex(_ octets: Octets32) -> JSON { .text(octets.description) }
}
