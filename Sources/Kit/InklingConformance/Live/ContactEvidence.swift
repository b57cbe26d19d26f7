/// The result of a confirm handshake with a contact's device.
public enum CallOutcome: Hashable, Sendable {
    /// Message 2 was valid, after this many milliseconds.
    case confirmed(milliseconds: Int64)
    /// No connection could be made.
    case unreachable
    /// No reply was received.
    case silent(ConnectionOutcome)
    /// The reply is not message 2 of this handshake.
    case refused(stage: String, reason: String)

    /// The reason for the failure, for reports; `nil` for a successful call.
    var fault: String? {
        switch self {
        case .confirmed: nil
        case .unreachable: "no connection was made"
        case .silent(let outcome):
            "no message 2 was received (\(outcome.end)) in \(SilenceEvidence.seconds(outcome.milliseconds))"
        case .refused(let stage, let reason): "the reply was rejected: \(stage), \(reason)"
        }
    }

    /// The measured time of a successful call; `nil` if it failed.
    var note: String? {
        if case .confirmed(let milliseconds) = self { "message 2 after \(milliseconds) ms" } else { nil }
    }
}

/// A contact's observations of a node: the names, the handshake and the session (`Specs/handshake.md`).
public struct ContactEvidence: Sendable {
    /// The beginning of the session.
    public enum Greeting: Hashable, Sendable {
        /// The first record is HELLO.
        case hello
        /// The first record was refused.
        case refused(stage: String, reason: String)
        /// No record was received.
        case noRecord
    }

    /// The predicted names of the instance and the host, without domains.
    public var predictedName: String
    public var predictedHost: String
    /// The published instance; `nil` if none was found.
    public var shown: ShownInstance?
    /// The result of the call; `nil` if there was no device to call.
    public var call: CallOutcome?
    public var greeting: Greeting?
    /// The number of receipts for the text; `nil` without a session.
    public var receipts: Int?
    /// The number of receipts for other texts.
    public var strangeReceipts = 0

    public init(predictedName: String, predictedHost: String, shown: ShownInstance?) {
        self.predictedName = predictedName
        self.predictedHost = predictedHost
        self.shown = shown
    }

    /// The verdicts of the checks of this part.
    public var verdicts: [LiveVerdict] {
        let noSession = LiveVerdict.Outcome.skipped("there was no session")
        var verdicts = [
            LiveVerdict(
                "live-contact-name",
                faults: shown.map { $0.name == predictedName ? [] : ["shown \($0.name), predicted \(predictedName)"] }
                    ?? ["predicted \(predictedName), and no name was shown"]),
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
                    LiveVerdict("live-contact-\($0)", .skipped("no device could be called"))
                }
        }
        verdicts.append(LiveVerdict("live-contact-handshake", faults: call.fault.map { [$0] } ?? [], note: call.note))
        switch greeting {
        case nil: verdicts.append(LiveVerdict("live-contact-hello", noSession))
        case .hello: verdicts.append(LiveVerdict("live-contact-hello", .passed(nil)))
        case .refused(let stage, let reason):
            verdicts.append(
                LiveVerdict("live-contact-hello", .failed("the first record was rejected: \(stage), \(reason)")))
        case .noRecord: verdicts.append(LiveVerdict("live-contact-hello", .failed("no record was received within 5 s")))
        }
        guard let receipts, greeting == .hello else {
            return verdicts + [LiveVerdict("live-contact-receipt", noSession)]
        }
        var faults: [String] = []
        if receipts == 0 { faults.append("no receipt was received within 5 s") }
        if receipts > 1 { faults.append("\(receipts) receipts were received") }
        if strangeReceipts > 0 { faults.append("the receipt of a text that was not sent was received") }
        return verdicts + [LiveVerdict("live-contact-receipt", faults: faults)]
    }
}
