internal import InklingJSON

/// What came of running a vector file against this implementation.
public struct VectorVerification: Sendable {
    /// A case that was answered otherwise than the file says.
    public struct Difference: Sendable {
        /// The case.
        public let id: String
        /// What the case is about.
        public let comment: String
        /// The answer in the file, as one line of JSON.
        public let expected: String
        /// The answer given, as one line of JSON.
        public let got: String
    }

    /// How many cases were answered as the file says.
    public let agreed: Int
    /// The others.
    public let differences: [Difference]

    /// Answers every case of `file` with `shim`.
    public init(of file: VectorFile, by shim: Shim = Shim()) {
        var agreed = 0
        var differences: [Difference] = []
        for one in file.cases {
            let got = Self.answer(file.operation, one.arguments, by: shim)
            let expected = Self.reply(one.expectation)
            if got == expected {
                agreed += 1
            } else {
                differences.append(
                    Difference(
                        id: one.id, comment: one.comment, expected: JSON.object(expected).compact,
                        got: JSON.object(got).compact))
            }
        }
        self.agreed = agreed
        self.differences = differences
    }

    private static func answer(_ operation: String, _ arguments: JSONObject, by shim: Shim) -> JSONObject {
        do throws(ShimRefusal) {
            guard let result = try shim.answer(operation, arguments) else { return ["unsupported": .flag(true)] }
            return reply(.result(result))
        } catch {
            return reply(.refusal(stage: error.stage, reason: error.reason))
        }
    }

    private static func reply(_ expectation: VectorFile.Case.Expectation) -> JSONObject {
        switch expectation {
        case .result(let result): ["result": .object(result)]
        case .refusal(let stage, let reason):
            ["error": .object(["stage": .text(stage), "reason": .text(reason)])]
        }
    }
}
