package import InklingJSON
package import InklingKeys

extension JSON {
    /// Encodes bytes as lower-case hexadecimal digits.
    package static func hex(_ bytes: Span<UInt8>) -> JSON { .text(Hex.encode(bytes)) }

    /// Encodes a secret as digits. Only a shim may print secrets.
    package static func hex(_ secret: borrowing SecretBytes) -> JSON { secret.withBytes { .hex($0) } }

    /// Encodes 16 bytes as digits.
    package static func hex(_ octets: Octets16) -> JSON { .text(octets.description) }

    /// Encodes 32 bytes as digits.
    package static func hex(_ octets: Octets32) -> JSON { .text(octets.description) }
}
