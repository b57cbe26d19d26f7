internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// An operation of the shim: its name, its arguments in order, and its implementation (`Specs/conformance.md`).
struct ShimOperation: Sendable {
    let name: String
    let parameters: [ShimParameter]
    /// The events of the scenario; `nil` for an operation without steps.
    let steps: ScenarioSteps?
    let run: @Sendable (ShimArguments) throws(ShimRefusal) -> JSONObject

    init(
        _ name: String, _ parameters: [ShimParameter], steps: ScenarioSteps? = nil,
        run: @escaping @Sendable (ShimArguments) throws(ShimRefusal) -> JSONObject
    ) {
        self.name = name
        self.parameters = parameters
        self.steps = steps
        self.run = run
    }
}

/// An argument of an operation and its allowed values.
struct ShimParameter: Sendable {
    enum Kind: Sendable {
        /// Hexadecimal bytes of an allowed length.
        case bytes(ClosedRange<Int>)
        /// Hexadecimal bytes of one of several lengths.
        case bytesOf([Int])
        /// An integer in a range.
        case integer(ClosedRange<Int128>)
        /// One of several integers.
        case integerOf([Int128])
        /// A text of an allowed length in bytes of UTF-8.
        case text(ClosedRange<Int>, Texts)
        case flag
        /// A list of elements of one kind, with an allowed number of elements.
        indirect case list(Kind, count: ClosedRange<Int>)
        /// An object with these members.
        indirect case object([ShimParameter])
    }

    /// The allowed texts of an argument.
    enum Texts: Sendable {
        case any
        /// Only bytes from 0x21 to 0x7e.
        case visibleASCII
        case oneOf([String])

        func contains(_ text: String) -> Bool {
            switch self {
            case .any: true
            case .visibleASCII: text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            case .oneOf(let texts): texts.contains(text)
            }
        }
    }

    let name: String
    let kind: Kind
    var isOptional = false

    static func bytes(_ name: String, _ count: Int) -> Self { Self(name: name, kind: .bytes(count...count)) }
    static func bytes(_ name: String, in range: ClosedRange<Int> = 0...ShimLimit.line) -> Self {
        Self(name: name, kind: .bytes(range))
    }
    static func integer(_ name: String, in range: ClosedRange<Int128>) -> Self {
        Self(name: name, kind: .integer(range))
    }
    static func integer(_ name: String, oneOf values: [Int128]) -> Self {
        Self(name: name, kind: .integerOf(values))
    }
    static func text(_ name: String, in range: ClosedRange<Int> = 0...ShimLimit.line, _ texts: Texts = .any) -> Self {
        Self(name: name, kind: .text(range, texts))
    }
    static func flag(_ name: String) -> Self { Self(name: name, kind: .flag) }
    static func list(_ name: String, of kind: Kind, from least: Int = 0, limit: Int = ShimLimit.line) -> Self {
        Self(name: name, kind: .list(kind, count: least...limit))
    }
    static func bytesList(_ name: String, in range: ClosedRange<Int> = 0...ShimLimit.line) -> Self {
        .list(name, of: .bytes(range))
    }

    /// Returns a code parameter: the raw value of one of a type's cases.
    static func code<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _: Value.Type) -> Self {
        .text(name, .oneOf(Value.allCases.map(\.rawValue)))
    }
    /// Returns a parameter for a list of codes.
    static func codes<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Value.Type, limit: Int = 64
    ) -> Self {
        .list(name, of: code(name, type).kind, limit: limit)
    }

    /// The parameter, made optional.
    var optional: Self { Self(name: name, kind: kind, isOptional: true) }

    static func epoch(_ name: String = "epoch") -> Self { .integer(name, in: 0...Int128(Epoch.limit) - 1) }
    static func period(_ name: String = "period") -> Self { .integer(name, in: 0...Int128(Period.limit) - 1) }
    static func u8(_ name: String) -> Self { .integer(name, in: 0...0xff) }
    static func u16(_ name: String) -> Self { .integer(name, in: 0...0xffff) }
    static func u32(_ name: String, from first: Int128 = 0) -> Self { .integer(name, in: first...0xffff_ffff) }
    static func u64(_ name: String) -> Self { .integer(name, in: 0...Int128(UInt64.max)) }
    static var device: Self { .integer("device", in: 0...Int128(DeviceIndex.limit) - 1) }
    /// The parameter for a derivation label: visible ASCII.
    static var label: Self { .text("label", in: 1...64, .visibleASCII) }
    static var transport: Self { .integer("transport", oneOf: Transport.allCases.map { Int128($0.rawValue) }) }
}

/// The bounds of the shim's input.
enum ShimLimit {
    /// The maximum length of a line in bytes, without its line feed.
    static let line = 1_048_576
}

/// A refusal by the shim, as it appears in the reply.
package struct ShimRefusal: Refusal, Hashable {
    package let stage: String
    package let reason: String

    init(_ stage: String, _ reason: String) {
        self.stage = stage
        self.reason = reason
    }

    init(_ refusal: some Refusal) { self.init(refusal.stage, refusal.reason) }

    static func arguments(_ reason: String) -> Self { Self("arguments", reason) }
}

/// Runs `body` and converts a refusal of the library into one of the shim.
func refusing<Result: ~Copyable, Failure: Refusal>(
    _ body: () throws(Failure) -> Result
) throws(ShimRefusal) -> Result {
    do { return try body() } catch { throw ShimRefusal(error) }
}
