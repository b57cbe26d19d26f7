/// The measured lead of the node's clock over this machine's, from a handshake (`Specs/conformance.md`, INK-CNF-044).
public struct ClockDifference: Hashable, Sendable {
    /// The lead in real milliseconds; negative if the node is behind.
    public let milliseconds: Int64
    /// The maximum error of `milliseconds`, in real milliseconds.
    public let uncertainty: Int64

    /// The delay that a busy machine adds between an event and its timestamp, in milliseconds.
    static let delay: Int64 = 250

    /// Measures the difference from one exchange. The node read its clock at some moment between sending and receiving,
    /// so half of that time is the error.
    ///
    /// - Parameters:
    ///   - nodeTime: protocol time by the node's clock, in milliseconds, as in its answer.
    ///   - sent: protocol time by this machine's clock when the question was sent, in milliseconds.
    ///   - received: protocol time by this machine's clock when the answer arrived, in milliseconds.
    ///   - rate: protocol milliseconds per real millisecond, at least 1.
    public init(nodeTime: Int64, sent: Int64, received: Int64, rate: Int64) {
        milliseconds = (nodeTime - (sent + received) / 2) / rate
        uncertainty = max(received - sent, 0) / 2 / rate + Self.delay
    }

    /// Returns the measurement with the smaller error; the later one on a tie.
    public func better(_ later: ClockDifference) -> ClockDifference {
        uncertainty < later.uncertainty ? self : later
    }
}
