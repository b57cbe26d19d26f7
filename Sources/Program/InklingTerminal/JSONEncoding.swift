package import InklingJSON

extension JSON {
    /// Creates the JSON of a value: members in the order in which it encodes them, and null for an optional without
    /// value.
    ///
    /// `InklingJSON` keeps the order, unlike Foundation's encoders.
    package init(encoding value: some Encodable) {
        let slot = Slot()
        // The containers below throw nothing, so only the value could throw; no fact of this program does.
        try? value.encode(to: SlotEncoder(slot: slot))
        self = slot.json
    }

    /// Returns a number with a fraction, in the fewest digits that reproduce it; null for infinity and NaN.
    package static func fraction(_ value: Double) -> JSON { value.isFinite ? .number("\(value)") : .null }

    /// Creates the JSON of a value without parts; nil for other values.
    fileprivate init?(simple value: Any) {
        switch value {
        case let copy as JSONCopy: self = copy.json
        case let flag as Bool: self = .flag(flag)
        case let text as String: self = .text(text)
        case let number as any BinaryInteger: self = .number("\(number)")
        case let number as Double: self = .fraction(number)
        default: return nil
        }
    }
}

/// A part of a JSON document that is written as it was read, with the digits of its numbers.
package struct JSONCopy: Encodable, Hashable {
    package let json: JSON

    package init(json: JSON) { self.json = json }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
    }
}

/// The place to which an encoder writes its value.
private final class Slot {
    private enum Content {
        case value(JSON)
        case members([(name: String, slot: Slot)])
        case elements([Slot])
    }

    private var content = Content.value(.null)

    var json: JSON {
        switch content {
        case .value(let value): return value
        case .elements(let slots): return .list(slots.map(\.json))
        case .members(let members):
            var object = JSONObject()
            for (name, slot) in members { object[name] = slot.json }
            return .object(object)
        }
    }

    var count: Int {
        if case .elements(let slots) = content { slots.count } else { 0 }
    }

    func set(_ value: JSON) { content = .value(value) }

    func encode(_ value: some Encodable) throws {
        if let simple = JSON(simple: value) { set(simple) } else { try value.encode(to: SlotEncoder(slot: self)) }
    }

    func becomeObject() {
        if case .members = content { return }
        content = .members([])
    }

    func becomeList() { content = .elements([]) }

    func member(_ name: String) -> Slot {
        let slot = Slot()
        guard case .members(let members) = content else { return slot }
        content = .members(members + [(name, slot)])
        return slot
    }

    func element() -> Slot {
        let slot = Slot()
        guard case .elements(let slots) = content else { return slot }
        content = .elements(slots + [slot])
        return slot
    }
}

private struct SlotEncoder: Encoder {
    let slot: Slot
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.becomeObject()
        return KeyedEncodingContainer(Members(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.becomeList()
        return Elements(slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Value(slot: slot) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let slot: Slot
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { slot.member(key.stringValue).set(.null) }

        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            try slot.member(key.stringValue).encode(value)
        }

        // The standard library would omit a nil. Here it is written as null, so that every member is always present.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, forKey: key) }
        func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
            try encodeOptional(value, forKey: key)
        }

        private func encodeOptional<T: Encodable>(_ value: T?, forKey key: Key) throws {
            if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            SlotEncoder(slot: slot.member(key.stringValue)).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            SlotEncoder(slot: slot.member(key.stringValue)).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { SlotEncoder(slot: slot.member("super")) }

        func superEncoder(forKey key: Key) -> any Encoder { SlotEncoder(slot: slot.member(key.stringValue)) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let slot: Slot
        var codingPath: [any CodingKey] { [] }
        var count: Int { slot.count }

        func encodeNil() { slot.element().set(.null) }

        func encode<T: Encodable>(_ value: T) throws { try slot.element().encode(value) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            SlotEncoder(slot: slot.element()).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            SlotEncoder(slot: slot.element()).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { SlotEncoder(slot: slot.element()) }
    }

    private struct Value: SingleValueEncodingContainer {
        let slot: Slot
        var codingPath: [any CodingKey] { [] }

        func encodeNil() { slot.set(.null) }

        func encode<T: Encodable>(_ value: T) throws { try slot.encode(value) }
    }
}
