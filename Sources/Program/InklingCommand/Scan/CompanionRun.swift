import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A scan that takes the reports of a listen-only radio, and tells whether a stranger's beacon travels along.
struct CompanionRun {
    let duration: ScanDuration
    let isActive: Bool
    /// Whether the judge knows contacts.
    let recognises: Bool
    let asJSON: Bool
    let judge: BeaconJudge
    /// The wall clock, in Unix seconds.
    let now: @Sendable () -> UInt64
    private var watch: CompanionWatch

    init(
        for duration: ScanDuration, isActive: Bool, recognises: Bool, asJSON: Bool, judge: BeaconJudge,
        now: @escaping @Sendable () -> UInt64 = { SystemClock().read().unixSeconds }
    ) {
        self.duration = duration
        self.isActive = isActive
        self.recognises = recognises
        self.asJSON = asJSON
        self.judge = judge
        self.now = now
        watch = CompanionWatch(at: now())
    }

    /// Takes reports until they end or a companion is found, shows the progress on a terminal, and writes the result.
    ///
    /// - Throws: `Failure` when the radio fails, or the node that has the predictions stops; `.finding` when a beacon
    ///   travels along; `.unavailable` when that cannot be told.
    mutating func take(_ reports: AsyncStream<RadioReport>) async throws(Failure) {
        let start = ContinuousClock.now
        let isShown = isTerminal(STDERR_FILENO)
        let inputs = TimedReports(reports, ticks: true)
        defer { inputs.cancel() }
        for await input in inputs.stream {
            switch input {
            case .heard(let sighting): try take(sighting)
            case .failed(let error):
                if isShown { writeError("\r\u{1b}[K") }
                throw Failure(error)
            case nil, .overflow, .deaf, .crowded, .hearing, .gap: break
            }
            watch.advance(to: now())
            // Nothing heard later would change this verdict.
            if watch.verdict == .companion { break }
            if isShown, input == nil { show(after: ContinuousClock.now - start) }
        }
        if isShown { writeError("\r\u{1b}[K") }
        watch.advance(to: now())
        let seconds = min(duration.seconds, UInt64((ContinuousClock.now - start).components.seconds))
        let fact = CompanionFact(watch, seconds: seconds, active: isActive, recognises: recognises)
        guard writeFact(fact, asJSON: asJSON, otherwise: \.text) else { return }
        switch watch.verdict {
        case .companion: throw Failure(.finding, "a stranger's beacon travels with you")
        case .none: return
        case .unclear:
            throw Failure(
                .unavailable, "cannot tell whether a beacon travels with you: others stay here, too",
                remedy: "Scan again while you move from place to place.")
        case .tooShort:
            throw Failure(
                .unavailable,
                "cannot tell whether a beacon travels with you before three whole quarters of an hour have passed",
                remedy: "Scan for an hour: --for 1h")
        }
    }

    private mutating func take(_ sighting: BeaconSighting) throws(Failure) {
        let beacon = CompanionWatch.Beacon(minor: sighting.minor, address: sighting.address)
        try watch.heard(beacon, at: sighting.observed.unixMilliseconds / 1000) { () throws(Failure) in
            try judge.judge(sighting).kind == .stranger
        }
    }

    private func show(after elapsed: Duration) {
        let left = duration.seconds - min(duration.seconds, UInt64(elapsed.components.seconds))
        let text = CompanionFact.progress(of: watch)
        writeError("\r\u{1b}[K\(left / 60) min \(left % 60) s left   \(text)")
    }
}
