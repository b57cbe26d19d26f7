import InklingEngine
import InklingKeys
import InklingMatching

/// What `inkling-kit predict` computes: the values of contacts for some hours, derived and written in either form, against their
/// derivation alone.
func predictMeasures() -> [Measure] {
    let contacts = Crowd.contacts(500)
    let forecast = Forecast(of: contacts)
    guard let first = Epoch(1_984_000), let last = Epoch(1_984_011) else { fail("no such epochs") }
    let labels = contacts.indices.map { "contact \($0 + 1)" }
    let count = forecast.count(in: first...last)
    var buffer: [UInt8] = []

    func sum(_ write: (Forecast.Entry) -> Void) -> UInt64 {
        var sum: UInt64 = 0
        for (_, entries) in forecast.epochs(first...last) {
            for entry in entries {
                write(entry)
                sum &+= entry.name.octets.low &+ UInt64(entry.minor.value)
            }
        }
        return sum
    }
    /// Empties the buffer as often as a writer of a file does.
    func written(_ append: (Forecast.Entry, inout [UInt8]) -> Void) -> UInt64 {
        sum { entry in
            append(entry, &buffer)
            if buffer.count >= 1 << 16 { buffer.removeAll(keepingCapacity: true) }
        }
    }
    return [
        Measure(
            name: "predictions of three hours, written as a file", unit: "predictions", batch: count,
            contestants: [
                Contestant("derived, and written as text") {
                    buffer = Array(PredictionFile.header(epochs: first...last, contacts: labels, rows: count).utf8)
                    return written { PredictionFile.append($0, to: &$1) }
                },
                // Three times the derivation is what a file may cost.
                Contestant("derived alone", promise: 1.0 / 3) { sum { _ in } },
                Contestant("derived, and written in the binary form") {
                    buffer = BinaryPredictions.head(epochs: first...last, contacts: labels, rows: count)
                    return written { BinaryPredictions.append($0, first: first, to: &$1) }
                },
            ])
    ]
}
