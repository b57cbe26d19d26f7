// Parts of the socket interface belong to whichever C module declared them first.
internal import CLinux
internal import Glibc
internal import InklingKeys

/// A route netlink socket (`rtnetlink(7)`) for reading the kernel's links and addresses.
struct RouteSocket: ~Copyable {
    let descriptor: CInt

    /// Creates a socket; with `listening` it also receives changes. Returns `nil` if the system refuses.
    init?(listening: Bool) {
        descriptor = socket(
            AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue),
            0)
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl: family, padding, port 0 (the kernel chooses), groups: link, IPv4 and IPv6 addresses.
        let groups: UInt32 = listening ? 0x1 | 0x10 | 0x100 : 0
        let address: InlineArray<3, UInt32> = [UInt32(AF_NETLINK).littleEndian, 0, groups]
        let bound = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, 12) }
        }
        guard bound == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Requests all links and addresses and adds them to `picture`; returns false if the request fails or the kernel
    /// does not answer within a second.
    func fill(_ picture: inout NetworkPicture) -> Bool {
        // RTM_GETLINK with a struct ifinfomsg, then RTM_GETADDR with a struct ifaddrmsg, all families.
        dump(type: 18, bodySize: 16, into: &picture) && dump(type: 22, bodySize: 8, into: &picture)
    }

    /// Adds received messages to `picture`; returns false if messages were lost and everything must be requested again.
    func drain(into picture: inout NetworkPicture) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 32_768)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            if count > 0 {
                picture.apply(buffer.span.extracting(first: count))
            } else {
                return count >= 0 || errno != ENOBUFS
            }
        }
    }

    /// Sends a request for one entry and returns the kernel's reply, which may be an error; `nil` without a reply.
    ///
    /// The kernel answers such a request before `send` returns, so nothing waits.
    func answer(to request: RouteRequest) -> [UInt8]? {
        guard unsafe send(descriptor, request.bytes, request.bytes.count, 0) == request.bytes.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count >= 16 ? Array(buffer[..<count]) : nil
    }

    private func dump(type: UInt16, bodySize: Int, into picture: inout NetworkPicture) -> Bool {
        // struct nlmsghdr: length, type, flags (request, dump), sequence, port.
        var request = [UInt8](repeating: 0, count: 16 + bodySize)
        request[0] = UInt8(request.count)
        request[4] = UInt8(type)
        request[6] = 0x01
        request[7] = 0x03
        guard unsafe send(descriptor, request, request.count, 0) == request.count else { return false }
        var buffer = [UInt8](repeating: 0, count: 32_768)
        // Enough for thousands of addresses; `picture` applies its own limits.
        for _ in 0..<1_000 {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&ready, 1, 1_000) > 0 else { return false }
            let count = unsafe recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count >= 16 else { return false }
            let datagram = buffer.span.extracting(first: count)
            picture.apply(datagram)
            // The last message of a dump is NLMSG_DONE (3), alone in its datagram; NLMSG_ERROR (2) is a refusal.
            if buffer[4] == 3 || buffer[4] == 2 { return buffer[4] == 3 }
        }
        return false
    }
}
