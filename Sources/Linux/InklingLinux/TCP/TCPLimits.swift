/// The limits of links over TCP (`Specs/handshake.md`).
public struct TCPLimits: Hashable, Sendable {
    /// The largest number of accepted links that have not passed the gate.
    public var strangers = 1_024
    /// The largest number of accepted links per source that have not passed the gate. A source is a neighbour on the
    /// link, or elsewhere a 64-bit IPv6 prefix or an IPv4 address.
    public var strangersPerSource = 8
    /// The age up to which a link that has not passed the gate is not evicted for another.
    public var grace: Duration = .milliseconds(300)
    /// The largest numbers of accepted links that have passed the gate but are unauthenticated: in total, and per
    /// source.
    public var passed = 64, passedPerSource = 8
    /// The largest number of links accepted per source within `arrivalTime`. Above it, the source is refused for
    /// `refusal`, and for twice as long each time it soon exceeds the limit again, up to `longestRefusal`.
    public var arrivalsPerSource = 32
    /// The period over which links of a source are counted; then the count restarts at zero.
    public var arrivalTime: Duration = .seconds(10)
    /// The refusal period of a source's links: at first, and at most.
    public var refusal: Duration = .seconds(30), longestRefusal: Duration = .seconds(240)
    /// The number of sources whose links are counted; further sources are limited only by `strangers`.
    public var arrivalSources = 4_096
    /// The age at which an accepted link that is still unauthenticated is reset.
    public var unauthenticatedLifetime: Duration = .seconds(10)
    /// The age at which a muted link is reset.
    public var mute: Duration = .seconds(5)
    /// The longest time from the first byte of an awaited packet to its last; then the link is reset.
    public var reading: Duration = .seconds(30)
    /// The longest time until the system has taken the last byte of a sent packet; then the link is reset.
    public var writing: Duration = .seconds(10)
    /// The longest time for which the system repeats what a link has not delivered that ends because the node falls
    /// silent. By itself it would go on for minutes.
    public var parting: Duration = .milliseconds(300)
    /// The largest number of bytes queued for the system; a link that exceeds it is reset.
    public var unwrittenBytes = 262_144

    /// Creates the limits of the specification.
    public init() {}
}
