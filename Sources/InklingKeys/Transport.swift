/// A link technology over which handshakes run (`Specs/handshake.md`).
public enum Transport: UInt8, Hashable, Sendable, CaseIterable, Codable {
    /// Bluetooth GATT.
    case gatt = 0
    /// TCP over IP.
    case tcp = 2
    /// Wi-Fi Aware.
    case nan = 3

    /// The number of the transport in prologues, gates and offers.
    public var code: UInt8 { rawValue }
}

/// Transports, as an invitation names them: bit n stands for the transport whose code is n.
public struct TransportSet: OptionSet, Hashable, Sendable, Codable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The set with one transport.
    public init(_ transport: Transport) { rawValue = 1 << UInt16(transport.code) }

    /// Bluetooth GATT.
    public static let gatt = TransportSet(.gatt)
    /// TCP over IP.
    public static let tcp = TransportSet(.tcp)
    /// Wi-Fi Aware.
    public static let nan = TransportSet(.nan)
    /// Every transport that this version knows.
    public static let known = TransportSet(Transport.allCases.map(TransportSet.init))

    /// Whether the set contains a transport.
    public func contains(_ transport: Transport) -> Bool { contains(TransportSet(transport)) }
}
