// How identifiers are coded: as one number or one text, which a decoder checks like any other input.

extension Decoder {
    /// Decodes one raw value and creates the value that it stands for.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when it stands for none.
    package func single<Raw: Decodable, Value>(_ make: (Raw) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = make(try container.decode(Raw.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a valid \(Value.self)")
        }
        return value
    }
}

extension Encoder {
    /// Encodes one raw value.
    package func single(_ raw: some Encodable) throws {
        var container = singleValueContainer()
        try container.encode(raw)
    }
}
