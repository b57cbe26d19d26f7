#if Node
    import Glibc
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let profile = ApplicationProfile.inkling

    private func told(_ services: [UInt8]...) throws -> ESPHomeReply {
        let body = field(1, 0x4a0b_1c2d_3e4f) + services.flatMap { field(2, $0) }
        let (address, reply) = try ESPHomeReply.parse(71, body)
        #expect(address.value == 0x4a0b_1c2d_3e4f)
        return reply
    }

    /// A call that has found the service.
    private func openCall() throws -> ESPHomeCall {
        var call = ESPHomeCall(profile)
        var effects = call.begin()
        effects += call.take(.connected(mtu: 247))
        effects += call.take(try told(service()))
        effects += call.take(.servicesEnd)
        #expect(effects == [.ask(.connect), .ask(.services), .found(mtu: 247)])
        return call
    }

    @Suite struct ESPHomeCallTests {
        /// Covers INK-ANT-038.
        @Test(arguments: [true, false])
        func `a device is connected, its service found, its tag read, and what is written waits for notifications`(
            isPacked: Bool
        ) throws {
            var call = ESPHomeCall(profile)
            var effects = call.begin()
            effects += call.take(.connected(mtu: 4000))
            effects += call.take(try told(field(2, 1) + field(4, 0x1800), service(isPacked: isPacked)))
            effects += call.take(.servicesEnd)
            effects += call.readTag()
            effects += call.take(.value(11, Array(0..<16)))
            effects += call.write([1, 2, 3])
            effects += call.take(.subscribed(15))
            effects += call.take(.written(17))
            effects += call.take(.notified(15, [4, 5]))
            effects += call.write([6])
            effects += call.leave()
            effects += call.take(.notified(15, [4, 5]))
            effects += call.take(.disconnected)
            effects += call.take(.disconnected)
            let tag = RecognitionTag(Octets16(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f))
            #expect(
                effects == [
                    .ask(.connect), .ask(.services), .found(mtu: 517), .ask(.read(11)), .tag(tag), .ask(.subscribe(15)),
                    .ask(.writeDescriptor(17, [1, 0])), .ask(.write(13, [1, 2, 3])), .fragment([4, 5]),
                    .ask(.write(13, [6])), .ask(.disconnect), .ended,
                ])
        }

        /// Covers INK-ANT-038.
        @Test func `a device that does not serve Inkling in full is left`() throws {
            let services: [[[UInt8]]] = [
                [], [service(tag: 0)], [service(input: 8)], [service(output: 32)], [service(descriptor: nil)],
                [service(descriptor: field(2, 17) + field(3, 0x2901))], [service(), service()],
                [uuid(profile.service, isPacked: true)],
                [uuid(profile.service, isPacked: true) + field(3, characteristic(profile.tag, 11, 2))],
            ]
            for some in services {
                var call = ESPHomeCall(profile)
                _ = call.begin()
                _ = call.take(.connected(mtu: 23))
                // Each in a message of its own.
                for one in some { _ = call.take(try told(one)) }
                let effects = call.take(.servicesEnd)
                #expect(effects == [.failed(.unreachable(code: EPROTONOSUPPORT)), .ask(.disconnect)], "\(some.count)")
                let ended = call.take(.disconnected)
                #expect(ended == [.ended])
            }
        }

        @Test func `a device that cannot be reached, or is lost, ends the call`() throws {
            for steps in 0...1 {
                var call = ESPHomeCall(profile)
                _ = call.begin()
                if steps > 0 { _ = call.take(.connected(mtu: 23)) }
                let effects = call.take(.disconnected)
                #expect(effects == [.failed(.unreachable(code: EHOSTUNREACH)), .ended])
            }
            var call = try openCall()
            let lost = call.take(.disconnected)
            #expect(lost == [.ended])
            let late = call.write([1]) + call.readTag() + call.leave() + call.end()
            #expect(late == [.writeFailed, .tag(nil)])
        }

        @Test func `a refused tag is none, a wrong one is none, and a refused write fails`() throws {
            var call = try openCall()
            var effects = call.readTag()
            effects += call.take(.failed(11))
            effects += call.readTag()
            effects += call.take(.value(11, [1, 2, 3]))
            effects += call.take(.value(11, Array(0..<16)))
            effects += call.write([1])
            effects += call.write([2])
            effects += call.take(.failed(15))
            #expect(
                effects == [
                    .ask(.read(11)), .tag(nil), .ask(.read(11)), .tag(nil), .ask(.subscribe(15)), .writeFailed,
                    .writeFailed,
                ])
        }

        /// Covers INK-ANT-034, INK-ANT-038.
        @Test func `no reply whatever makes a call do more than end`() throws {
            for seed: UInt64 in 0..<500 {
                var random = SeededGenerator(seed: seed)
                var call = ESPHomeCall(profile)
                _ = call.begin()
                var ended = 0
                for _ in 0..<40 {
                    let type = ESPHomeReply.types.sorted()[Int(random.next() % UInt64(ESPHomeReply.types.count))]
                    var body = random.next() % 4 == 0 ? [] : field(1, 0x4a0b_1c2d_3e4f)
                    body += random.next() % 2 == 0 ? field(2, service()) : field(2, 10 + random.next() % 8)
                    for _ in 0..<random.next() % 3 {
                        body[Int(random.next() % UInt64(body.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                    guard let (_, reply) = try? ESPHomeReply.parse(type, body) else { continue }
                    var effects = call.take(reply)
                    if random.next() % 4 == 0 { effects += call.write([1]) + call.readTag() }
                    ended += effects.count { $0 == .ended }
                }
                ended += call.end().count
                #expect(ended == 1)
            }
        }

        @Test func `requests have the bytes of the protocol`() throws {
            let address = try #require(DeviceAddress(0x0102))
            let requests: [(ESPHomeRequest, UInt16, String)] = [
                (.connect, 68, "088202 1005 1801 2001"), (.disconnect, 68, "088202 1001"), (.services, 70, "088202"),
                (.read(11), 73, "088202 100b"), (.write(13, [1, 2]), 75, "088202 100d 22020102"),
                (.writeDescriptor(17, [1, 0]), 77, "088202 1011 1a020100"), (.subscribe(15), 78, "088202 100f 1801"),
            ]
            for (request, type, text) in requests {
                let encoded = request.encoded(for: address)
                let digits = encoded.body.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                #expect(encoded.type == type && digits == text.replacing(" ", with: ""), "\(request)")
            }
        }
    }
#endif
