/// The bounds of links over TCP (`Specs/handshake.md`).
public struct TCPLimits: Hashable, Sendable {
    /// Accepted links that have not authenticated, in total.
    public var strangers = 64
    /// Accepted links that have not authenticated, from one address.
    public var strangersPerSource = 8
    /// Links from one address that are let in within a second; more are reset at once.
    public var arrivalsPerSource = 32
    /// Addresses whose links are counted in a second; `strangers` alone limits further ones.
    public var arrivalSources = 1_024
    /// From accepting a link to its reset, when it has not authenticated.
    public var strangerLifetime: Duration = .seconds(10)
    /// From the beginning of a link to its reset, once it is muted.
    public var mute: Duration = .seconds(5)
    /// From handing over a packet to the last byte taken by the system, else the link is reset.
    public var writing: Duration = .seconds(10)
    /// Bytes handed over and not yet taken by the system, else the link is reset.
    public var unwrittenBytes = 262_144

    /// The bounds of the specification.
    public init() {}
}
