internal import InklingKeys
internal import InklingWire

extension Device {
    /// Milliseconds from one frame to the next, as BlueZ programs them unless it is told otherwise.
    static let interval = 1280.0

    /// Adds what is heard of the device over Bluetooth while it shows an epoch.
    func showByRadio(_ shown: Shown, after earlier: OwnValues?, in bundle: inout Bundle, using draws: inout Draws)
        throws
    {
        let own = try own(shown.epoch, over: .gatt)
        let kind = hasLinks ? "resolvable" : "non-resolvable"
        // The kernel draws an address for each set.
        let address = leaks.address ?? draws.bytes(6)
        // From the registration of a set to its first frame.
        let begin = shown.begin + 20 + 100 * draws.unit()
        let sender = "\(kind) \(Self.text(address, prefix: hasLinks ? 0x40 : 0))"
        let step = Self.interval + leaks.interval
        var start = begin
        if leaks.isOutOfStep, let earlier {
            bundle.add(
                "beacon", from: sender, from: begin, to: begin + 2000, every: step, frame(earlier, shown), using: &draws
            )
            start += 2000
        }
        bundle.add("beacon", from: sender, from: start, to: shown.end, every: step, frame(own, shown), using: &draws)
        guard hasLinks else { return }
        let service = try ServiceUUIDs([.full(.service)]).encoded()
        let second = "\(kind) \(Self.text(draws.bytes(6), prefix: 0x40))"
        bundle.add(
            "service", from: second, from: begin + 10 + 50 * draws.unit(), to: shown.end, every: step, service,
            using: &draws)
        // Any stranger can read the tag, which costs a connection.
        var tag: [UInt8] = []
        tag.append(own.tag.octets)
        if let prefix = leaks.prefix { tag.replaceSubrange(0..<2, with: [UInt8(prefix >> 8), UInt8(prefix & 255)]) }
        bundle.add("tag", at: begin + 1000 + 60_000 * draws.unit(), tag)
    }

    private func frame(_ own: OwnValues, _ shown: Shown) -> [UInt8] {
        var bytes = IBeacon(minor: own.minor, measuredPower: leaks.power ?? IBeacon.commonMeasuredPower).encoded()
        if leaks.isReversed { bytes = Array(bytes[3...] + bytes[..<3]) }
        if let counter = leaks.counter {
            bytes += [5, 0xff, 0xff, 0xff]
            bytes.append(u16: counter &+ UInt16(truncatingIfNeeded: shown.epoch.number) &* 3)
        }
        return bytes
    }

    private static func text(_ address: [UInt8], prefix: UInt8) -> String {
        var bytes = address
        bytes[0] = bytes[0] & 0x3f | prefix
        return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
