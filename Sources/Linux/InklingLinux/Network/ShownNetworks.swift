internal import InklingKeys
internal import InklingWire

/// On which interfaces the name of an epoch is shown: on one network in an epoch (`Specs/mdns.md`).
///
/// An interface that changes its hardware address, or comes back with other prefixes, is on another network as far as
/// anyone can tell: until the next epoch it is listened and asked on, and nothing is shown there. Addresses that come and
/// go while the hardware address stays change nothing. The first network that appears after a start without one is no other
/// network, since nobody has seen the name.
struct ShownNetworks {
    fileprivate struct Place {
        let hardwareAddress: [UInt8]
        /// Every prefix that the interface had since it was shown there.
        var prefixes: Set<MDNSInterface.Prefix>
        var isUp: Bool
        /// Whether nobody outside this machine can see what is shown there.
        let isLoopback: Bool
    }

    private var name: OpaqueServiceName?
    private var places: [UInt32: Place] = [:]
    /// Whether there has been an address that can be shown.
    private var couldShow = false
    /// Interfaces that are hidden until another name is shown.
    private(set) var hidden: Set<UInt32> = []

    /// A name is shown from now on; another one begins with every interface.
    mutating func show(_ name: OpaqueServiceName?, on picture: NetworkPicture) {
        guard name == nil || name != self.name else {
            update(picture)
            return
        }
        self.name = name
        places = [:]
        hidden = []
        let links = picture.multicastLinks
        for (index, link) in links { places[index] = Place(link) }
        couldShow = couldShow || links.contains { !$0.link.published.isEmpty }
    }

    /// Takes the network as it is now, and returns whether that is a boundary: an interface has come to another network,
    /// or there is an address to show for the first time. A network that was gone for a while and is back is none.
    @discardableResult
    mutating func update(_ picture: NetworkPicture) -> Bool {
        let links = picture.multicastLinks
        let canShow = links.contains { !$0.link.published.isEmpty }
        var isBoundary = canShow && !couldShow
        couldShow = couldShow || canShow
        let wasShown = places.values.contains { !$0.isLoopback }
        let present = Set(links.map(\.index))
        for index in places.keys where !present.contains(index) { places[index]?.isUp = false }
        for (index, link) in links {
            guard var place = places[index] else {
                // A further interface of the same network is no other network.
                let isKnown = places.values.contains { !$0.prefixes.isDisjoint(with: link.networkPrefixes) }
                if wasShown, !isKnown { hidden.insert(index) }
                if !wasShown, !link.isLoopback { isBoundary = true }
                places[index] = Place(link)
                continue
            }
            let networks = link.networkPrefixes
            // One that has come back is known by its prefixes, which arrive a moment after it.
            if !place.isUp, networks.isEmpty, !place.prefixes.isEmpty { continue }
            let isElsewhere = !place.isUp && !place.prefixes.isEmpty && place.prefixes.isDisjoint(with: networks)
            if place.hardwareAddress != link.hardwareAddress || isElsewhere {
                isBoundary = true
                hidden.insert(index)
                places[index] = Place(link)
            } else {
                place.isUp = true
                place.prefixes.formUnion(networks)
                places[index] = place
            }
        }
        return isBoundary
    }

    /// The interfaces for the machine.
    func interfaces(of picture: NetworkPicture) -> [MDNSInterface] {
        picture.multicastLinks.map { index, link in
            MDNSInterface(
                index: index, families: link.families, published: link.published, prefixes: link.prefixes,
                isLoopback: link.isLoopback, isShown: !hidden.contains(index) && places[index]?.isUp == true)
        }
    }
}

extension ShownNetworks.Place {
    fileprivate init(_ link: NetworkLink) {
        self.init(
            hardwareAddress: link.hardwareAddress, prefixes: link.networkPrefixes, isUp: true,
            isLoopback: link.isLoopback)
    }
}

extension NetworkLink {
    /// The prefixes of its network, without link-local ones: those are the same everywhere.
    fileprivate var networkPrefixes: Set<MDNSInterface.Prefix> {
        Set(prefixes.filter { !$0.address.isLinkLocal && !$0.isLinkLocalV4 }.map(\.network))
    }
}

extension MDNSInterface.Prefix {
    /// The prefix with the bits behind it cleared, so that two addresses of one network are equal.
    fileprivate var network: MDNSInterface.Prefix {
        switch address {
        case .v4(let value):
            MDNSInterface.Prefix(.v4(length >= 32 ? value : value & ~(UInt32.max >> UInt32(length))), length: length)
        case .v6(let octets, _):
            MDNSInterface.Prefix(
                .v6(
                    Octets16(
                        high: length >= 64 ? octets.high : octets.high & ~(UInt64.max >> UInt64(length)),
                        low: length <= 64
                            ? 0 : length >= 128 ? octets.low : octets.low & ~(UInt64.max >> UInt64(length - 64))),
                    scope: 0), length: length)
        }
    }

    fileprivate var isLinkLocalV4: Bool {
        guard case .v4(let value) = address else { return false }
        return value >> 16 == 0xa9fe
    }
}
