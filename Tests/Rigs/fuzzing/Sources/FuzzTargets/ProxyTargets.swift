internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire

// A target of its own where libFuzzer instruments it.
#if canImport(ESPHome)
    @testable internal import ESPHome
#else
    @testable internal import InklingLinux
#endif

extension FuzzTarget {
    /// What an ESPHome device says to a node that listens and has asked it to connect to another device.
    static let proxyTargets = [
        FuzzTarget("proxy-session") { input in
            var random = FixedGenerator()
            guard let address = DeviceAddress(0x4a0b_1c2d_3e4f),
                var session = try? ESPHomeSession(
                    ESPHomeSession.Settings(key: nil, connects: true), ephemeral: NoiseKeyPair(from: &random),
                    at: Tick(milliseconds: 0))
            else { return nil }
            listen(&session)
            _ = session.ask(.connect, of: address)
            var call = ESPHomeCall(.inkling)
            _ = call.begin()
            var (failures, ends) = (0, 0)
            var field: UInt32?
            for effect in session.receive(input.array, at: Tick(milliseconds: 1)) {
                switch effect {
                case .fail: failures += 1
                case .heard(let all): promise(all.count <= ESPHomeAdvertisement.limit, "few advertisements")
                case .replied(address, let reply):
                    if case .value(_, let bytes) = reply { field = bytes.span.field() }
                    for effect in call.take(reply) {
                        if case .found(let mtu) = effect {
                            promise(mtu <= 517, "an MTU that can be")
                            ends += (call.readTag() + call.write([1])).count { $0 == .ended }
                        }
                        if effect == .ended { ends += 1 }
                    }
                default: break
                }
            }
            promise(failures <= 1 && ends <= 1, "a session fails once, and a call ends once")
            return field
        }
    ]

    /// Takes a session without encryption to where it listens: hello, what the device is (2026.6.5, with every feature), and the
    /// state of its scanner.
    private static func listen(_ session: inout ESPHomeSession) {
        _ = session.begin()
        let messages: [[UInt8]] = [
            [0, 4, 2, 0x08, 1, 0x10, 14], [0, 12, 10, 0x22, 8] + Array("2026.6.5".utf8) + [0x78, 0x67],
            [0, 2, 126, 0x08, 2],
        ]
        for message in messages { _ = session.receive(message, at: Tick(milliseconds: 0)) }
    }

    /// Keys do not matter without encryption.
    private struct FixedGenerator: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0x0102_0304_0506_0708 }
    }
}
