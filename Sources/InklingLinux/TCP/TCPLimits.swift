/// The limits of links over TCP (`Specs/handshake.md`).
public struct TCPLimits: Hashable, Sendable {
    /// The largest number of accepted links that are unauthenticated.
    public var unauthenticated = 64
    /// The largest number of accepted links from one address that are unauthenticated.
    public var unauthenticatedPerSource = 8
    /// The largest number of links accepted from one address in a second; further ones are reset at once.
    public var arrivalsPerSource = 32
    /// The number of addresses whose links are counted in a second; links of further ones are limited only by
    /// `unauthenticated`.
    public var arrivalSources = 1_024
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
