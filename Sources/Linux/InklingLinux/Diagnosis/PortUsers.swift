/// A program that has a UDP port open on this machine.
package struct PortUser: Hashable, Sendable {
    /// The name of the program; `nil` if this user may not know it.
    package let program: String?
    /// The user id that owns the socket.
    package let user: UInt32

    /// Creates a description of a port's user.
    package init(program: String?, user: UInt32) {
        self.program = program
        self.user = user
    }
}

/// A socket in `/proc/net/udp`.
struct UDPSocket: Hashable {
    let port: UInt16
    let user: UInt32
    let inode: UInt64

    /// Parses the lines after the heading and skips malformed ones.
    static func list(parsing text: String) -> [UDPSocket] {
        text.split(separator: "\n").dropFirst().compactMap { line in
            // sl, local address, remote address, state, queues, timer, retransmissions, uid, timeout, inode.
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 10, let colon = fields[1].lastIndex(of: ":"),
                let port = UInt16(fields[1][fields[1].index(after: colon)...], radix: 16),
                let user = UInt32(fields[7]), let inode = UInt64(fields[9])
            else { return nil }
            return UDPSocket(port: port, user: user, inode: inode)
        }
    }
}

extension SystemFiles {
    /// The program names of multicast DNS responders, for sockets of other users.
    private static let responders = ["avahi-daemon", "systemd-resolve", "mdnsd", "mDNSResponder"]

    /// Returns the users of a UDP port, each program once, without the process `own`.
    ///
    /// Only root sees a socket's process. Otherwise a known responder running as the same user is named.
    package func users(ofPort port: UInt16, except own: Int32) -> [PortUser] {
        let sockets = ["/proc/net/udp", "/proc/net/udp6"].flatMap { UDPSocket.list(parsing: text($0) ?? "") }
            .filter { $0.port == port }
        guard !sockets.isEmpty else { return [] }
        let programs = programs()
        var users: [PortUser] = []
        for (user, group) in Dictionary(grouping: sockets, by: \.user).sorted(by: { $0.key < $1.key }) {
            let inodes = Set(group.map(\.inode))
            let candidates = programs.filter { $0.user == user }
            let holders = candidates.filter { process($0.process, holds: inodes) }
            if holders.isEmpty {
                let known = candidates.first { Self.responders.contains($0.name) }
                users.append(PortUser(program: known?.name, user: user))
            } else {
                for holder in holders where holder.process != own {
                    let found = PortUser(program: holder.name, user: user)
                    if !users.contains(found) { users.append(found) }
                }
            }
        }
        return users
    }
}
