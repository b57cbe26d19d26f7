#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let start = Tick(milliseconds: 1_000_000)

    private func later(_ seconds: UInt64) -> Tick { start.advanced(byMilliseconds: seconds * 1000) }

    private func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(copying: bytes.span) }

    private func session(
        key: [UInt8]? = nil, name: String? = nil, isExclusive: Bool = false, connects: Bool = false,
        isTrial: Bool = false
    ) throws -> ESPHomeSession {
        try ESPHomeSession(
            ESPHomeSession.Settings(
                key: key.map { SecretBox(secret($0)) }, name: name, isExclusive: isExclusive,
                connects: connects, isTrial: isTrial),
            ephemeral: try ephemeral(), at: start)
    }

    private func ephemeral() throws -> NoiseKeyPair {
        guard let pair = NoiseKeyPair(privateKey: secret([UInt8](repeating: 0x11, count: 32))) else {
            throw ESPHomeError.wrongKey
        }
        return pair
    }

    private func plain(_ type: UInt8, _ body: String = "") -> [UInt8] {
        [0, UInt8(hex(body).count)] + (type < 128 ? [type] : [type, 1]) + hex(body)
    }

    private let hello = plain(2, "0801100e1a08323032362e362e352209616e74656e6e612d31")
    /// A device with firmware 2026.6.5 and the features 1, 32 and 64.
    private let device = plain(10, "2208323032362e362e357861")
    private let state = plain(126, "0802")
    private let beacon = ApplicationProfile.inkling.beacon(BeaconMinor(7)).encoded()
    private let beaconText = beacon.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    private let advertisement = plain(93, "0a2c08cffcb4e1b1c11210791801221e" + beaconText)

    @Suite struct ESPHomeTests {
        /// The transcript was made by noiseprotocol, with the key 00…1f and the ephemeral keys 11… and 22….
        @Test func `the handshake and the first messages are those of another implementation`() throws {
            var one = try session(key: Array(0..<32), name: "antenna-1")
            let first = hex(
                "7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13d1bc1a38b6793685dc7e2ffdf8ea0933")
            let begun = one.begin()
            #expect(begun == [.send([1, 0, 0, 1, 0, 49, 0] + first)])
            let named = one.receive(
                [1, 0, 24, 1] + Array("antenna-1\0".utf8) + Array("0a1b2c3d4e5f\0".utf8), at: start)
            #expect(named.isEmpty)
            let second = hex(
                "0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207336b95933b321b1ae86673f689f5c9f")
            var cipher = try ESPHomeCipher(
                key: SecretBox(secret(Array(0..<32))),
                ephemeral: try ephemeral())
            let message = try cipher.first()
            #expect(message == first)
            try cipher.finish(second.span)
            let sealed = try cipher.seal(.helloRequest(client: "inkling test"))
            #expect(
                sealed == hex("082c88c6475bdc3153fbf3eb2754d371629a3e629390adb13a99955833fb076d70dd2e4ce350"))
            let reply = hex(
                "d9483bed8f149b1ceb2b25f758f0e41a55296c4b978eb56dded5da60ba1f8e09e6375a5c3e29f053d5d1a3dde3")
            let (type, body) = try cipher.open(reply.span)
            #expect(try ESPHomeMessage(type, body) == .hello(major: 1, minor: 14, name: "antenna-1"))
            // The session continues with a hello of its own.
            let answered = one.receive([1, 0, 49, 0] + second, at: start)
            #expect(answered.count == 1)
            let asked = one.receive([1, 0, UInt8(reply.count)] + reply, at: start)
            #expect(asked.count == 1)
        }

        /// Covers INK-ANT-030.
        @Test(arguments: [
            (
                [1, 0, 3, 1, 0x61, 0] as [UInt8], [1, 0, 22, 1] + Array("Handshake MAC failure".utf8),
                AntennaError.wrongKey
            ),
            ([1, 0, 3, 1, 0x61, 0], [1, 0, 49, 0] + [UInt8](repeating: 9, count: 48), .wrongKey),
            ([1, 0, 3, 1, 0x61, 0], [1, 0, 12, 1] + Array("Bad message".utf8), .badMessage),
            ([0, 0, 0], [], .onlyPlaintext), ([1, 0, 1, 2], [], .badMessage), ([2], [], .badMessage),
            ([1, 2, 0], [], .badMessage),
        ])
        func `a handshake that fails ends with its reason`(
            first: [UInt8], second: [UInt8], error: AntennaError
        ) throws {
            var one = try session(key: Array(0..<32))
            _ = one.begin()
            var effects = one.receive(first, at: start)
            effects += one.receive(second, at: start)
            #expect(effects == [.fail(error)])
            let rest = one.receive(first, at: start)
            #expect(rest.isEmpty)
        }

        /// Covers INK-ANT-031, INK-ANT-033.
        @Test func `a session asks what the device is, subscribes, and hears`() throws {
            var one = try session()
            var effects = one.begin()
            for bytes in [hello, device, state, advertisement, plain(7), plain(200, "08")] {
                // Byte by byte, as a network may deliver it.
                for byte in bytes { effects += one.receive([byte], at: start) }
            }
            var heard = try ESPHomeAdvertisement(parsing: [], in: 0..<0)
            heard.address = DeviceAddress(0x4a0b_1c2d_3e4f)
            (heard.rssi, heard.addressType, heard.data) = (-61, 1, beacon)
            #expect(
                effects == [
                    .send(ESPHomeFrames.plain(.helloRequest(client: "inkling"))), .send(plain(9)),
                    .send(plain(66, "0801")), .listening, .heard([heard]), .send(plain(8)),
                ])
        }

        /// Covers INK-ANT-004, INK-ANT-031, INK-ANT-038.
        @Test func `a device is asked to connect when its user says so, and a ping follows each value`() throws {
            let address = try #require(DeviceAddress(0x0102))
            for connects in [false, true] {
                var one = try session(connects: connects)
                var effects = one.begin()
                let early = one.ask(.connect, of: address)
                // With the features 2 and 4 too.
                for bytes in [hello, plain(10, "2208323032362e362e357867"), state] {
                    effects += one.receive(bytes, at: start)
                }
                #expect(early.isEmpty && effects.last == .listening)
                let asked = one.ask(.connect, of: address)
                let written = one.ask(.write(13, [7]), of: address)
                let pong = one.receive(plain(8), at: start) + one.receive(plain(8), at: start)
                let told = one.receive(plain(69, "08820210011817"), at: start)
                guard connects else {
                    #expect((asked + written + pong).isEmpty)
                    continue
                }
                #expect(asked == [.send(plain(68, "088202" + "100518012001"))])
                #expect(written == [.send(plain(75, "088202100d220107")), .send(plain(7))])
                #expect(pong == [.written(address)])
                #expect(told == [.replied(address, .connected(mtu: 23))])
            }
            var one = try session(connects: true)
            _ = one.begin()
            _ = one.receive(hello, at: start)
            let refused = one.receive(device, at: start)
            #expect(refused == [.fail(.noConnections)])
        }

        @Test func `a trial leaves with goodbye before it subscribes`() throws {
            var one = try session(isTrial: true)
            var effects = one.begin()
            for bytes in [hello, device, state, advertisement] { effects += one.receive(bytes, at: start) }
            #expect(
                effects == [
                    .send(ESPHomeFrames.plain(.helloRequest(client: "inkling"))), .send(plain(9)), .send(plain(5)),
                    .agreed,
                ])
            let late = one.timePassed(at: later(1000))
            #expect(late.isEmpty)
        }

        /// Covers INK-ANT-032.
        @Test func `a device that would leave another for us is asked only when it is ours`() throws {
            let newer = plain(10, "2208323032362e372e307861")
            for (isExclusive, expected) in [
                (false, ESPHomeSession.Effect.fail(.mayBeTaken)), (true, .send(plain(66, "0801"))),
            ] {
                var one = try session(isExclusive: isExclusive)
                _ = one.begin()
                _ = one.receive(hello, at: start)
                let effects = one.receive(newer, at: start)
                #expect(effects == [expected])
            }
            var nameless = try ESPHomeDevice(parsing: [])
            for (version, gives) in [
                ("2026.6.5", false), ("2023.12.1", false), ("2026.7.0-dev", true), ("2027.1.0", true), ("", true),
                ("x.y", true),
            ] {
                nameless.version = version
                #expect(nameless.givesToNewest == gives, "\(version)")
            }
        }

        /// Covers INK-ANT-031, INK-ANT-032.
        @Test func `a device that is no proxy, that is silent, or that another has, fails with its reason`() throws {
            func end(_ inputs: [[UInt8]], name: String? = nil) throws -> ESPHomeSession.Effect? {
                var one = try session(name: name)
                var effects = one.begin()
                for bytes in inputs { effects += one.receive(bytes, at: start) }
                for second: UInt64 in [5, 10] { effects += one.timePassed(at: later(second)) }
                return effects.last
            }
            #expect(try end([]) == .fail(.timedOut))
            #expect(try end([hello, plain(10, "2208323032362e362e357801")]) == .fail(.noProxy))
            #expect(try end([hello, device]) == .fail(.taken))
            #expect(try end([hello, device, state, plain(5)]) == .fail(.closed))
            #expect(try end([hello], name: "attic") == .fail(.anotherName))
            #expect(try end([hello, device, state, plain(93, "0a0512")]) == .fail(.badMessage))
            #expect(try end([hello, device, state]) == .listening)
        }

        /// Covers INK-ANT-033.
        @Test func `a silent device gets a ping after a minute, and is given up after two and a half`() throws {
            var one = try session()
            _ = one.begin()
            for bytes in [hello, device, state] { _ = one.receive(bytes, at: start) }
            var told: [UInt64: [ESPHomeSession.Effect]] = [:]
            for second in stride(from: UInt64(5), through: 200, by: 5) {
                let effects = one.timePassed(at: later(second))
                if !effects.isEmpty { told[second] = effects }
            }
            #expect(told == [60: [.send(plain(7))], 120: [.send(plain(7))], 150: [.fail(.timedOut)]])
        }

        /// Covers INK-ANT-035.
        @Test func `the wait before a connection doubles up to five minutes, until one has lasted for a minute`() {
            var wait = ESPHomeWait()
            let failing = (0..<8).map { _ in wait.next(after: 59_999) }
            #expect(failing == [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
            let lasting = [wait.next(after: 60_000), wait.next(after: 0)]
            #expect(lasting == [5000, 10_000])
        }

        @Test func `goodbye is said to a device that listens`() throws {
            var one = try session()
            _ = one.begin()
            for bytes in [hello, device, state] { _ = one.receive(bytes, at: start) }
            let effects = one.leave()
            #expect(effects == [.send(plain(87)), .send(plain(5))])
        }

        /// Covers INK-ANT-034.
        @Test(arguments: [
            "0a", "0aff", "0a02", "00", "0b", "0a020a01", "0affffffffffffffffff7f", "0a0b08ffffffffffffffffff7f",
            "0a08088080808080808001", "0a0322ff01", "0a021201" + "22", "08",
        ])
        func `a message with a fault is refused as a whole`(body: String) {
            #expect(throws: ESPHomeError.badMessage) { try ESPHomeMessage(93, hex(body)) }
        }

        /// Covers INK-ANT-034.
        @Test func `advertisements and fields of one message are bounded`() throws {
            let one = hex("0a00")
            let most = [[UInt8]](repeating: one, count: ESPHomeAdvertisement.limit).flatMap(\.self)
            guard case .advertisements(let all) = try ESPHomeMessage(93, most) else {
                Issue.record("no advertisements")
                return
            }
            #expect(all.count == ESPHomeAdvertisement.limit)
            #expect(throws: ESPHomeError.badMessage) { try ESPHomeMessage(93, most + one) }
            let fields = [[UInt8]](repeating: hex("1000"), count: FieldReader.limit + 1).flatMap(\.self)
            #expect(throws: ESPHomeError.badMessage) { try ESPHomeMessage(93, fields) }
        }

        /// Covers INK-ANT-034.
        @Test func `no bytes whatever make a session do more than fail`() throws {
            for seed: UInt64 in 0..<300 {
                var random = SeededGenerator(seed: seed)
                var one = try session(key: seed % 2 == 0 ? Array(0..<32) : nil)
                _ = one.begin()
                var input = seed % 2 == 0 ? [1, 0, 3, 1, 0x61, 0] : hello + device + state + advertisement
                for _ in 0..<4 {
                    input[Int(random.next() % UInt64(input.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                for _ in 0..<64 { input.append(UInt8(truncatingIfNeeded: random.next())) }
                let effects = one.receive(input, at: start)
                #expect(effects.count { if case .fail = $0 { true } else { false } } <= 1)
            }
        }

        @Test func `a key is read in base64, and nothing else is`() throws {
            func key(_ text: String) -> [UInt8]? {
                guard let key = ESPHomeKey.parse(Array(text.utf8).span) else { return nil }
                var bytes: [UInt8] = []
                key.withBytes { bytes.append($0) }
                return bytes
            }
            #expect(key("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n") == Array(0..<32))
            #expect(key("//////////////////////////////////////////8=") == [UInt8](repeating: 255, count: 32))
            #expect(key("+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/8=")?.count == 32)
            for wrong in [
                "", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdH-8=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHhAA",
                "=AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            ] {
                #expect(key(wrong) == nil, "\(wrong)")
            }
        }
    }
#endif
