internal import InklingKeys
internal import InklingWire

/// The interfaces on which an epoch's name is shown: one network per epoch (`Specs/mdns.md`).
///
/// An interface that changes its hardware address or returns with other prefixes counts as another network: until the
/// next epoch it listens and asks there but shows nothing. Addresses may come and go while the hardware address stays.
/// The first network to appear after a start without one does not count, since nobody has seen the name.
struct ShownNetworks {
    fileprivate struct Place {
        let hardwareAddress: [UInt8]
        /// Every prefix that the interface has had since the name was shown there.
        var prefixes: Set<MDNSInterface.Prefix>
        var isUp: Bool
        /// Whether the interface is visible to this machine only.
        let isLoopback: Bool
    }

    private var name: OpaqueServiceName?
    private var places: [UInt32: Place] = [:]
    /// Whether there has ever been an address to publish.
    private var couldShow = false
    /// The interfaces that stay hidden until another name is shown.
    private(set) var hidden: Set<UInt32> = []

    /// Shows a name from now on; a new name starts over with all interfaces.
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

    /// Updates the networks and returns whether this is a boundary: an interface has moved to another network, or there
    /// is an address to publish for the first time. A network that returns is not a boundary.
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
                // Another interface on the same network does not count as a new network.
                let isKnown = places.values.contains { !$0.prefixes.isDisjoint(with: link.networkPrefixes) }
                if wasShown, !isKnown { hidden.insert(index) }
                if !wasShown, !link.isLoopback { isBoundary = true }
                places[index] = Place(link)
                continue
            }
            let networks = link.networkPrefixes
            // A returning interface is recognized by its prefixes, which arrive a moment later.
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

    /// Returns the interfaces for the machine.
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
    /// The prefixes of the link's network, except link-local ones, which are the same everywhere.
    fileprivate var networkPrefixes: Set<MDNSInterface.Prefix> {
        Set(prefixes.filter { !$0.address.isLinkLocal && !$0.isLinkLocalV4 }.map(\.network))
    }
}

extension MDNSInterface.Prefix {
    /// The prefix with its host bits cleared, so that two addresses of one network compare equal.
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
