import InklingKeys
import InklingWire

extension Endpoint.Address {
    /// Whether packets to it never leave the machine: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let octets, _): octets == Octets16(high: 0, low: 1)
        }
    }
}
