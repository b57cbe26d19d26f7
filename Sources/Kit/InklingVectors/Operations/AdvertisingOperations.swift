internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on advertising data (`Specs/advertising.md`).
let advertisingOperations: [ShimOperation] = [
    ShimOperation("uuid", [.text("name")]) { arguments in
        ["uuid": .hex(UUID128(named: arguments.text("name")).octets)]
    },
    ShimOperation("ad-structures", [.bytes("advertisingData")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("advertisingData")
        let structures = try refusing { () throws(AdvertisingError) in try ADStructure.list(parsing: bytes.span) }
        return [
            "structures": .list(
                structures.map { structure in
                    .object(["type": .integer(structure.type), "data": .hex(structure.data.span)])
                })
        ]
    },
    ShimOperation(
        "ibeacon-encode",
        [.bytes("uuid", 16), .u16("major"), .u16("minor"), .integer("measuredPower", in: -128...127)]
    ) { arguments in
        let beacon = IBeacon(
            proximity: UUID128(arguments.octets16("uuid")), major: arguments.u16("major"),
            minor: BeaconMinor(arguments.u16("minor")),
            measuredPower: Int8(truncatingIfNeeded: arguments.integer("measuredPower")))
        return ["advertisingData": .hex(beacon.encoded().span)]
    },
    ShimOperation("ibeacon-decode", [.bytes("advertisingData")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("advertisingData")
        let beacon = try refusing { () throws(AdvertisingError) in try IBeacon(parsing: bytes.span) }
        return [
            "uuid": .hex(beacon.proximity.octets), "major": .integer(beacon.major),
            "minor": .integer(beacon.minor.value), "measuredPower": .integer(beacon.measuredPower),
        ]
    },
    ShimOperation(
        "service-uuids-encode", [.list("uuids", of: .bytesOf([2, 16]))]
    ) { arguments throws(ShimRefusal) in
        let uuids = arguments.bytesList("uuids").compactMap { bytes in
            UUID128(bytes.span).map(ServiceUUID.full)
                ?? .short(UInt16(truncatingIfNeeded: bytes.span.bigEndian(at: 0, count: 2)))
        }
        let data = try refusing { () throws(AdvertisingError) in try ServiceUUIDs(uuids).encoded() }
        return ["advertisingData": .hex(data.span)]
    },
    ShimOperation("service-uuids-decode", [.bytes("advertisingData")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("advertisingData")
        let lists = try refusing { () throws(AdvertisingError) in try ServiceUUIDs(parsing: bytes.span) }
        return [
            "uuids": .list(
                lists.uuids.map { uuid in
                    switch uuid {
                    case .short(let number):
                        var bytes: [UInt8] = []
                        bytes.append(u16: number)
                        return .hex(bytes.span)
                    case .full(let uuid): return .hex(uuid.octets)
                    }
                })
        ]
    },
    ShimOperation("overflow-bit", [.bytes("uuid", 16)]) { arguments in
        let bit = OverflowBit(of: UUID128(arguments.octets16("uuid")))
        return ["hash": .integer(bit.hash), "byte": .integer(bit.byte), "mask": .integer(bit.mask)]
    },
    ShimOperation(
        "overflow-match", [.bytes("advertisingData"), .bytes("uuid", 16)]
    ) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("advertisingData")
        let isPresent = try refusing { () throws(AdvertisingError) in
            try OverflowArea.matches(UUID128(arguments.octets16("uuid")), parsing: bytes.span)
        }
        return ["present": .flag(isPresent)]
    },
]
