// Identifiers are coded as a single number or string, which decoding checks like any other input.

extension Decoder {
    /// Decodes a single raw value and converts it with `make`.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if `make` returns nil.
    package func single<Raw: Decodable, Value>(_ make: (Raw) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = make(try container.decode(Raw.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a valid \(Value.self)")
        }
        return value
    }
}

extension Encoder {
    /// Encodes a single raw value.
    package func single(_ raw: some Encodable) throws {
        var container = singleValueContainer()
        try container.encode(raw)
    }
}
