package import InklingKeys

/// The id of a node or a contact at a broker: 16 hexadecimal digits (`Specs/home-assistant.md`).
///
/// It stays the same for years. It is never sent over the air, and nothing sent there is derived from it.
package struct OpaqueID: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The eight bytes, big-endian.
    package let number: UInt64

    /// Creates the id from its eight bytes.
    package init(_ number: UInt64) { self.number = number }

    /// Creates an id from exactly 16 lowercase hexadecimal digits; returns nil for any other text.
    package init?(_ text: String) {
        guard let octets = Octets16(text + "0000000000000000") else { return nil }
        number = octets.high
    }

    /// The 16 hexadecimal digits.
    package var description: String { String(Octets16(high: number, low: 0).description.prefix(16)) }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The ids of one node and its contacts, derived from a key that is used for nothing else.
package struct OpaqueIDs: Sendable {
    /// The length of the key in bytes.
    package static let keyLength = 32

    private let key: SecretBox<SecretBytes>

    /// Creates the ids derived from a key of 32 bytes.
    package init(key: consuming SecretBytes) { self.key = SecretBox(key) }

    /// The id of the node.
    package var node: OpaqueID { derived { $0.append(u8: 0) } }

    /// Returns the id of a contact.
    package func contact(_ user: UserID) -> OpaqueID {
        derived { message in
            message.append(u8: 1)
            message.append(user.octets)
        }
    }

    private func derived(_ message: (inout HashInput) -> Void) -> OpaqueID {
        let digest: SecretBytes = key.value.withBytes { hmacSHA256(key: $0, message: message) }
        return digest.withBytes { bytes in OpaqueID((0..<8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }) }
    }
}
