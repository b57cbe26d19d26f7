import InklingJSON
import InklingTesting
import Testing

@testable import InklingVectors

/// The allowed values of a member, in a form common to the list and to the shim.
private indirect enum Shape: Hashable {
    case bytes(Bounds)
    case bytesOf(Set<Int128>)
    case integer(low: Int128, high: Int128)
    case integerOf(Set<Int128>)
    case text(Bounds)
    case visibleText(Bounds)
    case textOf(Set<String>)
    case flag
    case list(Bounds, of: Shape)
    case object([Member])
}

/// The allowed number of bytes or elements; when `high` is nil, only the length of the line limits it.
private struct Bounds: Hashable {
    var low: Int128 = 0
    var high: Int128?
}

private struct Member: Hashable {
    let name: String
    let shape: Shape
    let isOptional: Bool
}

/// The members that the step of an event requires and allows.
private struct Step: Hashable {
    let needs: Set<String>
    let may: Set<String>
}

// MARK: The list

extension Bounds {
    init(described: JSONObject) {
        low = described["low"]?.number ?? 0
        high = described["high"]?.number
    }

    init(_ range: ClosedRange<Int>) {
        low = Int128(range.lowerBound)
        high = range.upperBound == ShimLimit.line ? nil : Int128(range.upperBound)
    }
}

extension JSON {
    // An unsigned integer of 64 bits does not fit into `Int64`.
    fileprivate var number: Int128? {
        guard case .number(let digits) = self else { return nil }
        return Int128(digits)
    }
}

extension Shape {
    init(described: JSONObject) throws {
        let values = described["values"]?.list
        switch try #require(described["kind"]?.text) {
        case "bytes":
            if let lengths = described["lengths"]?.list {
                self = .bytesOf(Set(lengths.compactMap(\.number)))
            } else {
                self = .bytes(Bounds(described: described))
            }
        case "integer":
            if let values {
                self = .integerOf(Set(values.compactMap(\.number)))
            } else {
                self = .integer(
                    low: try #require(described["low"]?.number), high: try #require(described["high"]?.number))
            }
        case "text":
            if let values {
                self = .textOf(Set(values.compactMap(\.text)))
            } else if let pattern = described["pattern"]?.text {
                try #require(pattern == "[!-~]+", "a pattern that no argument of the shim has")
                self = .visibleText(Bounds(described: described))
            } else {
                self = .text(Bounds(described: described))
            }
        case "flag": self = .flag
        case "list":
            let element = try #require(described["of"]?.object)
            self = .list(Bounds(described: described), of: try Shape(described: element))
        case let kind:
            try #require(kind == "object")
            self = .object(try members(described: described["members"]))
        }
    }

    init(_ kind: ShimParameter.Kind) {
        switch kind {
        case .bytes(let range): self = .bytes(Bounds(range))
        case .bytesOf(let lengths): self = .bytesOf(Set(lengths.map { Int128($0) }))
        case .integer(let range): self = .integer(low: range.lowerBound, high: range.upperBound)
        case .integerOf(let values): self = .integerOf(Set(values))
        case .text(_, .oneOf(let texts)): self = .textOf(Set(texts))
        case .text(let range, .visibleASCII): self = .visibleText(Bounds(range))
        case .text(let range, .any): self = .text(Bounds(range))
        case .flag: self = .flag
        case .list(let element, let count): self = .list(Bounds(count), of: Shape(element))
        case .object(let parameters): self = .object(members(parameters))
        }
    }
}

private func members(described: JSON?) throws -> [Member] {
    try #require(described?.list).map { member in
        let member = try #require(member.object)
        return Member(
            name: try #require(member["name"]?.text), shape: try Shape(described: member),
            isOptional: member["optional"]?.flag ?? false)
    }
}

private func members(_ parameters: [ShimParameter]) -> [Member] {
    parameters.map { Member(name: $0.name, shape: Shape($0.kind), isOptional: $0.isOptional) }
}

@Suite struct `The list of operations` {
    private let operations: [JSONObject]

    init() throws {
        let list = try JSON(parsing: VectorFolder.bytes("schema/operations.json"))
        operations = try #require(list.object?["operations"]?.list).compactMap(\.object)
    }

    @Test func `names the operations of the shim`() {
        #expect(operations.compactMap { $0["operation"]?.text } == Shim().operationNames.sorted())
    }

    @Test func `has the names, types, ranges and presence of the arguments that the shim accepts`() throws {
        let shim = Shim()
        for operation in operations {
            let name = try #require(operation["operation"]?.text)
            let accepted = shim.operations[name]?.parameters ?? []
            let listed = try members(described: operation["arguments"])
            #expect(listed.map(\.name) == accepted.map(\.name), "\(name)")
            for (listed, accepted) in zip(listed, members(accepted)) {
                #expect(listed == accepted, "\(name): \(listed.name)")
            }
        }
    }

    @Test func `has the members of every step that a scenario accepts`() throws {
        let shim = Shim()
        for operation in operations {
            let name = try #require(operation["operation"]?.text)
            var listed: [String: Step] = [:]
            for event in operation["events"]?.list ?? [] {
                let event = try #require(event.object)
                listed[try #require(event["event"]?.text)] = Step(
                    needs: Set(try #require(event["needs"]?.list).compactMap(\.text)),
                    may: Set(try #require(event["may"]?.list).compactMap(\.text)))
            }
            let accepted = (shim.operations[name]?.steps?.events ?? [:]).mapValues { needed, optional in
                Step(needs: Set(needed), may: Set(optional))
            }
            for event in Set(listed.keys).union(accepted.keys) {
                #expect(listed[event] == accepted[event], "\(name): \(event)")
            }
        }
    }
}
