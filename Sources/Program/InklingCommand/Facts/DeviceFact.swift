/// A device of this user, as it stands on the own card. Times are RFC 3339 in UTC.
struct DeviceFact: Codable, Hashable, Sendable {
    let device: UInt8
    /// Whether it holds the identity.
    let primary: Bool
    /// Whether it is this device.
    let own: Bool
    let certifiedUntil: String
    /// When this device last began a session with it; nil if it never did, and for devices that only the primary meets.
    var lastMet: String?

    /// One line for a person.
    var line: String {
        let roles = [primary ? "primary" : nil, own ? "this device" : nil].compactMap { $0 }
        let role = roles.isEmpty ? "" : ", \(roles.joined(separator: ", "))"
        return "device \(device)\(role), certified until \(certifiedUntil)\(lastMet.map { ", last met \($0)" } ?? "")\n"
    }
}
