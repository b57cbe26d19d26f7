import InklingConformance
import InklingTesting
import Testing

/// The inputs of `Tests/Rigs/hostile-inputs` for the parser of `inkling-kit conform merge`.
@Suite struct `Hostile reports` {
    @Test func `are refused with the expected reason`() throws {
        for input in try hostileInputs("report") {
            var refusal: String?
            do { _ = try ConformanceMatrix(parsing: [input.bytes]) } catch { refusal = error.description }
            #expect(refusal == input.refusal, "\(input)")
        }
    }
}
