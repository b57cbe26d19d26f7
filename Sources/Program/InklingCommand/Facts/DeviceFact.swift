/// A device on the user's own card. Times are RFC 3339 in UTC.
struct DeviceFact: Codable, Hashable, Sendable {
    let device: UInt8
    /// Whether it holds the identity.
    let primary: Bool
    /// Whether it is this device.
    let own: Bool
    let certifiedUntil: String
    /// The time at which this device last started a session with it; nil if never, and for devices that only the
    /// primary meets.
    var lastMet: String?

    /// The human-readable line.
    var line: String {
        let roles = [primary ? "primary" : nil, own ? "this device" : nil].compactMap { $0 }
        let role = roles.isEmpty ? "" : ", \(roles.joined(separator: ", "))"
        return "device \(device)\(role), certified until \(certifiedUntil)\(lastMet.map { ", last met \($0)" } ?? "")\n"
    }
}
