internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on offered links (`Specs/hand-over.md`).
let handOverOperations: [ShimOperation] = [
    ShimOperation(
        "offer-encode",
        [
            number,
            .list(
                "addresses", of: .object([.u8("transport"), .bytes("address", 16), .u16("port")]), from: 1,
                limit: TransportOffer.addressLimit),
        ]
    ) { arguments throws(ShimRefusal) in
        guard
            let offer = TransportOffer(
                try arguments.offerNumber(), addresses: arguments.objects("addresses").map(\.offered))
        else { throw .arguments("wrong-length") }
        return ["body": offer.record.withBody { .hex($0) }]
    },
    ShimOperation("offer-decode", [.bytes("body")]) { arguments throws(ShimRefusal) in
        let body = arguments.bytes("body")
        let offer = try refusing { () throws(OfferError) in try TransportOffer(parsing: body.span) }
        return [
            "number": .integer(offer.number.value),
            "addresses": .list(
                offer.addresses.map { address in
                    .object([
                        "transport": .integer(address.transport), "address": .hex(address.address),
                        "port": .integer(address.port),
                    ])
                }),
        ]
    },
    ShimOperation(
        "offer-address", [.u8("transport"), .bytes("address", 16), .u16("port"), .prefixes]
    ) { arguments throws(ShimRefusal) in
        let interface = MDNSInterface(index: 1, families: [], published: [], prefixes: arguments.prefixes)
        let endpoint = try refusing { () throws(OfferError) in try arguments.offered.callable(through: interface) }
        guard case .v6(_, let scope) = endpoint.address else { return ["withInterface": .flag(false)] }
        return ["withInterface": .flag(scope != 0)]
    },
    ShimOperation("offer-keys", sessionKeys + [.transport, number]) { arguments throws(ShimRefusal) in
        let keys = arguments.exporter().offerKeys(try arguments.offerNumber(), over: try arguments.transport())
        return [
            "gateKey": .hex(keys.gateKey.value), "psk": .hex(keys.preSharedKey.value),
            "identifier": .hex(keys.identifier),
        ]
    },
]

private let number = ShimParameter.integer("number", in: 1...4)

extension ShimArguments {
    fileprivate func offerNumber() throws(ShimRefusal) -> TransportOffer.Number {
        guard let number = TransportOffer.Number(u8("number")) else { throw .arguments("out-of-range") }
        return number
    }

    /// The offered address described by the arguments.
    fileprivate var offered: TransportOffer.Address {
        TransportOffer.Address(transport: u8("transport"), address: octets16("address"), port: u16("port"))
    }
}
