internal import InklingJSON
internal import InklingKeys
internal import InklingVectors

/// The requests whose concatenated outputs have one digest (`Specs/conformance.md`).
struct AccumulatedRequests: Sendable {
    /// The member of an operation's result that enters the digest, its form and its length.
    private enum Output {
        /// Bytes, written as hexadecimal digits.
        case bytes(String, Int)
        /// The characters of a text.
        case characters(String, Int)
        /// A number, as two bytes.
        case number(String)
    }

    private static let outputs: [String: Output] = [
        "derive": .bytes("key", 32), "tree-node": .bytes("key", 32), "mdns-name": .characters("name", 32),
        "mdns-host": .characters("host", 32), "beacon-minor": .number("minor"), "gatt-tag": .bytes("tag", 16),
        "confirm-psk": .bytes("psk", 32),
    ]
    private static let shim = Shim()

    let id: String
    let operation: String
    let count: UInt32
    private let form: Output

    /// Creates the requests of a digest; `nil` for an operation without a schedule of inputs.
    init?(_ digest: AccumulatedFile.Case) {
        guard let form = Self.outputs[digest.operation], let count = UInt32(exactly: digest.count) else { return nil }
        id = digest.id
        operation = digest.operation
        self.count = count
        self.form = form
    }

    /// Returns the id of the request for output `index`.
    func id(_ index: UInt32) -> String { "\(id)/\(index)" }

    /// Returns the request for output `index`.
    func line(_ index: UInt32) -> [UInt8] {
        ConformanceCase.request(id: id(index), operation, AccumulatedSchedule.arguments(operation, index))
    }

    /// Returns the bytes that a result contributes to the digest; `nil` if the result has another form.
    func output(_ result: JSONObject) -> [UInt8]? {
        guard result.members.count == 1 else { return nil }
        switch form {
        case .bytes(let name, let length):
            return result[name]?.text.flatMap(Hex.decode).flatMap { $0.count == length ? $0 : nil }
        case .characters(let name, let length):
            return result[name]?.text.flatMap { $0.utf8.count == length ? Array($0.utf8) : nil }
        case .number(let name):
            return result[name]?.integer.flatMap { UInt16(exactly: $0) }.map { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        }
    }

    /// Returns the case of a single output, with the result of this implementation.
    func single(_ index: UInt32, of whole: ConformanceCase) -> ConformanceCase {
        let arguments = AccumulatedSchedule.arguments(operation, index)
        var expected: JSONObject = ["id": .text(id(index))]
        if let result = try? Self.shim.result(of: operation, arguments) { expected["result"] = .object(result) }
        return ConformanceCase(
            id: whole.id, family: whole.family, operation: operation, profile: whole.profile,
            specification: whole.specification,
            comment: "output \(index) of \(count)", requirements: whole.requirements, arguments: arguments,
            line: line(index), expected: expected)
    }

    /// Returns the first output that differs from this implementation's, with its reply; `nil` if none does.
    func firstOther(in outputs: [UInt8]) -> (index: UInt32, reply: JSONObject)? {
        let length: Int
        switch form {
        case .bytes(_, let count), .characters(_, let count): length = count
        case .number: length = 2
        }
        for index in 0..<count {
            let start = Int(index) * length
            guard start + length <= outputs.count else { return nil }
            let output = Array(outputs[start..<start + length])
            let own = try? Self.shim.result(of: operation, AccumulatedSchedule.arguments(operation, index))
            if own.flatMap(self.output) != output {
                return (index, ["id": .text(id(index)), "result": .object(result(output))])
            }
        }
        return nil
    }

    private func result(_ output: [UInt8]) -> JSONObject {
        switch form {
        case .bytes(let name, _): [name: .text(Hex.encode(output.span))]
        case .characters(let name, _): [name: .text(String(decoding: output, as: UTF8.self))]
        case .number(let name): [name: .integer(output.reduce(0) { $0 << 8 | Int($1) })]
        }
    }

    /// Returns the SHA-256 of the outputs as hexadecimal digits.
    static func digest(of outputs: [UInt8]) -> String { sha256 { $0.append(outputs.span) }.description }
}
