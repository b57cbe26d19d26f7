import InklingEngine
import InklingKeys

/// Whether the beacon of some stranger travels along, for `inkling scan --strangers`. It has no address and no minor.
struct CompanionFact: Encodable, Hashable {
    /// What became of the strangers' beacons that were heard when an epoch began.
    struct EpochFact: Encodable, Hashable {
        let epoch: UInt32
        /// When the epoch began: RFC 3339 in UTC.
        let from: String
        let strangers: Int
        /// How many stayed for a third and for two thirds of the epoch, and to its end.
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
    /// How long was listened, in seconds.
    let seconds: UInt64
    /// Whether the adapter sent requests.
    let active: Bool
    /// Whether contacts and this node itself were told from strangers.
    let recognises: Bool

    init(_ watch: CompanionWatch, seconds: UInt64, active: Bool, recognises: Bool) {
        verdict = watch.verdict.rawValue
        epochs = watch.counts.map(EpochFact.init)
        self.seconds = seconds
        self.active = active
        self.recognises = recognises
    }

    /// What is known so far, in one line.
    static func progress(of watch: CompanionWatch) -> String {
        guard watch.isObservingWholeEpoch else { return "waiting for the next quarter of an hour" }
        let count = min(watch.epochCount, CompanionWatch.epochsNeeded)
        return "\(plural(watch.present, "stranger")) since this quarter of an hour began; \(count) of "
            + "\(CompanionWatch.epochsNeeded) observed"
    }

    /// The lines for a person.
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
            A stranger's beacon stayed with you for three quarters of an hour, while others left. It may be the device of \
            somebody who goes the same way, or one neighbour where you stayed at one place. Go elsewhere and scan again; \
            if it stays, look through your things. A beacon says nothing about whose it is.
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
