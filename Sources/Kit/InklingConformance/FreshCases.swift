internal import InklingJSON
internal import InklingVectors

extension ConformanceSuite {
    /// Adds `count` fresh cases per operation of the suite: valid cases with one argument changed. The expected result
    /// is this implementation's, so a difference only shows that two implementations disagree; the specification
    /// decides which one is wrong. `progress` is called after each operation with the number done and the total.
    public mutating func addFreshCases(seed: UInt64, count: Int, progress: (Int, Int) -> Void = { _, _ in }) {
        var order: [String] = []
        var valid: [String: [ConformanceCase]] = [:]
        for one in cases where one.expected["result"] != nil && one.arguments?.members.isEmpty == false {
            guard let operation = one.operation else { continue }
            if valid[operation] == nil { order.append(operation) }
            valid[operation, default: []].append(one)
        }
        let shim = Shim()
        for (place, operation) in order.enumerated() {
            defer { progress(place + 1, order.count) }
            var source = ChangeSource(seed: seed, name: operation)
            for number in 1...max(1, count) where count > 0 {
                guard let base = source.element(of: valid[operation] ?? []) else { continue }
                let id = "seed-\(seed)-\(operation)-\(number)"
                let arguments = source.changed(base.arguments ?? [:])
                let line = ConformanceCase.request(id: id, operation, arguments)
                // The shim of this package does not repeat the id of an overlong line.
                guard line.count <= Shim.lineLimit,
                    let expected = (try? JSON(parsing: Array(shim.reply(to: line).utf8)))?.object
                else { continue }
                cases.append(
                    ConformanceCase(
                        id: id, family: "\(operation), seed \(seed)", operation: operation,
                        profile: base.profile, specification: base.specification, comment: "\(base.id), changed",
                        requirements: base.requirements, arguments: arguments, line: line, expected: expected))
            }
        }
    }
}

/// A source of changed arguments that depends only on a seed and a name.
private struct ChangeSource {
    private var state: UInt64

    init(seed: UInt64, name: String) {
        // FNV-1a, so that a new operation does not change the cases of others.
        state = name.utf8.reduce(seed ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    // SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Returns a number from 0 to `limit` - 1; `limit` is at least 1.
    private mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    mutating func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }

    /// Returns the arguments with one of them changed.
    mutating func changed(_ object: JSONObject) -> JSONObject {
        guard let member = element(of: object.members) else { return object }
        var changed = object
        changed[member.name] = changedValue(member.value)
        return changed
    }

    private mutating func changedValue(_ value: JSON) -> JSON {
        switch value {
        case .object(let object): return .object(changed(object))
        case .flag(let flag): return .flag(!flag)
        case .null: return .null
        case .number(let digits): return Int64(digits).map { .integer(changedNumber($0)) } ?? value
        case .list(let elements): return .list(changedList(elements))
        case .text(let text):
            if text.utf8.count < 20, let number = Int64(text) { return .text(String(max(0, changedNumber(number)))) }
            if let bytes = Hex.decode(text), !bytes.isEmpty { return .hex(changedBytes(bytes).span) }
            return .text(changedText(text))
        }
    }

    private mutating func changedNumber(_ number: Int64) -> Int64 {
        switch below(6) {
        case 0: return number &+ 1
        case 1: return number &- 1
        case 2: return 0
        case 3: return number ^ (1 << Int64(below(24)))
        case 4: return number / 2
        // Below the same power of two, and so usually within the range.
        default: return Int64(truncatingIfNeeded: next() >> UInt64(max(1, max(1, number).leadingZeroBitCount)))
        }
    }

    private mutating func changedBytes(_ bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        let place = below(bytes.count)
        switch below(8) {
        case 0, 1: changed[place] ^= 1 << UInt8(below(8))
        case 2: changed[place] = 0
        case 3: changed[place] = 0xff
        case 4: changed.removeLast(1 + below(min(4, bytes.count)))
        case 5: changed += [UInt8](repeating: UInt8(below(256)), count: 1 + below(4))
        case 6: changed.swapAt(place, below(bytes.count))
        default: for index in changed.indices { changed[index] = UInt8(below(256)) }
        }
        return changed
    }

    private mutating func changedList(_ elements: [JSON]) -> [JSON] {
        guard let last = elements.last else { return elements }
        var changed = elements
        let place = below(elements.count)
        switch below(5) {
        case 0: changed.remove(at: place)
        case 1: changed.append(last)
        case 2: changed.swapAt(place, below(elements.count))
        default: changed[place] = changedValue(elements[place])
        }
        return changed
    }

    private mutating func changedText(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        guard !scalars.isEmpty else { return "A" }
        let place = below(scalars.count)
        switch below(4) {
        case 0: scalars[place] = Unicode.Scalar(UInt8(0x21 + below(0x5e)))
        case 1: scalars.remove(at: place)
        case 2: scalars.swapAt(place, below(scalars.count))
        default: scalars.append(scalars[place])
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
