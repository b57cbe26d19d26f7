import InklingMatching
import InklingTesting
import Testing

@Suite struct `Hostile logs and files` {
    @Test func `rejects each hostile line of a log at its stage`() throws {
        for input in try hostileInputs("sighting-line") {
            var reader = SightingReader()
            var refusal: String?
            do throws(SightingError) { _ = try reader.read(input.bytes) } catch {
                refusal = "\(error.stage)/\(error.reason)"
            }
            #expect(refusal == input.refusal, "\(input)")
        }
    }

    @Test func `rejects each hostile file of predictions at its stage`() throws {
        for input in try hostileInputs("prediction-file") {
            #expect(refusal(ofFile: input.bytes) == input.refusal, "\(input)")
        }
    }

    @Test func `rejects each hostile file in the binary form at its stage`() throws {
        for input in try hostileInputs("binary-predictions") {
            var reader = BinaryPredictionReader()
            var refusal: String?
            do throws(PredictionFileError) {
                try reader.read(input.bytes.span)
                try reader.finish()
            } catch { refusal = "\(error.stage)/\(error.reason)" }
            #expect(refusal == input.refusal, "\(input)")
        }
    }

    /// Reads a file as `inkling-kit match` does: line by line, and then the end.
    private func refusal(ofFile bytes: [UInt8]) -> String? {
        var reader = PredictionFileReader()
        var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        do throws(PredictionFileError) {
            for line in lines { try reader.read(line) }
            try reader.finish()
        } catch { return "\(error.stage)/\(error.reason)" }
        return nil
    }
}
