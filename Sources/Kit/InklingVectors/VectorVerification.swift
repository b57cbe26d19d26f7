package import InklingJSON

/// The result of running a vector file against this implementation.
public struct VectorVerification: Sendable {
    /// A case whose result differs from the file.
    public struct Difference: Sendable {
        /// The id of the case.
        public let id: String
        /// The description of the case.
        public let comment: String
        /// The result or refusal in the file, as one line of JSON.
        public let expected: String
        /// The result or refusal of this implementation, as one line of JSON.
        public let got: String
    }

    /// The number of cases that agree.
    public let agreed: Int
    /// The cases that differ.
    public let differences: [Difference]
    /// The number of digests skipped because they have more outputs than the limit.
    public let omitted: Int

    /// Runs every case of a file with `shim`, except digests of more than `outputLimit` outputs.
    public init(of document: VectorDocument, by shim: Shim = Shim(), outputLimit: Int = .max) {
        switch document {
        case .cases(let file): self.init(of: file, by: shim)
        case .digests(let file): self.init(of: file, outputLimit: outputLimit)
        }
    }

    private init(of file: AccumulatedFile, outputLimit: Int) {
        let cases = file.cases.filter { $0.count <= outputLimit }
        omitted = file.cases.count - cases.count
        differences = cases.compactMap { one in
            let got = one.computedDigest().map { JSON.text($0) } ?? .object(["unsupported": .flag(true)])
            let expected = JSON.text(one.digest)
            return got == expected
                ? nil
                : Difference(id: one.id, comment: one.comment, expected: expected.compact, got: got.compact)
        }
        agreed = cases.count - differences.count
    }

    /// Runs every case of `file` with `shim`.
    public init(of file: VectorFile, by shim: Shim = Shim()) {
        omitted = 0
        differences = file.cases.compactMap { one in
            let got = Self.reply(to: file.operation, one.arguments, by: shim)
            let expected = Self.reply(one.expectation)
            return got == expected
                ? nil
                : Difference(
                    id: one.id, comment: one.comment, expected: JSON.object(expected).compact,
                    got: JSON.object(got).compact)
        }
        agreed = file.cases.count - differences.count
    }

    private static func reply(to operation: String, _ arguments: JSONObject, by shim: Shim) -> JSONObject {
        do throws(ShimRefusal) {
            guard let result = try shim.result(of: operation, arguments) else { return ["unsupported": .flag(true)] }
            return reply(.result(result))
        } catch {
            return reply(.refusal(stage: error.stage, reason: error.reason))
        }
    }

    package static func reply(_ expectation: VectorFile.Case.Expectation) -> JSONObject {
        switch expectation {
        case .result(let result): ["result": .object(result)]
        case .refusal(let stage, let reason):
            ["error": .object(["stage": .text(stage), "reason": .text(reason)])]
        }
    }
}
