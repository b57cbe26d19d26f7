/// The number of a link technology in prologues, gates and offers (`Specs/handshake.md`).
public enum TransportCode: UInt8, Sendable, CaseIterable {
    /// Bluetooth GATT.
    case gatt = 0
    /// TCP over IP.
    case tcp = 2
    /// Wi-Fi Aware.
    case nan = 3
}
