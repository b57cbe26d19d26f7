/// A first-contact message that a live run withholds, with everything after it (`Specs/first-contact.md`).
public enum WithheldMessage: String, Hashable, Sendable, CaseIterable {
    case accept
    case hello
    case grant

    /// The check made by a run with this message.
    public var check: String { "live-first-contact-\(rawValue)" }
}

/// The records that a node sent in a first contact in which a message was withheld.
public struct FirstContactEvidence: Sendable {
    /// A record sent by the node.
    public enum Said: Hashable, Sendable {
        case accept
        case decline
        case close
        case hello
        case card
        /// A grant and its remaining number of periods; `nil` if it cannot be read.
        case grant(periods: UInt32?)
        case other(UInt8)
    }

    /// The longest grant for an incomplete first contact, in periods.
    static let firstSpan: UInt32 = 48

    public let withheld: WithheldMessage
    /// The reason why the first contact did not get this far; `nil` if it did.
    public var fault: String?
    /// The records of the node, in order.
    public var said: [Said] = []

    public init(_ withheld: WithheldMessage) { self.withheld = withheld }

    /// The verdict of the withheld message's check.
    public var verdict: LiveVerdict {
        if let fault { return LiveVerdict(withheld.check, .skipped(fault)) }
        guard said.first == .accept else {
            return LiveVerdict(
                withheld.check, said.isEmpty ? .skipped("the node's user has not answered") : .failed(words))
        }
        var faults: [String] = []
        for (place, one) in said.enumerated().dropFirst() {
            switch one {
            case .accept: faults.append("ACCEPT was sent \(place + 1) times")
            case .decline: faults.append("DECLINE was sent after ACCEPT")
            case .close: break
            case .hello, .card, .other:
                if withheld == .accept { faults.append("\(one) was sent before both had accepted") }
            case .grant(let periods):
                if withheld != .grant { faults.append("a grant was sent before \(withheld.rawValue.uppercased())") }
                guard let periods else {
                    faults.append("a grant could not be read")
                    continue
                }
                if periods > Self.firstSpan { faults.append("the first grant lasts \(periods) periods") }
            }
        }
        if withheld != .accept, !said.contains(.hello) { faults.append("no HELLO was sent after both ACCEPTs") }
        return LiveVerdict(withheld.check, faults: faults, note: words)
    }

    private var words: String { said.map { "\($0)" }.joined(separator: ", ") }
}

extension FirstContactEvidence.Said: CustomStringConvertible {
    /// The name of the record, as in the specification.
    public var description: String {
        switch self {
        case .accept: "ACCEPT"
        case .decline: "DECLINE"
        case .close: "CLOSE"
        case .hello: "HELLO"
        case .card: "CARD"
        case .grant(let periods): periods.map { "GRANT of \($0) periods" } ?? "GRANT"
        case .other(let type): "type \(type)"
        }
    }
}
