#if Node
    import InklingNode
    import InklingTesting
    import Testing

    @testable import InklingLinux

    private let frame = AdvertisingSet(isConnectable: true, appleData: [2, 21])
    private let service = AdvertisingSet(isConnectable: true, services: ["x"])

    @Suite struct AdvertisingMachineTests {
        private var machine = AdvertisingMachine(prefix: "/set")

        @Test mutating func `registers one set after the other`() {
            #expect(machine.handle(.show([frame, service])) == [.register(path: "/set1", frame)])
            #expect(machine.handle(.registered(path: "/set1")) == [.register(path: "/set2", service)])
            #expect(machine.handle(.registered(path: "/set2")) == [.shown])
        }

        @Test mutating func `withdraws every set before it is hidden, and never uses a path again`() {
            _ = machine.handle(.show([frame, service]))
            _ = machine.handle(.registered(path: "/set1"))
            _ = machine.handle(.registered(path: "/set2"))
            #expect(machine.handle(.hide) == [.unregister(path: "/set1")])
            #expect(
                machine.handle(.unregistered(path: "/set1")) == [.forget(path: "/set1"), .unregister(path: "/set2")])
            #expect(machine.handle(.unregistered(path: "/set2")) == [.forget(path: "/set2"), .hidden])
            #expect(machine.handle(.show([frame])) == [.register(path: "/set3", frame)])
        }

        @Test mutating func `a refusal withdraws what is on the air`() {
            _ = machine.handle(.show([frame, service]))
            _ = machine.handle(.registered(path: "/set1"))
            #expect(
                machine.handle(.refused(path: "/set2", .refused))
                    == [.forget(path: "/set2"), .unregister(path: "/set1")])
            #expect(
                machine.handle(.unregistered(path: "/set1")) == [.forget(path: "/set1"), .failed(.refused)])
        }

        @Test mutating func `a set of which nobody knows whether it is shown ends with the connection`() {
            _ = machine.handle(.show([frame]))
            #expect(machine.handle(.unanswered(path: "/set1", .noDaemon)) == [.disconnect, .failed(.noDaemon)])
            #expect(machine.handle(.show([frame])) == [])
            #expect(machine.handle(.hide) == [.hidden])
        }

        @Test mutating func `an end that is not confirmed ends the connection`() {
            _ = machine.handle(.show([frame, service]))
            _ = machine.handle(.registered(path: "/set1"))
            _ = machine.handle(.registered(path: "/set2"))
            _ = machine.handle(.hide)
            #expect(machine.handle(.unconfirmed(path: "/set1")) == [.disconnect, .hidden])
            #expect(machine.handle(.show([frame])) == [])
        }

        @Test mutating func `does not show anything while something is shown`() {
            _ = machine.handle(.show([frame]))
            #expect(machine.handle(.show([service])) == [])
            _ = machine.handle(.registered(path: "/set1"))
            #expect(machine.handle(.show([service])) == [])
            #expect(machine.handle(.registered(path: "/set1")) == [])
        }

        @Test(arguments: 0..<200 as Range<UInt64>)
        func `on any walk, sets of two epochs are never on the air together, and an end is never skipped`(seed: UInt64)
        {
            var random = SeededGenerator(seed: seed)
            var machine = AdvertisingMachine(prefix: "/set")
            // The paths that may be on the air, with the epoch of each.
            var air: [String: Int] = [:]
            var used: Set<String> = []
            var epoch = 0
            var isConnected = true
            var events: [AdvertisingMachine.Event] = []
            for _ in 0..<60 {
                if events.isEmpty {
                    if Bool.random(using: &random) {
                        epoch += 1
                        events = [.show(Bool.random(using: &random) ? [frame] : [frame, service])]
                    } else {
                        events = [.hide]
                    }
                }
                for effect in machine.handle(events.removeFirst()) {
                    switch effect {
                    case .register(let path, _):
                        #expect(isConnected && used.insert(path).inserted)
                        air[path] = epoch
                        #expect(Set(air.values).count == 1)
                        let answers: [AdvertisingMachine.Event] = [
                            .registered(path: path), .registered(path: path), .refused(path: path, .refused),
                            .unanswered(path: path, .noDaemon),
                        ]
                        let answer = answers.randomElement(using: &random) ?? answers[0]
                        if case .refused = answer { air[path] = nil }
                        events.append(answer)
                    case .unregister(let path):
                        #expect(air[path] != nil)
                        if Int.random(in: 0..<8, using: &random) > 0 {
                            air[path] = nil
                            events.append(.unregistered(path: path))
                        } else {
                            events.append(.unconfirmed(path: path))
                        }
                    case .forget(let path): #expect(air[path] == nil)
                    case .disconnect:
                        isConnected = false
                        air = [:]
                    case .shown: #expect(!air.isEmpty)
                    case .hidden, .failed: #expect(air.isEmpty)
                    }
                }
            }
        }
    }
#endif
