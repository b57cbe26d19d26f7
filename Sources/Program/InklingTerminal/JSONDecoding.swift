package import InklingJSON

/// The reason why a JSON value cannot be decoded.
package struct JSONShapeError: Error, Hashable, CustomStringConvertible {
    /// The names from the outermost object to the member.
    package let path: [String]
    /// The fault, as the rest of a sentence: `is missing`, `must be a number`.
    package let what: String

    package init(path: [String], what: String) {
        self.path = path
        self.what = what
    }

    package var description: String { "\(path.isEmpty ? "the object" : "'\(path.joined(separator: "."))'") \(what)" }
}

extension JSON {
    /// Returns the value that this JSON encodes.
    ///
    /// - Throws: `JSONShapeError` when a member is missing or of another type; members of other names are ignored.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(JSONShapeError) -> Value {
        do { return try JSONValueDecoder(json: self, path: []).value(type) } catch {
            throw error as? JSONShapeError ?? JSONShapeError(path: [], what: "is invalid")
        }
    }

    /// The number as a double, if it is one.
    fileprivate var double: Double? {
        guard case .number(let digits) = self else { return nil }
        return Double(digits)
    }
}

private struct JSONValueDecoder: Decoder {
    let json: JSON
    let path: [String]
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func value<T: Decodable>(_ type: T.Type) throws -> T {
        let simple: (value: Any?, name: String)? =
            switch type {
            case is Bool.Type: (json.flag, "true or false")
            case is String.Type: (json.text, "a string")
            case is Double.Type: (json.double, "a number")
            case let integer as any FixedWidthInteger.Type:
                (json.integer.flatMap { exactly($0, integer) }, "an integer in range")
            default: nil
            }
        guard let simple else { return try T(from: self) }
        guard let value = simple.value as? T else { throw JSONShapeError(path: path, what: "must be \(simple.name)") }
        return value
    }

    private func exactly<I: FixedWidthInteger>(_ value: Int64, _ type: I.Type) -> Any? { I(exactly: value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = json.object else { throw JSONShapeError(path: path, what: "must be an object") }
        return KeyedDecodingContainer(Members(object: object, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let list = json.list else { throw JSONShapeError(path: path, what: "must be an array") }
        return Elements(list: list, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Value(decoder: self) }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let object: JSONObject
        let path: [String]
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).json == .null }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).value(type) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { JSONValueDecoder(json: .object(object), path: path) }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

        private func decoder(_ key: Key) throws -> JSONValueDecoder {
            let place = path + [key.stringValue]
            guard let json = object[key.stringValue] else { throw JSONShapeError(path: place, what: "is missing") }
            return JSONValueDecoder(json: json, path: place)
        }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let list: [JSON]
        let path: [String]
        var codingPath: [any CodingKey] { [] }
        var count: Int? { list.count }
        var isAtEnd: Bool { currentIndex >= list.count }
        private(set) var currentIndex = 0

        init(list: [JSON], path: [String]) {
            self.list = list
            self.path = path
        }

        private mutating func next() throws -> JSONValueDecoder {
            let place = path + ["\(currentIndex)"]
            guard !isAtEnd else { throw JSONShapeError(path: place, what: "is missing") }
            defer { currentIndex += 1 }
            return JSONValueDecoder(json: list[currentIndex], path: place)
        }

        mutating func decodeNil() -> Bool {
            guard !isAtEnd, list[currentIndex] == .null else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

        mutating func superDecoder() throws -> any Decoder { try next() }
    }

    private struct Value: SingleValueDecodingContainer {
        let decoder: JSONValueDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { decoder.json == .null }

        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
    }
}
