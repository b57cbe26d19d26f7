#if Node
    import InklingKeys
    import InklingWire

    @testable import InklingLinux

    // The services of devices, as an ESPHome device reports them.

    private let profile = ApplicationProfile.inkling

    private func varint(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: number)
        return bytes
    }

    /// A field with bytes.
    func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        var all: [UInt8] = []
        all.append(field: number, bytes)
        return all
    }

    func field(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        var all: [UInt8] = []
        all.append(field: number, value)
        return all
    }

    /// A UUID in one field, as newer implementations write it, or in two.
    func uuid(_ uuid: UUID128, isPacked: Bool) -> [UInt8] {
        let parts = [uuid.octets.high, uuid.octets.low]
        return isPacked ? field(1, parts.flatMap(varint)) : parts.flatMap { field(1, $0) }
    }

    func characteristic(
        _ id: UUID128, _ handle: UInt64, _ properties: UInt64, descriptor: [UInt8]? = nil, isPacked: Bool = true
    ) -> [UInt8] {
        uuid(id, isPacked: isPacked) + field(2, handle) + field(3, properties)
            + (descriptor.map { field(4, $0) } ?? [])
    }

    /// The service of Inkling, as a device reports it.
    func service(
        tag: UInt64 = 2, input: UInt64 = 4, output: UInt64 = 16, descriptor: [UInt8]? = field(2, 17) + field(3, 0x2902),
        isPacked: Bool = true
    ) -> [UInt8] {
        let characteristics = [
            characteristic(profile.tag, 11, tag, isPacked: isPacked),
            characteristic(profile.input, 13, input, isPacked: isPacked),
            characteristic(profile.output, 15, output, descriptor: descriptor, isPacked: isPacked),
        ]
        return uuid(profile.service, isPacked: isPacked) + field(2, 10)
            + characteristics.flatMap { field(3, $0) }
    }
#endif
