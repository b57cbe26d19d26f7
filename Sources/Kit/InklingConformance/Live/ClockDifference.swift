/// How far the clock of the node under test is ahead of this machine's clock, as a handshake shows it
/// (`Specs/conformance.md`, INK-CNF-044).
public struct ClockDifference: Hashable, Sendable {
    /// Real milliseconds; negative if the node is behind.
    public let milliseconds: Int64
    /// The maximum error of `milliseconds`, in real milliseconds.
    public let uncertainty: Int64

    /// What a busy machine adds between an event and its time, in milliseconds.
    static let delay: Int64 = 250

    /// The node read its clock at some moment between sending and receiving, so that half of that time is the error.
    ///
    /// - Parameters:
    ///   - nodeTime: protocol time by the node's clock, in milliseconds, as its answer says.
    ///   - sent: protocol time by this machine's clock when the question was sent, in milliseconds.
    ///   - received: protocol time by this machine's clock when the answer had come, in milliseconds.
    ///   - rate: protocol milliseconds per real millisecond, at least 1.
    public init(nodeTime: Int64, sent: Int64, received: Int64, rate: Int64) {
        milliseconds = (nodeTime - (sent + received) / 2) / rate
        uncertainty = max(received - sent, 0) / 2 / rate + Self.delay
    }

    /// Returns the measurement with the smaller error, the later one if they are equal.
    public func better(_ later: ClockDifference) -> ClockDifference {
        uncertainty < later.uncertainty ? self : later
    }
}
