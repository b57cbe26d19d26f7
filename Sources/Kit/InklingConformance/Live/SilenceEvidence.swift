/// The outcome of one connection.
public struct ConnectionOutcome: Hashable, Sendable {
    /// The way in which it ended.
    public enum End: Hashable, Sendable {
        /// It could not be made; with the system's error number.
        case refused(code: Int32)
        case reset
        /// It was closed normally.
        case closed
        /// It was still open when the run stopped waiting.
        case open
    }

    public let end: End
    /// The time from its start to its end, or until the run stopped waiting, in milliseconds.
    public let milliseconds: Int64
    /// The number of received bytes.
    public let receivedCount: Int

    public init(_ end: End, after milliseconds: Int64, receivedCount: Int = 0) {
        self.end = end
        self.milliseconds = milliseconds
        self.receivedCount = receivedCount
    }
}

/// The outcomes of a stranger's connections, and their assessment: the node must reveal nothing (`Specs/handshake.md`).
public struct SilenceEvidence: Sendable {
    /// The outcomes by check id; checks that were not tried are absent.
    public var outcomes: [String: ConnectionOutcome] = [:]
    /// The reasons why checks were not tried, by id.
    public var skipped: [String: String] = [:]
    /// The maximum difference between an end and the specified time, and between two ends, in milliseconds.
    public var tolerance: Int64

    public init(tolerance: Int64 = Self.standardTolerance) { self.tolerance = tolerance }

    /// The default tolerance in milliseconds, which allows for the delays of a network and two busy machines.
    public static let standardTolerance: Int64 = 500
    /// The time at which a refused connection is reset, in milliseconds.
    static let muteEnd: Int64 = 5_000
    /// The latest time at which a connection is reset if nothing was refused and no record was opened, in milliseconds:
    /// a node chooses a time from `muteEnd` to this one (INK-HSK-033).
    static let strangerEnd: Int64 = 10_000
    /// The maximum time that the run waits for an end, in milliseconds.
    public static let patience: Int64 = strangerEnd + 2_000
    /// The checks that send no complete message; a node may wait for the rest of it.
    private static let unfinished: Set<String> = ["live-silence-nothing", "live-silence-byte", "live-silence-part"]

    /// The verdicts of the checks of this part that were tried.
    public var verdicts: [LiveVerdict] {
        LiveCheck.all.filter { $0.part == .silence }.compactMap { check in
            if check.id == "live-silence-alike" { return alike }
            if let outcome = outcomes[check.id] { return verdict(check.id, outcome) }
            return skipped[check.id].map { LiveVerdict(check.id, .skipped($0)) }
        }
    }

    private func verdict(_ check: String, _ outcome: ConnectionOutcome) -> LiveVerdict {
        var faults: [String] = []
        if outcome.receivedCount > 0 {
            faults.append("it sent \(ConformanceReport.counted(outcome.receivedCount, "byte", "bytes"))")
        }
        let seconds = Self.seconds(outcome.milliseconds)
        switch outcome.end {
        case .refused(let code): faults.append("no connection was made (error \(code))")
        case .closed: faults.append("it closed the connection after \(seconds) without a reset")
        case .open: faults.append("the connection was still open after \(seconds)")
        case .reset:
            let latest = Self.unfinished.contains(check) ? Self.strangerEnd : Self.muteEnd
            if outcome.milliseconds < Self.muteEnd - tolerance {
                faults.append("a reset came after \(seconds), before 5 s")
            } else if outcome.milliseconds > latest + tolerance {
                faults.append("a reset came after \(seconds), later than \(latest / 1000) s")
            }
        }
        return LiveVerdict(check, faults: faults, note: "reset after \(seconds)")
    }

    /// The verdict on whether refused messages can be told apart.
    private var alike: LiveVerdict {
        let id = "live-silence-alike"
        let compared = outcomes.filter { !Self.unfinished.contains($0.key) }.sorted {
            ($0.value.milliseconds, $0.key) < ($1.value.milliseconds, $1.key)
        }
        guard compared.count > 1, let first = compared.first, let last = compared.last else {
            return LiveVerdict(id, .skipped("fewer than two connections were refused"))
        }
        var faults: [String] = []
        let kinds = Set(compared.map { Self.kind($0.value) })
        if kinds.count > 1 { faults.append("connections ended differently: \(kinds.sorted().joined(separator: ", "))") }
        let spread = last.value.milliseconds - first.value.milliseconds
        let range =
            "\(compared.count) reasons: \(Self.seconds(first.value.milliseconds)) to "
            + "\(Self.seconds(last.value.milliseconds)), spread \(spread) ms, tolerance \(tolerance) ms"
        if spread > tolerance { faults.append("\(range) (first \(first.key), last \(last.key))") }
        return LiveVerdict(id, faults: faults, note: range)
    }

    private static func kind(_ outcome: ConnectionOutcome) -> String {
        if outcome.receivedCount > 0 { return "answered" }
        return switch outcome.end {
        case .refused: "not made"
        case .reset: "reset"
        case .closed: "closed"
        case .open: "open"
        }
    }

    static func seconds(_ milliseconds: Int64) -> String {
        let digits = String(milliseconds.magnitude % 1000)
        let sign = milliseconds < 0 ? "−" : ""
        return sign + "\(milliseconds.magnitude / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
            + " s"
    }
}

/// The bytes that a stranger sends for one check.
public struct StrangerProbe: Hashable, Sendable {
    /// The id of the check.
    public let check: String
    public let bytes: [UInt8]
    /// Whether the stranger ends its side of the stream after the bytes.
    public let endsStream: Bool

    /// Returns the probes that need no grant, with random bytes from `generator`.
    public static func all(using generator: inout some RandomNumberGenerator) -> [StrangerProbe] {
        func random(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        func first(_ header: UInt8) -> [UInt8] { [0, 129, header] + random(128) }
        let gate = first(0x10)
        return [
            StrangerProbe("nothing", []), StrangerProbe("byte", [0]),
            StrangerProbe("part", Array(first(0x10).prefix(62))), StrangerProbe("empty", [0, 0]),
            StrangerProbe("long", [0xff, 0xff] + random(4096)),
            StrangerProbe("http", Array("GET / HTTP/1.1\r\nHost: inkling\r\n\r\n".utf8)),
            StrangerProbe("tls", [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + random(64)),
            StrangerProbe("type", first(0x90)), StrangerProbe("sequence", first(0x11)), StrangerProbe("gate", gate),
            StrangerProbe("again", gate), StrangerProbe("invitation", first(0x30)),
            StrangerProbe("device-link", first(0x60)), StrangerProbe("half-closed", first(0x10), endsStream: true),
        ]
    }

    private init(_ name: String, _ bytes: [UInt8], endsStream: Bool = false) {
        check = "live-silence-\(name)"
        self.bytes = bytes
        self.endsStream = endsStream
    }
}
