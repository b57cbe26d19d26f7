/// A link technology over which handshakes run (`Specs/handshake.md`).
public enum Transport: UInt8, Hashable, Sendable, CaseIterable, Codable {
    /// Bluetooth GATT.
    case gatt = 0
    /// TCP over IP.
    case tcp = 2
    /// Wi-Fi Aware.
    case nan = 3

    /// The code of the transport in prologues, gates and offers.
    public var code: UInt8 { rawValue }
}

/// A set of transports, as encoded in an invitation: bit n stands for the transport with code n.
public struct TransportSet: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates a set with one transport.
    public init(_ transport: Transport) { rawValue = 1 << UInt16(transport.code) }

    /// Bluetooth GATT.
    public static let gatt = TransportSet(.gatt)
    /// TCP over IP.
    public static let tcp = TransportSet(.tcp)
    /// Wi-Fi Aware.
    public static let nan = TransportSet(.nan)
    /// All transports that this version defines.
    public static let known = TransportSet(Transport.allCases.map(TransportSet.init))

    /// Returns whether the set contains a transport.
    public func contains(_ transport: Transport) -> Bool { contains(TransportSet(transport)) }
}
