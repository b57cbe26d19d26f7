internal import InklingKeys
internal import InklingNode

extension Endpoint.Address {
    /// This address as something to connect to, or nil for one that nobody on the network can be at.
    ///
    /// A link-local IPv6 address keeps its scope, and no other one has any. Loopback is refused unless the answer
    /// itself came over the loopback interface.
    func reachable(onLoopback: Bool) -> Endpoint.Address? {
        switch self {
        case .v4(let value):
            switch value >> 24 {
            case 0, 224...255: return nil
            case 127: return onLoopback ? self : nil
            default: return self
            }
        case .v6(let octets, let scope):
            if octets.high == 0 {
                // ::1 is loopback; ::, IPv4-compatible and IPv4-mapped addresses are nobody's.
                return octets.low == 1 && onLoopback ? .v6(octets, scope: 0) : nil
            }
            if octets.high >> 56 == 0xff { return nil }
            if isLinkLocalV6 { return scope == 0 ? nil : self }
            return .v6(octets, scope: 0)
        }
    }
}
