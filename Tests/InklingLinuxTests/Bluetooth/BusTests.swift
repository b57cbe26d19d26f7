#if Node
    import Glibc
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let name = "test.Service"
    private let path = "/test/object"
    private let interface = "test.Interface"

    /// Shows an object under the name of the service.
    private func serve(
        _ bus: PrivateBus, caller: String? = nil, properties: [String: BusValue] = [:],
        _ handler: @escaping @Sendable (BusCall) -> Void = { $0.reply($0.arguments) }
    ) async throws -> Bus {
        let service = try await bus.open()
        service.export(BusObject(path: path, interfaces: [interface: properties], caller: caller, handler: handler))
        try await service.requestName(name)
        return service
    }

    @Suite(.hangDetector) struct BusTests {
        @Test(
            arguments: [
                [.byte(255), .bool(true), .bool(false), .int16(-7), .uint16(65_535), .int32(.min), .uint32(.max)],
                [.int64(.min), .uint64(.max), .double(-0.5), .string("tëxt"), .path("/a/b"), .signature("a{sv}")],
                [.bytes([0x4c, 0, 2, 0x15]), .bytes([]), .strings([]), .strings(["a", ""]), .paths(["/"])],
                [.structure([.byte(1), .string("x")]), .variant(.variant(.bytes([1])))],
                [.properties([:]), .properties(["Type": .string("broadcast"), "Empty": .strings([])])],
                [.dictionary(key: "q", value: "v", [.uint16(0x4c): .variant(.bytes([2, 21]))])],
                [.array(of: "(yyay)", [.structure([.byte(0), .byte(255), .bytes([0x4c, 0])])])],
                [],
            ] as [[BusValue]])
        func `values arrive as they were sent, in both directions`(values: [BusValue]) async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus)
            let client = try await bus.open()
            #expect(try await client.call(name, path, interface, "Echo", values, expecting: nil) == values)
            await service.close()
        }

        @Test func `an error of the callee has its name`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus) { $0.refuse("org.bluez.Error.AlreadyExists") }
            let client = try await bus.open()
            await #expect(throws: BusError.refused(name: "org.bluez.Error.AlreadyExists")) {
                try await client.call(name, path, interface, "Register")
            }
            await service.close()
        }

        @Test func `a reply with another signature is an error`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus)
            let client = try await bus.open()
            await #expect(throws: BusError.wrongSignature("u")) {
                try await client.call(name, path, interface, "Echo", [.uint32(1)], expecting: "s")
            }
            await service.close()
        }

        @Test func `values that are nested too deeply are refused`() async throws {
            let bus = try PrivateBus()
            let service = try await bus.open()
            var deep = BusValue.byte(1)
            for _ in 0..<20 { deep = .variant(deep) }
            service.export(BusObject(path: path, handler: { [deep] in $0.reply([deep]) }))
            try await service.requestName(name)
            let client = try await bus.open()
            await #expect(throws: BusError.tooLarge) {
                try await client.call(name, path, interface, "Read", expecting: nil)
            }
            await service.close()
        }

        @Test func `an argument that cannot be sent is an error`() async throws {
            let bus = try PrivateBus()
            let client = try await bus.open()
            await #expect(throws: BusError.invalidArgument) {
                try await client.call(name, path, interface, "Echo", [.path("no path")])
            }
            await #expect(throws: BusError.invalidArgument) {
                try await client.call(name, "no path", interface, "Echo")
            }
        }

        @Test func `a call that nobody answers ends after its timeout`() async throws {
            let bus = try PrivateBus()
            let held = Watched<[BusCall]>([])
            let service = try await serve(bus) { call in held.withLock { $0.append(call) } }
            let client = try await Bus.open(bus.address)
            await #expect(throws: BusError.noReply) {
                try await client.call(name, path, interface, "Wait", timeout: .milliseconds(50))
            }
            await held.wait { $0.count == 1 }
            await service.close()
        }

        @Test func `a call to a service that goes away ends`() async throws {
            let bus = try PrivateBus()
            let calls = AsyncStream.makeStream(of: BusCall.self)
            let service = try await serve(bus) { calls.continuation.yield($0) }
            let client = try await bus.open()
            let waiting = Task { try await client.call(name, path, interface, "Wait", timeout: .seconds(60)) }
            var arriving = calls.stream.makeAsyncIterator()
            let call = await arriving.next()
            await service.close()
            await #expect(throws: BusError.noReply) { try await waiting.value }
            _ = call
            await #expect(throws: BusError.refused(name: BusErrorName.nameHasNoOwner)) {
                try await client.call(name, path, interface, "Wait")
            }
        }

        @Test func `a call that the handler forgets is refused`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus) { _ in }
            let client = try await bus.open()
            await #expect(throws: BusError.refused(name: BusErrorName.failed)) {
                try await client.call(name, path, interface, "Forget")
            }
            await service.close()
        }

        @Test func `a call can be answered later, and names its sender`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus) { call in
                Task { call.reply([.string(call.sender), .string(call.member)]) }
            }
            let client = try await bus.open()
            #expect(
                try await client.call(name, path, interface, "Who", expecting: "ss")
                    == [.string(client.uniqueName), .string("Who")])
            await service.close()
        }

        @Test func `an object that is meant for one caller refuses all others`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus, caller: "org.bluez", properties: ["Type": .string("broadcast")])
            let stranger = try await bus.open()
            await #expect(throws: BusError.refused(name: BusErrorName.accessDenied)) {
                try await stranger.property(name, path, interface, "Type")
            }
            let daemon = try await bus.open()
            try await daemon.requestName("org.bluez")
            #expect(try await daemon.property(name, path, interface, "Type") == .string("broadcast"))
            await service.close()
        }

        @Test func `exported objects have properties, and an object manager lists them`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus, properties: ["Type": .string("broadcast")])
            service.export(BusObject(path: "/test", isManager: true))
            try await service.requestName("\(name).Exported")
            let client = try await bus.open()
            #expect(try await client.property(name, path, interface, "Type") == .string("broadcast"))
            await #expect(throws: BusError.refused(name: BusErrorName.unknownProperty)) {
                try await client.property(name, path, interface, "Other")
            }
            #expect(
                try await client.call(
                    name, path, BusInterface.properties, "GetAll", [.string(interface)], expecting: nil)
                    == [.properties(["Type": .string("broadcast")])])
            #expect(
                try await client.managedObjects(of: name, at: "/test")
                    == [path: [interface: ["Type": .string("broadcast")]]])
            service.unexport(path)
            // The thread of the bus processes this after the withdrawal, so its reply means that the object has gone.
            try await service.requestName("\(name).Withdrawn")
            #expect(try await client.managedObjects(of: name, at: "/test") == [:])
            await #expect(throws: BusError.refused(name: BusErrorName.unknownObject)) {
                try await client.property(name, path, interface, "Type")
            }
            await service.close()
        }

        @Test func `signals of the owner of a name arrive in order, and those of anyone else do not`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus)
            let client = try await bus.open()
            let events = client.signals([
                BusRule(sender: name, interface: interface, path: "/test", includesBelow: true)
            ])
            // The reply means that the rule is in force.
            _ = try await client.call(name, path, interface, "Echo")
            let stranger = try await bus.open()
            stranger.emit(path, interface, "Changed", [.string("forged")])
            _ = try await stranger.call(name, path, interface, "Echo")
            service.emit("/elsewhere", interface, "Changed", [.uint32(0)])
            for number in 1...3 { service.emit(path, interface, "Changed", [.uint32(UInt32(number))]) }
            var arriving = events.makeAsyncIterator()
            for number in 1...3 {
                let expected = BusSignal(
                    path: path, interface: interface, member: "Changed", arguments: [.uint32(UInt32(number))])
                #expect(await arriving.next() == .signal(expected))
            }
            await service.close()
        }

        @Test func `a change of the owner of a name is reported, and the new owner is believed`() async throws {
            let bus = try PrivateBus()
            let client = try await bus.open()
            let events = client.signals([.owner(of: name), BusRule(sender: name, interface: interface)])
            let service = try await serve(bus)
            service.emit(path, interface, "Changed", [])
            var arriving = events.makeAsyncIterator()
            guard case .signal(let started) = await arriving.next() else { throw BusError.closed }
            #expect(started.arguments == [.string(name), .string(""), .string(service.uniqueName)])
            #expect(
                await arriving.next()
                    == .signal(BusSignal(path: path, interface: interface, member: "Changed", arguments: [])))
            await service.close()
            guard case .signal(let ended) = await arriving.next() else { throw BusError.closed }
            #expect(ended.arguments == [.string(name), .string(service.uniqueName), .string("")])
        }

        @Test func `a slow consumer of signals learns that some were lost, after those that were kept`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus)
            let client = try await bus.open()
            let events = client.signals([BusRule(sender: name, interface: interface)], limit: 10)
            _ = try await client.call(name, path, interface, "Echo")
            for number in 0..<UInt32(100) { service.emit(path, interface, "Changed", [.uint32(number)]) }
            _ = try await client.call(name, path, interface, "Echo")
            var numbers: [BusValue] = []
            var arriving = events.makeAsyncIterator()
            while case .signal(let signal)? = await arriving.next() { numbers += signal.arguments }
            #expect(numbers == (0..<10).map { .uint32($0) })
            // After the loss, later signals arrive again.
            service.emit(path, interface, "Changed", [.uint32(100)])
            let expected = BusSignal(path: path, interface: interface, member: "Changed", arguments: [.uint32(100)])
            #expect(await arriving.next() == .signal(expected))
            await service.close()
        }

        @Test func `a change of a property is told to others`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus, properties: ["Powered": .bool(false)])
            let client = try await bus.open()
            let events = client.signals([BusRule(sender: name, interface: BusInterface.properties, path: path)])
            _ = try await client.call(name, path, interface, "Echo")
            service.set(path, interface, "Powered", .bool(true))
            var arriving = events.makeAsyncIterator()
            let expected = BusSignal(
                path: path, interface: BusInterface.properties, member: "PropertiesChanged",
                arguments: [.string(interface), .properties(["Powered": .bool(true)]), .strings([])])
            #expect(await arriving.next() == .signal(expected))
            #expect(try await client.property(name, path, interface, "Powered") == .bool(true))
            await service.close()
        }

        @Test func `a file descriptor arrives and is open`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus) { call in
                var ends: [CInt] = [-1, -1]
                unsafe pipe(&ends)
                unsafe write(ends[1], [42], 1)
                close(ends[1])
                call.reply([.descriptor(BusDescriptor(owning: ends[0])), .uint16(517)])
            }
            let client = try await bus.open()
            let reply = try await client.call(name, path, interface, "AcquireWrite", expecting: "hq")
            let descriptor = try #require(reply.first?.asDescriptor?.take())
            var byte: UInt8 = 0
            #expect(unsafe read(descriptor, &byte, 1) == 1)
            #expect(byte == 42)
            close(descriptor)
            #expect(reply.last?.asUInt16 == 517)
            await service.close()
        }

        @Test func `a bus that is not there is an error with the number of the system`() async throws {
            await #expect(throws: BusError.unreachable(code: ENOENT)) {
                try await Bus.open("unix:path=/nonexistent/socket")
            }
        }

        @Test func `when the bus ends, calls and streams end`() async throws {
            let bus = try PrivateBus()
            let client = try await bus.open()
            let events = client.signals([.owner(of: name)])
            bus.stop()
            for await _ in events {}
            await #expect(throws: BusError.closed) { try await client.call(name, path, interface, "Echo") }
        }

        @Test func `after close, calls and streams end, and the name is free`() async throws {
            let bus = try PrivateBus()
            let service = try await serve(bus)
            let events = service.signals([.owner(of: name)])
            try await bus.end(service)
            for await _ in events {}
            await #expect(throws: BusError.closed) { try await service.call(name, path, interface, "Echo") }
            _ = try await serve(bus)
        }
    }
#endif
