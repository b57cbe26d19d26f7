#if Node
    import InklingKeys
    import InklingNode
    import InklingWire
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let start = Tick(milliseconds: 1_000)
    private let never = Tick(milliseconds: .max)

    private func at(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: start.milliseconds + milliseconds) }

    private func packet(_ type: PacketType, _ count: Int) throws -> Packet {
        try Packet(type, body: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    extension Packet {
        fileprivate var whole: [UInt8] {
            var bytes: [UInt8] = []
            append(to: &bytes)
            return bytes
        }
    }

    @Suite struct GATTLinkMachineTests {
        /// Covers INK-PKT-003.
        @Test func `a first message is received, and an answer goes out fragment by fragment`() throws {
            var machine = GATTLinkMachine(.accepted, at: start)
            #expect(machine.handle(.mtu(100), at: start).isEmpty)
            let first = try packet(.confirmFirst, 128)
            let fragments = first.gattFragments(mtu: 100)
            #expect(machine.handle(.receive(1, limit: 129, deadline: at(5_000)), at: start).isEmpty)
            #expect(machine.handle(.fragment(fragments[0]), at: at(1)).isEmpty)
            #expect(machine.handle(.fragment(fragments[1]), at: at(2)) == [.received(1, first.whole)])
            #expect(machine.handle(.gatePassed, at: at(3)).isEmpty)
            let second = try packet(.confirmSecond, 112)
            let answer = second.gattFragments(mtu: 100)
            #expect(machine.handle(.send(2, second.whole), at: at(4)) == [.write(answer[0])])
            #expect(machine.handle(.send(3, second.whole), at: at(4)).isEmpty)
            #expect(machine.handle(.written, at: at(5)) == [.write(answer[1])])
            #expect(machine.handle(.written, at: at(6)) == [.sent(2), .write(answer[0])])
            #expect(machine.handle(.written, at: at(7)) == [.write(answer[1])])
            #expect(machine.handle(.written, at: at(8)) == [.sent(3)])
            #expect(machine.handle(.written, at: at(9)).isEmpty)
        }

        /// Covers INK-BLE-053.
        @Test func `fragments never exceed what BlueZ carries`() throws {
            var machine = GATTLinkMachine(.made, at: start)
            _ = machine.handle(.mtu(517), at: start)
            let record = try packet(.record, 16 + 65 * 256)
            guard case .write(let fragment) = machine.handle(.send(1, record.whole), at: start).first else {
                Issue.record("nothing is written")
                return
            }
            #expect(fragment.count == 510)
        }

        @Test(
            arguments: [
                [], [0x10], [0x90, 1], [0x23, 1, 2], [0x00, 1], [0x13, 1], [0x10] + [UInt8](repeating: 0, count: 127),
            ] as [[UInt8]])
        func `a fragment of a stranger that is refused makes the link mute until its time is over`(fragment: [UInt8]) {
            var machine = GATTLinkMachine(.accepted, at: start)
            #expect(machine.handle(.receive(1, limit: 129, deadline: at(5_000)), at: start).isEmpty)
            #expect(machine.handle(.fragment(fragment), at: at(10)) == [.failed(1, .closed)])
            #expect(machine.due == at(10_000))
            #expect(machine.handle(.gatePassed, at: at(11)).isEmpty)
            #expect(machine.handle(.send(2, [UInt8](repeating: 0x20, count: 113)), at: at(12)) == [.failed(2, .closed)])
            #expect(machine.handle(.receive(3, limit: 129, deadline: never), at: at(13)) == [.failed(3, .closed)])
            #expect(machine.handle(.fragment([0x10]), at: at(14)).isEmpty)
            #expect(machine.handle(.timerFired, at: at(9_999)).isEmpty)
            #expect(machine.handle(.timerFired, at: at(10_000)) == [.disconnect])
            #expect(machine.due == nil)
        }

        @Test func `until the gate is passed nothing may follow the first message`() throws {
            var machine = GATTLinkMachine(.accepted, at: start)
            let first = try packet(.confirmFirst, 128)
            _ = machine.handle(.mtu(517), at: start)
            let fragment = first.gattFragments(mtu: 517)[0]
            #expect(machine.handle(.fragment(fragment), at: at(1)).isEmpty)
            #expect(machine.handle(.fragment(fragment), at: at(2)).isEmpty)
            #expect(machine.handle(.receive(1, limit: 129, deadline: never), at: at(3)) == [.failed(1, .closed)])
        }

        @Test func `after the gate is passed records are received, and only a session lives longer than ten seconds`()
            throws
        {
            let record = try packet(.record, 112)
            let fragment = record.gattFragments(mtu: 517)[0]
            for isConfirmed in [false, true] {
                var machine = GATTLinkMachine(.accepted, at: start)
                _ = machine.handle(.gatePassed, at: at(1))
                #expect(machine.handle(.fragment(fragment), at: at(2)).isEmpty)
                #expect(
                    machine.handle(.receive(1, limit: 1_000, deadline: never), at: at(3))
                        == [.received(1, record.whole)])
                if isConfirmed { _ = machine.handle(.authenticated, at: at(4)) }
                #expect(machine.isUnauthenticated == !isConfirmed)
                #expect(machine.handle(.timerFired, at: at(10_000)) == (isConfirmed ? [] : [.disconnect]))
                #expect(machine.due == nil)
            }
        }

        @Test func `a packet that exceeds what the caller takes is oversized as soon as that is known`() throws {
            var machine = GATTLinkMachine(.made, at: start)
            let record = try packet(.record, 16 + 256)
            let fragments = record.gattFragments(mtu: 104)
            _ = machine.handle(.receive(1, limit: 150, deadline: never), at: start)
            #expect(machine.handle(.fragment(fragments[0]), at: start).isEmpty)
            #expect(
                machine.handle(.fragment(fragments[1]), at: start)
                    == [.failed(1, .oversized(announced: 201, limit: 150))])
            #expect(
                machine.handle(.receive(2, limit: 150, deadline: never), at: start)
                    == [.failed(2, .oversized(announced: 201, limit: 150))])
            _ = machine.handle(.receive(3, limit: 1_000, deadline: never), at: start)
            #expect(machine.handle(.fragment(fragments[2]), at: start) == [.received(3, record.whole)])
        }

        @Test func `a caller waits no longer than it wants, and the packet is not lost`() throws {
            var machine = GATTLinkMachine(.made, at: start)
            let record = try packet(.record, 112)
            _ = machine.handle(.receive(1, limit: 1_000, deadline: at(200)), at: start)
            #expect(machine.due == at(200))
            #expect(machine.handle(.timerFired, at: at(200)) == [.failed(1, .timedOut)])
            #expect(machine.handle(.fragment(record.gattFragments(mtu: 517)[0]), at: at(201)).isEmpty)
            #expect(
                machine.handle(.receive(2, limit: 1_000, deadline: at(300)), at: at(202)) == [
                    .received(2, record.whole)
                ])
            _ = machine.handle(.receive(3, limit: 1_000, deadline: at(300)), at: at(203))
            #expect(machine.handle(.receive(4, limit: 1_000, deadline: at(300)), at: at(204)) == [.failed(4, .closed)])
            #expect(machine.handle(.cancelled(3), at: at(205)) == [.failed(3, .closed)])
        }

        @Test func `a packet of a session that is not complete after half a minute ends the link`() throws {
            var machine = GATTLinkMachine(.made, at: start)
            _ = machine.handle(.authenticated, at: start)
            let fragments = try packet(.record, 16 + 256).gattFragments(mtu: 104)
            _ = machine.handle(.receive(1, limit: 1_000, deadline: never), at: start)
            _ = machine.handle(.fragment(fragments[0]), at: at(100))
            #expect(machine.due == at(30_100))
            #expect(machine.handle(.timerFired, at: at(30_099)).isEmpty)
            #expect(machine.handle(.timerFired, at: at(30_100)) == [.failed(1, .timedOut), .disconnect])
        }

        @Test func `a packet that is not written in time ends the link, and so does too much that waits`() throws {
            let record = try packet(.record, 16 + 65 * 256)
            var slow = GATTLinkMachine(.made, at: start)
            _ = slow.handle(.authenticated, at: start)
            _ = slow.handle(.send(1, record.whole), at: start)
            #expect(slow.due == at(30_000))
            #expect(slow.handle(.timerFired, at: at(30_000)) == [.failed(1, .timedOut), .disconnect])
            var full = GATTLinkMachine(.made, at: start)
            for call in 1...3 { _ = full.handle(.send(UInt64(call), record.whole), at: start) }
            #expect(
                full.handle(.send(4, record.whole), at: start)
                    == [
                        .failed(4, .closed), .failed(1, .closed), .failed(2, .closed), .failed(3, .closed), .disconnect,
                    ])
        }

        @Test func `what was complete before the link was lost can still be received`() throws {
            var machine = GATTLinkMachine(.made, at: start)
            let record = try packet(.record, 112)
            _ = machine.handle(.fragment(record.gattFragments(mtu: 517)[0]), at: start)
            #expect(machine.handle(.lost, at: start).isEmpty)
            #expect(machine.isClosed)
            #expect(
                machine.handle(.receive(1, limit: 1_000, deadline: never), at: start) == [.received(1, record.whole)])
            #expect(machine.handle(.receive(2, limit: 1_000, deadline: never), at: start) == [.failed(2, .closed)])
        }

        @Test(arguments: 0..<200 as Range<UInt64>)
        func `a random walk keeps every promise`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let side: GATTLinkMachine.Side = Bool.random(using: &random) ? .accepted : .made
            var machine = GATTLinkMachine(side, at: start)
            var now = start
            var open: Set<UInt64> = []
            var writing = false
            var disconnects = 0
            var wasMute = false
            var isPromoted = side == .made
            var isConfirmed = false
            var trace: [String] = []
            let packets = try [packet(.confirmFirst, 128), packet(.record, 112), packet(.record, 16 + 512)]
            var pending: [[UInt8]] = []
            for call in 1...400 as ClosedRange<UInt64> {
                let earlier = now
                now = now.advanced(by: .milliseconds(Int.random(in: 0...120, using: &random)))
                let event: GATTLinkMachine.Event
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<25:
                    event = .receive(
                        call, limit: Int.random(in: 100...20_000, using: &random),
                        deadline: now.advanced(by: .milliseconds(Int.random(in: 0...6_000, using: &random))))
                    open.insert(call)
                case 25..<40:
                    event = .send(call, packets.randomElement(using: &random)?.whole ?? [])
                    open.insert(call)
                case 40..<65:
                    if pending.isEmpty {
                        let mtu = Int.random(in: 23...517, using: &random)
                        pending = packets.randomElement(using: &random)?.gattFragments(mtu: mtu) ?? []
                    }
                    event = .fragment(pending.removeFirst())
                case 65..<66: event = .fragment([UInt8.random(in: 0...255, using: &random), 1])
                case 66..<67: event = .cancelled(open.randomElement(using: &random) ?? 0)
                case 67..<85: event = .written
                case 85..<89: event = .gatePassed
                case 89..<92: event = .authenticated
                case 92: event = Int.random(in: 0..<10, using: &random) == 0 ? .mute : .timerFired
                case 93: event = Int.random(in: 0..<20, using: &random) == 0 ? .writeFailed : .timerFired
                case 94: event = Int.random(in: 0..<20, using: &random) == 0 ? .close : .timerFired
                case 95: event = Int.random(in: 0..<20, using: &random) == 0 ? .lost : .timerFired
                case 96: event = .mtu(Int.random(in: 0...600, using: &random))
                default: event = .timerFired
                }
                trace.append("\(now): \(event)".prefix(60).description)
                let wasClosed = machine.isClosed
                if event == .gatePassed || event == .authenticated { isPromoted = true }
                if event == .authenticated, !wasMute, !wasClosed, earlier < at(10_000) { isConfirmed = true }
                if event == .written { writing = false }
                for effect in machine.handle(event, at: now) {
                    switch effect {
                    case .write(let fragment):
                        #expect(!writing && !wasMute && !wasClosed, "seed \(seed): \(trace.suffix(5))")
                        #expect((2...510).contains(fragment.count))
                        writing = true
                    case .received(let ended, let bytes):
                        #expect(open.remove(ended) != nil, "seed \(seed): \(trace.suffix(5))")
                        #expect(!wasMute)
                        if !isPromoted { #expect(bytes[0] == 0x10) }
                    case .sent(let ended): #expect(open.remove(ended) != nil, "seed \(seed): \(trace.suffix(5))")
                    case .failed(let ended, _):
                        #expect(open.remove(ended) != nil, "seed \(seed): \(trace.suffix(5))")
                    case .disconnect: disconnects += 1
                    }
                }
                if event == .mute { wasMute = true }
                #expect(disconnects <= 1)
                if machine.isClosed { #expect(machine.due == nil) }
                if !isConfirmed, now >= at(10_000) { #expect(machine.isClosed, "seed \(seed): \(trace.suffix(5))") }
                if let due = machine.due { #expect(due > now, "seed \(seed): \(trace.suffix(5))") }
            }
            _ = machine.handle(.close, at: now)
            #expect(machine.isClosed)
        }
    }
#endif
