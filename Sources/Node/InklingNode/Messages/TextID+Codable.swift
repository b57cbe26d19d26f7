internal import InklingKeys
public import InklingWire

extension TextID: Codable, LosslessStringConvertible {
    /// Creates an identifier from exactly 32 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let octets = Octets16(text) else { return nil }
        self.init(rawValue: octets)
    }

    /// The 32 hexadecimal digits.
    public var description: String { rawValue.description }

    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in TextID(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}
