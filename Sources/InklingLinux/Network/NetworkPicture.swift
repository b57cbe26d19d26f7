internal import InklingKeys
internal import InklingNode

/// The links and addresses of this machine as the kernel reports them, and the addresses to publish.
///
/// It is updated with messages from a route netlink socket (`rtnetlink(7)`, native byte order). The numbers of links
/// and addresses are limited.
struct NetworkPicture: Hashable {
    /// An address of an interface, with the kernel's `IFA_F_…` flags.
    struct Address: Hashable {
        let value: Endpoint.Address
        let flags: UInt32
    }

    /// An address to publish on one interface.
    struct Published: Hashable {
        let interface: UInt32
        let address: Endpoint.Address
    }

    fileprivate struct Link: Hashable {
        var name: [UInt8] = []
        var flags: UInt32 = 0
        var addresses: [Address] = []
    }

    private static let linkLimit = 64, addressLimit = 32
    private var links: [UInt32: Link] = [:]

    /// Applies the messages of one datagram.
    ///
    /// - Returns: whether a running link or one of its addresses has changed.
    mutating func apply(_ datagram: Span<UInt8>) -> Bool {
        let before = reachable
        var offset = 0
        // Every message has at least the length of its header, so the loop ends.
        while offset + 16 <= datagram.count {
            let length = Int(datagram.u32(at: offset))
            guard length >= 16, length <= datagram.count - offset else { break }
            take(type: datagram.u16(at: offset + 4), datagram.extracting(offset + 16..<offset + length))
            offset += (length + 3) & ~3
        }
        return reachable != before
    }

    /// The names of the loopback interfaces if there is another usable interface, otherwise empty. The multicast DNS
    /// server does not use the interfaces returned.
    var deniedInterfaces: [[UInt8]] {
        guard links.values.contains(where: { $0.isUsable && !$0.addresses.isEmpty }) else { return [] }
        return links.values.filter { $0.flags & Flag.loopback != 0 }.map(\.name)
    }

    var loopbackInterfaces: Set<UInt32> { Set(links.filter { $0.value.flags & Flag.loopback != 0 }.keys) }

    /// The addresses to publish. An address that contains a hardware address is never among them.
    var published: [Published] {
        let usable = links.filter { $0.value.isUsable && !$0.value.addresses.isEmpty }
        let chosen = usable.isEmpty ? links.filter { $0.value.isLoopback } : usable
        return chosen.sorted { $0.key < $1.key }.flatMap { index, link in
            link.publishable.map { Published(interface: index, address: $0) }
        }
    }

    /// What `apply` compares. It leaves out the lifetimes of addresses, which routers refresh regularly.
    private var reachable: [UInt32: [Address]] {
        links.filter { $0.value.flags & Flag.up != 0 && $0.value.flags & Flag.running != 0 }.mapValues(\.addresses)
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
        var name: [UInt8] = []
        body.attributes(from: 16) { type, start, count in
            if type == 3 { name = (start..<start + min(count, 16)).map { body[$0] }.filter { $0 != 0 } }
        }
        links[index, default: Link()].flags = body.u32(at: 8)
        if !name.isEmpty { links[index, default: Link()].name = name }
    }

    private mutating func takeAddress(_ body: Span<UInt8>, isNew: Bool) {
        let index = body.u32(at: 4)
        guard links[index] != nil || links.count < Self.linkLimit else { return }
        let family = body[0]
        var flags = UInt32(body[2])
        var peer: Endpoint.Address?, local: Endpoint.Address?
        body.attributes(from: 8) { type, start, count in
            switch type {
            case 1: peer = Endpoint.Address(body, at: start, count: count, family: family, interface: index)
            case 2: local = Endpoint.Address(body, at: start, count: count, family: family, interface: index)
            case 8 where count == 4: flags = body.u32(at: start)
            default: break
            }
        }
        guard let value = local ?? peer else { return }
        links[index, default: Link()].addresses.removeAll { $0.value == value }
        if isNew, links[index, default: Link()].addresses.count < Self.addressLimit {
            links[index, default: Link()].addresses.append(Address(value: value, flags: flags & Flag.relevant))
            links[index, default: Link()].addresses.sort { $0.value.order < $1.value.order }
        }
    }
}

/// `enum rtmsg type` of `<linux/rtnetlink.h>`.
private enum Message {
    static let newLink: UInt16 = 16, deleteLink: UInt16 = 17, newAddress: UInt16 = 20, deleteAddress: UInt16 = 21
}

/// `IFF_…` of `<linux/if.h>` and `IFA_F_…` of `<linux/if_addr.h>`.
private enum Flag {
    static let up: UInt32 = 0x1, loopback: UInt32 = 0x8, pointToPoint: UInt32 = 0x10, running: UInt32 = 0x40
    static let multicast: UInt32 = 0x1000
    static let temporary: UInt32 = 0x1, duplicate: UInt32 = 0x8, deprecated: UInt32 = 0x20, tentative: UInt32 = 0x40
    static let relevant = temporary | duplicate | deprecated | tentative
}

extension NetworkPicture.Link {
    fileprivate var isLoopback: Bool { flags & (Flag.loopback | Flag.up) == Flag.loopback | Flag.up }

    fileprivate var isUsable: Bool {
        flags & (Flag.up | Flag.multicast) == Flag.up | Flag.multicast
            && flags & (Flag.loopback | Flag.pointToPoint) == 0
    }

    /// At most four addresses of each family, because a receiver keeps eight.
    fileprivate var publishable: [Endpoint.Address] {
        let sound = addresses.filter { $0.flags & (Flag.duplicate | Flag.deprecated | Flag.tentative) == 0 }
        let v4 = sound.map(\.value).filter { if case .v4 = $0 { true } else { false } }
        let v6 = sound.filter { $0.value.isPublishableV6 }
        // Permanent addresses are published only when there are no temporary ones.
        let isGlobal: (NetworkPicture.Address) -> Bool = { !$0.value.isLinkLocalV6 }
        let temporary = v6.filter { $0.flags & Flag.temporary != 0 }
        let global = temporary.isEmpty ? v6.filter(isGlobal) : temporary.filter(isGlobal)
        let local = v6.filter { !isGlobal($0) }
        return Array(v4.prefix(4)) + (global + local).map(\.value).prefix(4)
    }
}

extension Endpoint.Address {
    /// Parses the address in a netlink attribute. A link-local address gets the index of its interface as scope.
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

    fileprivate var order: (UInt64, UInt64) {
        switch self {
        case .v4(let value): (0, UInt64(value))
        case .v6(let octets, _): (octets.high, octets.low)
        }
    }
}

extension Span<UInt8> {
    // Netlink numbers are in the machine's byte order. The callers have checked the length.
    fileprivate func u32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: UInt32(truncatingIfNeeded: bigEndian(at: offset, count: 4)))
    }

    fileprivate func u16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: UInt16(truncatingIfNeeded: bigEndian(at: offset, count: 2)))
    }

    /// Calls `body` with the type, the offset and the length of each route attribute.
    fileprivate func attributes(from start: Int, _ body: (_ type: UInt16, _ start: Int, _ count: Int) -> Void) {
        var offset = start
        while offset + 4 <= count {
            let length = Int(u16(at: offset))
            guard length >= 4, length <= count - offset else { return }
            body(u16(at: offset + 2) & 0x3fff, offset + 4, length - 4)
            offset += (length + 3) & ~3
        }
    }
}
