internal import InklingKeys
internal import InklingWire

extension FuzzTarget {
    static let advertisingTargets = [
        FuzzTarget("ad-structures") { input in
            guard let structures = try? ADStructure.list(parsing: input) else { return nil }
            promise(structures.reduce(0) { $0 + $1.data.count + 2 } <= input.count, "no byte is read twice")
            guard structures.count >= 2 else { return 0 }
            return structures[1].data.field()
        },

        FuzzTarget("ibeacon") { input in
            guard let beacon = try? IBeacon(parsing: input) else { return nil }
            promise((try? IBeacon(parsing: beacon.encoded().span)) == beacon, "what is sent reads the same")
            return UInt32(beacon.minor.value)
        },

        FuzzTarget("overflow") { input in
            guard let areas = try? OverflowArea.list(parsing: input) else { return nil }
            let matches = try? OverflowArea.matches(.service, parsing: input)
            promise(matches == areas.contains { $0.contains(OverflowBit(of: .service)) }, "one answer")
            return areas.last.map { UInt32(truncatingIfNeeded: $0.octets.low & 0xffff) }
        },

        FuzzTarget("service-uuids") { input in
            guard let list = try? ServiceUUIDs(parsing: input) else { return nil }
            if let encoded = try? list.encoded() {
                // The encoder writes short UUIDs first.
                let again = (try? ServiceUUIDs(parsing: encoded.span))?.uuids ?? []
                promise(Set(again) == Set(list.uuids) && again.count == list.uuids.count, "none is lost")
            }
            return list.uuids.last.map { UInt32(truncatingIfNeeded: $0.expanded.octets.high >> 32 & 0xffff) }
        },

        FuzzTarget("nan-frame") { input in
            guard let frame = try? WiFiAwareFrame(parsing: input) else { return nil }
            promise(frame.attributes.reduce(6) { $0 + $1.content.count + 3 } == input.count, "every byte is read once")
            guard let name = try? WiFiAwareFrame.name(parsing: input) else { return nil }
            let sent = WiFiAwareFrame.publishing(name)
            promise((try? WiFiAwareFrame.name(parsing: sent.span)) == name, "what is sent reads the same")
            return UInt32(truncatingIfNeeded: name.octets.low & 0xffff)
        },

        FuzzTarget("nan-service-descriptor") { input in
            guard let descriptor = try? WiFiAwareServiceDescriptor(parsing: input) else { return nil }
            if descriptor.instance != 0 {
                promise((try? descriptor.encoded()) == input.array, "there is one form only")
            }
            return descriptor.serviceInfo.map { $0.field() }
        },
    ]
}
