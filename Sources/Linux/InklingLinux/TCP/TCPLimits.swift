/// The limits of links over TCP (`Specs/handshake.md`).
public struct TCPLimits: Hashable, Sendable {
    /// The largest number of accepted links that have not passed the gate.
    public var strangers = 1_024
    /// The largest number of accepted links of one source that have not passed the gate. A source is a neighbour on the
    /// link, a network of 64 bits elsewhere, or an address of IPv4 elsewhere.
    public var strangersPerSource = 8
    /// How long after its beginning a link that has not passed the gate does not make room for another.
    public var grace: Duration = .milliseconds(300)
    /// The largest numbers of accepted links that have passed the gate and are unauthenticated, in total and of one
    /// source.
    public var passed = 64, passedPerSource = 8
    /// The largest number of links accepted of one source in `arrivalTime`. A source that begins more is refused for
    /// `refusal`, and for twice as long each time that it does so again soon after, up to `longestRefusal`.
    public var arrivalsPerSource = 32
    /// The time in which links of a source are counted; then the count starts again from zero.
    public var arrivalTime: Duration = .seconds(10)
    /// For how long links of a source are refused, at first and at most.
    public var refusal: Duration = .seconds(30), longestRefusal: Duration = .seconds(240)
    /// The number of sources whose links are counted; links of further ones are limited only by `strangers`.
    public var arrivalSources = 4_096
    /// How long an accepted link may stay unauthenticated before it is reset.
    public var unauthenticatedLifetime: Duration = .seconds(10)
    /// How long after its beginning a muted link is reset.
    public var mute: Duration = .seconds(5)
    /// How long a packet may take from its first byte that is waited for to its last, before the link is reset.
    public var reading: Duration = .seconds(30)
    /// How long sending a packet may take before the link is reset: until the system has taken the last byte.
    public var writing: Duration = .seconds(10)
    /// The largest number of bytes that wait to be taken by the system; a link that exceeds it is reset.
    public var unwrittenBytes = 262_144

    /// Creates the limits of the specification.
    public init() {}
}
