import InklingAccess
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A scan that takes the reports of a listen-only radio, and shows them.
struct ScanRun {
    let duration: ScanDuration
    let isActive: Bool
    /// Whether the judge knows contacts.
    let recognises: Bool
    let showsAddresses: Bool
    let asJSON: Bool
    let judge: BeaconJudge
    private var tally = ScanTally()

    init(
        for duration: ScanDuration, isActive: Bool, recognises: Bool, showsAddresses: Bool, asJSON: Bool,
        judge: BeaconJudge
    ) {
        self.duration = duration
        self.isActive = isActive
        self.recognises = recognises
        self.showsAddresses = showsAddresses
        self.asJSON = asJSON
        self.judge = judge
    }

    /// Takes reports until they end, shows the progress on a terminal, and writes the result.
    ///
    /// - Throws: `Failure` when the radio fails, or the node that has the predictions stops.
    mutating func take(_ reports: AsyncStream<RadioReport>) async throws(Failure) {
        let start = ContinuousClock.now
        let isShown = isTerminal(STDERR_FILENO)
        defer { if isShown { writeError("\r\u{1b}[K") } }
        // Ticks update the remaining seconds while nothing is heard.
        let inputs = TimedReports(reports, ticks: isShown)
        defer { inputs.cancel() }
        for await input in inputs.stream {
            switch input {
            case nil: break
            case .heard(let sighting):
                let new = try tally.take(sighting) { sighting throws(Failure) in try judge.judge(sighting) }
                guard let new, asJSON || showsAddresses else { break }
                if isShown { writeError("\r\u{1b}[K") }
                let fact = BeaconFact(new, withAddress: showsAddresses)
                guard writeFact(fact, asJSON: asJSON, otherwise: \.text) else { return }
            case .overflow(let address, observed: _): tally.takePhone(address)
            case .deaf, .crowded, .hearing, .gap: break
            case .failed(let error): throw Failure(error)
            }
            if isShown { show(after: ContinuousClock.now - start) }
        }
        // A scan that a person has ended is shorter than requested.
        let seconds = min(duration.seconds, UInt64((ContinuousClock.now - start).components.seconds))
        let fact = ScanFact(tally, seconds: seconds, active: isActive, recognises: recognises)
        writeFact(fact, asJSON: asJSON, otherwise: \.text)
    }

    private func show(after elapsed: Duration) {
        let left = duration.seconds - min(duration.seconds, UInt64(elapsed.components.seconds))
        let fact = ScanFact(tally, seconds: 0, active: isActive, recognises: recognises)
        writeError("\r\u{1b}[K\(left) s left   \(fact.progress)")
    }
}
