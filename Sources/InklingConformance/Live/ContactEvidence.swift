/// What came of a call to a contact's device.
public enum CallOutcome: Hashable, Sendable {
    /// Message 2 opened, after so many milliseconds.
    case confirmed(milliseconds: Int64)
    /// No connection was made.
    case unreachable
    /// Nothing came.
    case silent(ConnectionOutcome)
    /// What came is no message 2 of this handshake.
    case refused(stage: String, reason: String)

    /// What a person reads about a call that failed.
    var fault: String? {
        switch self {
        case .confirmed: nil
        case .unreachable: "no connection was made"
        case .silent(let outcome):
            "no message 2 came (\(outcome.end)) in \(SilenceEvidence.seconds(outcome.milliseconds))"
        case .refused(let stage, let reason): "what came is refused: \(stage), \(reason)"
        }
    }

    /// What was measured of a call that succeeded.
    var note: String? {
        if case .confirmed(let milliseconds) = self { "message 2 after \(milliseconds) ms" } else { nil }
    }
}

/// What a contact found out about a node: the names, the handshake and the session (`Specs/handshake.md`).
public struct ContactEvidence: Sendable {
    /// How the session began.
    public enum Greeting: Hashable, Sendable {
        /// The first record is HELLO.
        case hello
        /// The first record is refused.
        case refused(stage: String, reason: String)
        /// No record came.
        case noRecord
    }

    /// What is predicted for the epoch: instance and host, without domains.
    public var predictedName: String
    public var predictedHost: String
    /// What is shown; nil when nothing was found.
    public var shown: ShownInstance?
    /// The call; nil when there was nobody to call.
    public var call: CallOutcome?
    public var greeting: Greeting?
    /// How many receipts of the text came, and of other texts.
    public var receipts: Int?
    public var strangeReceipts = 0

    public init(predictedName: String, predictedHost: String, shown: ShownInstance?) {
        self.predictedName = predictedName
        self.predictedHost = predictedHost
        self.shown = shown
    }

    /// A verdict for each check of the part.
    public var verdicts: [LiveVerdict] {
        let nobody = LiveVerdict.Outcome.skipped("there was no session")
        var verdicts = [
            LiveVerdict(
                "live-contact-name",
                faults: shown.map { $0.name == predictedName ? [] : ["shown \($0.name), predicted \(predictedName)"] }
                    ?? ["predicted \(predictedName), and nothing like it was shown"]),
            LiveVerdict(
                "live-contact-host",
                faults: shown.map {
                    $0.host == DNSName([predictedHost, "local"])
                        ? [] : ["shown \($0.host), predicted \(predictedHost).local"]
                } ?? ["no host was shown"]),
        ]
        guard let call else {
            return verdicts
                + ["handshake", "hello", "receipt"].map {
                    LiveVerdict("live-contact-\($0)", .skipped("there was nobody to call"))
                }
        }
        verdicts.append(LiveVerdict("live-contact-handshake", faults: call.fault.map { [$0] } ?? [], note: call.note))
        switch greeting {
        case nil: verdicts.append(LiveVerdict("live-contact-hello", nobody))
        case .hello: verdicts.append(LiveVerdict("live-contact-hello", .passed(nil)))
        case .refused(let stage, let reason):
            verdicts.append(
                LiveVerdict("live-contact-hello", .failed("the first record is refused: \(stage), \(reason)")))
        case .noRecord: verdicts.append(LiveVerdict("live-contact-hello", .failed("no record came within 5 s")))
        }
        guard let receipts, greeting == .hello else {
            return verdicts + [LiveVerdict("live-contact-receipt", nobody)]
        }
        var faults: [String] = []
        if receipts == 0 { faults.append("no receipt came within 5 s") }
        if receipts > 1 { faults.append("\(receipts) receipts came") }
        if strangeReceipts > 0 { faults.append("a receipt of a text came that was not sent") }
        return verdicts + [LiveVerdict("live-contact-receipt", faults: faults)]
    }
}
