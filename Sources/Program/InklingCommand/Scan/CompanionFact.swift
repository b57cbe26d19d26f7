import InklingEngine
import InklingKeys
import InklingTerminal

/// The result of `inkling scan --strangers`: whether a stranger's beacon travels along. It has no address and no minor.
struct CompanionFact: Encodable, Hashable {
    /// The counts of the strangers' beacons that were heard when an epoch began.
    struct EpochFact: Encodable, Hashable {
        let epoch: UInt32
        /// The start of the epoch, RFC 3339 in UTC.
        let from: String
        let strangers: Int
        /// The numbers that stayed for a third and for two thirds of the epoch, and to its end.
        let third: Int
        let twoThirds: Int
        let stayed: Int

        init(_ count: CompanionWatch.EpochCount) {
            epoch = count.epoch.number
            from = timestamp(count.epoch.start)
            strangers = count.opening
            third = count.third
            twoThirds = count.twoThirds
            stayed = count.stayed
        }
    }

    /// `companion`, `none`, `unclear` or `too-short`.
    let verdict: String
    /// The epochs on which the verdict rests, three unless it is `too-short`.
    let epochs: [EpochFact]
    /// The duration of the scan in seconds.
    let seconds: UInt64
    /// Whether the adapter sent scan requests.
    let active: Bool
    /// Whether contacts and this node itself were distinguished from strangers.
    let recognises: Bool

    init(_ watch: CompanionWatch, seconds: UInt64, active: Bool, recognises: Bool) {
        verdict = watch.verdict.rawValue
        epochs = watch.counts.map(EpochFact.init)
        self.seconds = seconds
        self.active = active
        self.recognises = recognises
    }

    /// Returns the progress in one line.
    static func progress(of watch: CompanionWatch) -> String {
        guard watch.isObservingWholeEpoch else { return "waiting for the next quarter of an hour" }
        let count = min(watch.epochCount, CompanionWatch.epochsNeeded)
        return "\(plural(watch.present, "stranger")) here since this quarter of an hour began; \(count) of "
            + "\(CompanionWatch.epochsNeeded) quarters observed"
    }

    /// The human-readable lines.
    var text: String {
        var lines = "scanned    \(seconds) s, \(active ? "actively" : "passively")\n"
        for epoch in epochs {
            lines += "\(epoch.from)  \(plural(epoch.strangers, "stranger")) at the beginning, \(epoch.third) after "
            lines += "5 minutes, \(epoch.twoThirds) after 10, \(epoch.stayed) at the end\n"
        }
        if !recognises { lines += "contacts   not told from strangers without a home\n" }
        return lines + conclusion + "\n"
    }

    private var conclusion: String {
        switch CompanionWatch.Verdict(rawValue: verdict) {
        case .companion:
            """
            A stranger's beacon stayed with you for three quarters of an hour, while others left. It may be the device \
            of someone going the same way or, where you stayed in one place, a neighbour. Go elsewhere and scan again; \
            if it stays, look through your things. A beacon does not reveal its owner.
            """
        case .unclear:
            """
            Some beacons stayed with you for three quarters of an hour, and so do others here. Where people stay, at home, \
            at work or in a train, one that travels along cannot be told from them.
            """
        case .none?: "No stranger's beacon stayed with you for three quarters of an hour."
        case .tooShort, nil: "Three whole quarters of an hour in a row are needed; there were fewer."
        }
    }
}
