internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// Arguments that were checked against an operation's parameters.
///
/// After the check the accessors cannot fail. For a name that is not a parameter they return an empty value or zero,
/// which the vectors would reveal.
struct ShimArguments: Sendable {
    let members: JSONObject

    /// Checks the arguments, in the order given in `Specs/conformance.md`.
    ///
    /// - Throws: a refusal with the stage `arguments`.
    init(checking members: JSONObject, against parameters: [ShimParameter]) throws(ShimRefusal) {
        try Self.check(members, against: parameters)
        self.members = members
    }

    private init(checked members: JSONObject) { self.members = members }

    /// Returns whether an optional argument was given.
    func has(_ name: String) -> Bool { members[name] != nil }

    func bytes(_ name: String) -> [UInt8] { members[name]?.text.flatMap(Hex.decode) ?? [] }

    func octets16(_ name: String) -> Octets16 { Octets16(bytes(name).span) ?? Octets16(high: 0, low: 0) }

    func octets32(_ name: String) -> Octets32 {
        Octets32(bytes(name).span) ?? Octets32(first: Octets16(high: 0, low: 0), second: Octets16(high: 0, low: 0))
    }

    func secret(_ name: String) -> SecretBytes { SecretBytes(copying: bytes(name).span) }

    func text(_ name: String) -> String { members[name]?.text ?? "" }

    func flag(_ name: String) -> Bool { members[name]?.flag ?? false }

    func integer(_ name: String) -> Int128 { members[name].flatMap(Self.integer) ?? 0 }

    func u64(_ name: String) -> UInt64 { UInt64(truncatingIfNeeded: integer(name)) }

    func u8(_ name: String) -> UInt8 { UInt8(truncatingIfNeeded: integer(name)) }

    func u16(_ name: String) -> UInt16 { UInt16(truncatingIfNeeded: integer(name)) }

    func u32(_ name: String) -> UInt32 { UInt32(truncatingIfNeeded: integer(name)) }

    func integers(_ name: String) -> [Int128] { (members[name]?.list ?? []).compactMap(Self.integer) }

    func bytesList(_ name: String) -> [[UInt8]] {
        (members[name]?.list ?? []).map { $0.text.flatMap(Hex.decode) ?? [] }
    }

    func texts(_ name: String) -> [String] { (members[name]?.list ?? []).compactMap(\.text) }

    func object(_ name: String) -> ShimArguments { ShimArguments(checked: members[name]?.object ?? [:]) }

    /// Returns the value of a code; `nil` if the argument is absent.
    func code<Value: RawRepresentable<String>>(_ name: String, _: Value.Type = Value.self) -> Value? {
        Value(rawValue: text(name))
    }

    /// Returns the value of a required code.
    func required<Value: RawRepresentable<String>>(_ name: String) throws(ShimRefusal) -> Value {
        guard let value: Value = code(name) else { throw .arguments("missing") }
        return value
    }

    func codes<Value: RawRepresentable<String>>(_ name: String, _: Value.Type = Value.self) -> [Value] {
        texts(name).compactMap(Value.init(rawValue:))
    }

    func objects(_ name: String) -> [ShimArguments] {
        (members[name]?.list ?? []).compactMap(\.object).map(ShimArguments.init(checked:))
    }

    func epoch(_ name: String = "epoch") throws(ShimRefusal) -> Epoch {
        guard let epoch = Epoch(u32(name)) else { throw .arguments("out-of-range") }
        return epoch
    }

    func period(_ name: String = "period") throws(ShimRefusal) -> Period {
        guard let period = Period(u32(name)) else { throw .arguments("out-of-range") }
        return period
    }

    func device(_ name: String = "device") throws(ShimRefusal) -> DeviceIndex {
        guard let device = DeviceIndex(u8(name)) else { throw .arguments("out-of-range") }
        return device
    }

    func transport() throws(ShimRefusal) -> Transport {
        guard let transport = Transport(rawValue: u8("transport")) else { throw .arguments("out-of-range") }
        return transport
    }

    /// Returns the key pair of a private key; `nil` if the argument is absent.
    func keyPair(_ name: String) -> NoiseKeyPair? { has(name) ? NoiseKeyPair(privateKey: secret(name)) : nil }

    // MARK: Checking

    private static func check(_ members: JSONObject, against parameters: [ShimParameter]) throws(ShimRefusal) {
        for name in members.names where !parameters.contains(where: { $0.name == name }) {
            throw .arguments("unknown-field")
        }
        for parameter in parameters where members[parameter.name] == nil && !parameter.isOptional {
            throw .arguments("missing")
        }
        for parameter in parameters {
            if let value = members[parameter.name] { try check(value, parameter.kind) }
        }
    }

    private static func check(_ value: JSON, _ kind: ShimParameter.Kind) throws(ShimRefusal) {
        switch kind {
        case .bytes(let range):
            guard let text = value.text else { throw .arguments("wrong-type") }
            guard let bytes = Hex.decode(text) else { throw .arguments("bad-hex") }
            guard range.contains(bytes.count) else { throw .arguments("wrong-length") }
        case .bytesOf(let lengths):
            try check(value, .bytes(0...ShimLimit.line))
            guard let digits = value.text?.utf8.count, lengths.contains(digits / 2) else {
                throw .arguments("wrong-length")
            }
        case .integer(let range):
            try checkInteger(value) { range.contains($0) }
        case .integerOf(let values):
            try checkInteger(value) { values.contains($0) }
        case .text(let range, let texts):
            guard let text = value.text else { throw .arguments("wrong-type") }
            guard range.contains(text.utf8.count) else { throw .arguments("wrong-length") }
            guard texts.contains(text) else { throw .arguments("out-of-range") }
        case .flag:
            guard value.flag != nil else { throw .arguments("wrong-type") }
        case .list(let kind, let count):
            guard let elements = value.list else { throw .arguments("wrong-type") }
            for element in elements { try check(element, kind) }
            guard count.contains(elements.count) else { throw .arguments("wrong-length") }
        case .object(let parameters):
            guard let object = value.object else { throw .arguments("wrong-type") }
            try check(object, against: parameters)
        }
    }

    private static func checkInteger(_ value: JSON, isAllowed: (Int128) -> Bool) throws(ShimRefusal) {
        guard let form = integerForm(value) else { throw .arguments("wrong-type") }
        guard let number = form, isAllowed(number) else { throw .arguments("out-of-range") }
    }

    private static func integer(_ value: JSON) -> Int128? { integerForm(value) ?? nil }

    /// Returns an integer; `nil` if the value is not written as one, and an inner `nil` if it fits no argument.
    private static func integerForm(_ value: JSON) -> Int128?? {
        let digits: String
        switch value {
        case .number(let number): digits = number
        case .text(let text):
            // A string must be decimal digits without sign or leading zero.
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text == "0" || text.first != "0"
            else { return .none }
            digits = text
        default: return .none
        }
        let magnitude = digits.first == "-" ? digits.dropFirst() : digits[...]
        guard magnitude.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .none }
        return .some(Int128(digits))
    }
}
