import InklingJSON
import InklingTesting
import Testing

@testable import InklingVectors

/// The maximum number of bytes of an argument that are flipped; of a longer one, its ends and places between them.
private let sampleLimit = 12

@Suite struct `Flipping one byte of any argument` {
    @Test func `changes the result of every valid vector`() throws {
        let shim = Shim()
        var flips = 0
        for entry in try VectorFolder().entries where !entry.isExternal {
            guard case .cases(let file) = try VectorDocument(parsing: entry.bytes) else { continue }
            let parameters = try #require(shim.operations[file.operation]?.parameters, "\(file.operation)")
            for one in file.cases {
                guard case .result(let expected) = one.expectation else { continue }
                for parameter in parameters where !file.insensitive.contains(parameter.name) {
                    guard let value = one.arguments[parameter.name] else { continue }
                    for (place, changed) in flipped(value, parameter.kind) {
                        var arguments = one.arguments
                        arguments[parameter.name] = changed
                        flips += 1
                        let got = try? shim.result(of: file.operation, arguments)
                        #expect(got != expected, "\(one.id): \(parameter.name)\(place)")
                    }
                }
            }
        }
        print("\(flips) flipped bytes noticed")
        #expect(flips > 15_000)
    }
}

/// Returns the value with one byte inverted, or one character or flag changed, in some of the places where that is
/// possible, each with its place (`Specs/conformance.md`, the flip check).
private func flipped(_ value: JSON, _ kind: ShimParameter.Kind) -> [(place: String, value: JSON)] {
    switch (kind, value) {
    case (.bytes, .text(let digits)), (.bytesOf, .text(let digits)):
        let bytes = Hex.decode(digits) ?? []
        return sampled(bytes.count).map { index in
            var changed = bytes
            changed[index] ^= 0xff
            return ("[\(index)]", .hex(changed.span))
        }
    case (.list(let kind, _), .list(let elements)):
        return sampled(elements.count).flatMap { index in
            flipped(elements[index], kind).map { place, changed in
                var list = elements
                list[index] = changed
                return ("[\(index)]\(place)", .list(list))
            }
        }
    case (.object(let parameters), .object(let members)):
        return parameters.flatMap { parameter in
            guard let member = members[parameter.name] else { return [(place: String, value: JSON)]() }
            return flipped(member, parameter.kind).map { place, changed in
                var object = members
                object[parameter.name] = changed
                return (".\(parameter.name)\(place)", .object(object))
            }
        }
    case (.text, .text(let text)):
        let characters = Array(text.utf8)
        return sampled(characters.count).compactMap { index in
            var changed = characters
            changed[index] ^= 1
            return String(validating: changed, as: UTF8.self).map { ("[\(index)]", .text($0)) }
        }
    case (.integer, _), (.integerOf, _):
        guard let number = Int128(value.text ?? value.compact) else { return [] }
        let byteCount = max(1, (128 - number.magnitude.leadingZeroBitCount + 7) / 8)
        return (0..<byteCount).map { place in
            let changed = String(number ^ 0xff << Int128(8 * place))
            return (" byte \(place)", value.text == nil ? .number(changed) : .text(changed))
        }
    case (.flag, .flag(let flag)): return [("", .flag(!flag))]
    default: return []
    }
}

private func sampled(_ count: Int) -> [Int] {
    guard count > sampleLimit else { return Array(0..<count) }
    return (0..<sampleLimit).map { $0 * (count - 1) / (sampleLimit - 1) }
}
