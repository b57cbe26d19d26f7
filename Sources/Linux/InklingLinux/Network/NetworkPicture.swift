internal import InklingKeys
internal import InklingWire

/// A snapshot of the links and addresses that the kernel reports, and of those that multicast DNS uses.
///
/// It is updated with messages from a route netlink socket (`rtnetlink(7)`, native byte order). The numbers of links
/// and addresses are limited.
struct NetworkPicture: Hashable {
    private static let linkLimit = 64, addressLimit = 32
    private var links: [UInt32: NetworkLink] = [:]

    /// Applies the messages of one datagram.
    mutating func apply(_ datagram: Span<UInt8>) {
        var offset = 0
        // `length` is at least a header, so the loop ends.
        while offset + 16 <= datagram.count {
            let length = Int(datagram.u32(at: offset))
            guard length >= 16, length <= datagram.count - offset else { break }
            take(type: datagram.u16(at: offset + 4), datagram.extracting(offset + 16..<offset + length))
            offset += (length + 3) & ~3
        }
    }

    /// The interfaces that multicast DNS uses, in ascending order. Loopback is used only if there is no other.
    var multicastLinks: [(index: UInt32, link: NetworkLink)] {
        let usable = links.filter { isUsable($0.value, $0.key) }
        let chosen = usable.isEmpty ? links.filter { $0.value.isLoopback } : usable
        return chosen.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns whether a link is usable. A bridge needs a hardware port: others only connect parts of this machine.
    private func isUsable(_ link: NetworkLink, _ index: UInt32) -> Bool {
        guard link.isOnNetwork, !link.addresses.isEmpty else { return false }
        guard link.kind == .bridge else { return true }
        return links.values.contains { $0.master == index && $0.kind == .hardware }
    }

    private mutating func take(type: UInt16, _ body: Span<UInt8>) {
        switch type {
        case Message.newLink where body.count >= 16: takeLink(body)
        case Message.deleteLink where body.count >= 16: links[body.u32(at: 4)] = nil
        case Message.newAddress where body.count >= 8: takeAddress(body, isNew: true)
        case Message.deleteAddress where body.count >= 8: takeAddress(body, isNew: false)
        default: break
        }
    }

    private mutating func takeLink(_ body: Span<UInt8>) {
        // Bridges report their ports under AF_BRIDGE. Only a message with AF_UNSPEC describes the link itself.
        guard body[0] == 0 else { return }
        let index = body.u32(at: 4)
        guard links[index] != nil || links.count < Self.linkLimit else { return }
        var link = links[index] ?? NetworkLink()
        link.flags = body.u32(at: 8)
        link.master = nil
        body.attributes(from: 16) { type, start, count in
            switch type {
            case Attribute.hardwareAddress: link.hardwareAddress = (start..<start + min(count, 32)).map { body[$0] }
            case Attribute.master where count == 4: link.master = body.u32(at: start)
            case Attribute.linkInfo: link.kind = NetworkLink.Kind(body.extracting(start..<start + count))
            default: break
            }
        }
        links[index] = link
    }

    private mutating func takeAddress(_ body: Span<UInt8>, isNew: Bool) {
        let index = body.u32(at: 4)
        guard links[index] != nil || links.count < Self.linkLimit else { return }
        let family = body[0]
        var flags = UInt32(body[2])
        var validSeconds = UInt32.max
        var peer: Endpoint.Address?, local: Endpoint.Address?
        body.attributes(from: 8) { type, start, count in
            switch type {
            case Attribute.peer:
                peer = Endpoint.Address(body, at: start, count: count, family: family, interface: index)
            case Attribute.local:
                local = Endpoint.Address(body, at: start, count: count, family: family, interface: index)
            case Attribute.lifetimes where count >= 8: validSeconds = body.u32(at: start + 4)
            case Attribute.flags where count == 4: flags = body.u32(at: start)
            default: break
            }
        }
        guard let value = local ?? peer else { return }
        var link = links[index] ?? NetworkLink()
        if isNew {
            link.note(value, prefixLength: body[1], flags: flags, validSeconds: validSeconds, limit: Self.addressLimit)
        } else {
            link.addresses.removeAll { $0.value == value }
        }
        links[index] = link
    }
}

/// `enum rtmsg type` of `<linux/rtnetlink.h>`.
private enum Message {
    static let newLink: UInt16 = 16, deleteLink: UInt16 = 17, newAddress: UInt16 = 20, deleteAddress: UInt16 = 21
}

/// `IFLA_…` and `IFA_…` of `<linux/if_link.h>` and `<linux/if_addr.h>`.
private enum Attribute {
    static let hardwareAddress: UInt16 = 1, master: UInt16 = 10, linkInfo: UInt16 = 18
    static let peer: UInt16 = 1, local: UInt16 = 2, lifetimes: UInt16 = 6, flags: UInt16 = 8
}

extension Endpoint.Address {
    /// Parses the address in a netlink attribute. A link-local address gets its interface's index as scope.
    fileprivate init?(_ body: Span<UInt8>, at start: Int, count: Int, family: UInt8, interface: UInt32) {
        switch (family, count) {
        case (2, 4): self = .v4(UInt32(truncatingIfNeeded: body.bigEndian(at: start, count: 4)))
        case (10, 16):
            let octets = Octets16(
                high: body.bigEndian(at: start, count: 8), low: body.bigEndian(at: start + 8, count: 8))
            self = .v6(octets, scope: octets.high >> 54 == 0xfe80 >> 6 ? interface : 0)
        default: return nil
        }
    }

    /// Whether this is an IPv6 address without a hardware address: an EUI-64 identifier has ff:fe in its middle.
    var isPublishableV6: Bool {
        guard case .v6(let octets, _) = self else { return false }
        return octets.low >> 24 & 0xffff != 0xfffe
    }

    var isLinkLocalV6: Bool {
        guard case .v6(let octets, _) = self else { return false }
        return octets.high >> 54 == 0xfe80 >> 6
    }
}

extension Span<UInt8> {
    // Netlink numbers are in the machine's byte order. The callers have checked the length.
    func u32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: UInt32(truncatingIfNeeded: bigEndian(at: offset, count: 4)))
    }

    func u16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: UInt16(truncatingIfNeeded: bigEndian(at: offset, count: 2)))
    }

    /// Calls `body` with the type, start and length of each route attribute.
    func attributes(from start: Int, _ body: (_ type: UInt16, _ start: Int, _ count: Int) -> Void) {
        var offset = start
        while offset + 4 <= count {
            let length = Int(u16(at: offset))
            guard length >= 4, length <= count - offset else { return }
            body(u16(at: offset + 2) & 0x3fff, offset + 4, length - 4)
            offset += (length + 3) & ~3
        }
    }
}
