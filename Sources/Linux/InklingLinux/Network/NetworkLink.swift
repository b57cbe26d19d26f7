internal import InklingKeys
internal import InklingWire

/// One link of this machine: the kernel's facts about it, and the addresses that may be published.
struct NetworkLink: Hashable {
    /// The kind of link.
    enum Kind: Hashable {
        /// A network card, or a device that the kernel presents as one.
        case hardware
        /// One end of a pair, as in containers and virtual machines.
        case virtual
        case bridge
        /// tun, WireGuard, dummy: the other end is not nearby.
        case remote
    }

    /// An address of the link. It is judged once, when it becomes usable; a published address is not withdrawn because
    /// its lifetime runs down, so that a router cannot make a node appear and disappear.
    struct Address: Hashable {
        let value: Endpoint.Address
        let prefixLength: UInt8
        let isTemporary: Bool
        /// Whether it may be published; `nil` while duplicate detection is running.
        let isFit: Bool?
    }

    /// The shortest lifetime of a published automatic IPv6 address, in seconds.
    static let shortestValidity: UInt32 = 600
    /// The largest number of published addresses per family: a receiver keeps eight endpoints.
    static let publishedLimit = 4

    var flags: UInt32 = 0
    var kind = Kind.hardware
    /// The bridge or other link that this link is part of.
    var master: UInt32?
    var hardwareAddress: [UInt8] = []
    /// The addresses, in order of appearance.
    var addresses: [Address] = []

    var isLoopback: Bool { flags & (Flag.loopback | Flag.up) == Flag.loopback | Flag.up }

    /// Whether nearby devices can be at the other end.
    var isOnNetwork: Bool {
        flags & (Flag.up | Flag.running | Flag.multicast) == Flag.up | Flag.running | Flag.multicast
            && flags & (Flag.loopback | Flag.pointToPoint) == 0 && master == nil && kind != .remote
    }

    /// Records a reported address.
    mutating func note(
        _ value: Endpoint.Address, prefixLength: UInt8, flags: UInt32, validSeconds: UInt32, limit: Int
    ) {
        let place = addresses.firstIndex { $0.value == value }
        if let place, addresses[place].isFit != nil { return }
        let isChecked = flags & Flag.tentative == 0 || flags & Flag.duplicate != 0
        let isShort = !value.isV4 && flags & Flag.permanent == 0 && validSeconds < Self.shortestValidity
        let isFit = flags & (Flag.duplicate | Flag.deprecated) == 0 && !isShort && !value.isFromHardwareAddress
        let address = Address(
            value: value, prefixLength: prefixLength, isTemporary: flags & Flag.temporary != 0,
            isFit: isChecked ? isFit : nil)
        if let place {
            addresses[place] = address
        } else if addresses.count < limit {
            addresses.append(address)
        }
    }

    /// The families in which the link has an address.
    var families: [AddressFamily] {
        AddressFamily.allCases.filter { family in addresses.contains { $0.value.isV4 == (family == .v4) } }
    }

    /// The prefixes on the link, in addition to link-local ones.
    var prefixes: [MDNSInterface.Prefix] { addresses.map { MDNSInterface.Prefix($0.value, length: $0.prefixLength) } }

    /// The addresses to publish: those that appeared first.
    var published: [Endpoint.Address] {
        let fit = addresses.filter { $0.isFit == true }
        let v4 = fit.filter(\.value.isV4).map(\.value)
        let v6 = fit.filter { !$0.value.isV4 }
        // A system with temporary addresses uses them; the permanent ones are not published.
        let global = v6.filter { !$0.value.isLinkLocal }
        let temporary = global.filter(\.isTemporary)
        let local = v6.filter(\.value.isLinkLocal)
        return Array(v4.prefix(Self.publishedLimit))
            + ((temporary.isEmpty ? global : temporary) + local).map(\.value).prefix(Self.publishedLimit)
    }
}

extension NetworkLink.Kind {
    /// Reads the attribute `IFLA_LINKINFO`; an unlisted kind counts as hardware.
    init(_ info: Span<UInt8>) {
        var kind = NetworkLink.Kind.hardware
        // IFLA_INFO_KIND: a zero-terminated text.
        info.attributes(from: 0) { type, start, count in
            guard type == 1 else { return }
            let text = String(
                decoding: (start..<start + min(count, 16)).map { info[$0] }.prefix { $0 != 0 }, as: UTF8.self)
            switch text {
            case "bridge": kind = .bridge
            case "veth": kind = .virtual
            case "tun", "wireguard", "dummy", "sit", "ip6tnl", "gre", "ipip", "vti", "xfrm": kind = .remote
            default: kind = .hardware
            }
        }
        self = kind
    }
}

extension Endpoint.Address {
    var isV4: Bool { if case .v4 = self { true } else { false } }

    /// Whether the address is in `fe80::/10`.
    var isLinkLocal: Bool {
        guard case .v6(let octets, _) = self else { return false }
        return octets.high >> 54 == 0xfe80 >> 6
    }

    /// Whether this IPv6 address reveals the hardware address: an EUI-64 identifier has ff:fe in its middle.
    var isFromHardwareAddress: Bool {
        guard case .v6(let octets, _) = self else { return false }
        return octets.low >> 24 & 0xffff == 0xfffe
    }
}

/// `IFF_…` of `<linux/if.h>` and `IFA_F_…` of `<linux/if_addr.h>`.
private enum Flag {
    static let up: UInt32 = 0x1, loopback: UInt32 = 0x8, pointToPoint: UInt32 = 0x10, running: UInt32 = 0x40
    static let multicast: UInt32 = 0x1000
    static let temporary: UInt32 = 0x1, duplicate: UInt32 = 0x8, deprecated: UInt32 = 0x20, tentative: UInt32 = 0x40
    static let permanent: UInt32 = 0x80
}
