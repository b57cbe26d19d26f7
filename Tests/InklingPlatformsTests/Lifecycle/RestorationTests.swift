import InklingEngine
import InklingKeys
import InklingPlatforms
import InklingTesting
import Testing

private typealias Manager = Restoration<String>

private let identifiers: RestorationIdentifiers? = try? RestorationIdentifiers(
    central: "example.central", peripheral: "example.peripheral")

private func manager(
    _ role: RestorationRole = .central, last: String? = nil, services: [String] = []
) throws -> Manager {
    Manager(role, identifiers: try #require(identifiers), lastIdentifier: last, services: services)
}

@Suite struct `Restoration of a manager` {
    @Test func `after a relaunch it creates one manager, adopts, and does the rest when the radio is on`()
        throws
    {
        var manager = try manager(last: "example.central")
        #expect(manager.handle(.launched(.bluetoothCentral)) == [.createManager("example.central"), .openWindow])
        let restored = Manager.Event.restoredCentral(
            [.init("a", isLinked: true), .init("b", isLinked: false)], scanning: ["data"])
        #expect(manager.handle(restored) == [.adopt("a"), .adopt("b")])
        #expect(
            manager.handle(.radio(.on))
                == [.resume("a", isLinked: true), .resume("b", isLinked: false), .scan(["data"]), .ready])
    }

    @Test func `a second launch in one process creates no second manager`() throws {
        var manager = try manager()
        #expect(
            manager.handle(.launched(.user)) == [
                .storeIdentifier("example.central"), .createManager("example.central"),
            ])
        #expect(manager.handle(.launched(.location)) == [.ignore(.secondManager)])
    }

    /// Covers INK-LIF-020.
    @Test func `rejects an identifier that differs from that of the last run, and uses the stored one`() throws {
        var manager = try manager(last: "example.old")
        #expect(
            manager.handle(.launched(.user)) == [.refuseIdentifier("example.central"), .createManager("example.old")])
    }

    @Test func `ignores restored state that arrives after the state of the radio`() throws {
        var manager = try manager()
        _ = manager.handle(.launched(.user))
        #expect(manager.handle(.radio(.on)) == [.ready])
        #expect(manager.handle(.restoredCentral([.init("a", isLinked: true)], scanning: [])) == [.ignore(.late)])
    }

    @Test func `a peripheral always advertises, and adds only the services that were not restored`() throws {
        var manager = try manager(.peripheral, services: ["data", "pairing"])
        _ = manager.handle(.launched(.bluetoothPeripheral))
        #expect(manager.handle(.restoredPeripheral(services: ["data", "old"])) == [])
        #expect(
            manager.handle(.radio(.on))
                == [.removeService("old"), .addService("pairing"), .advertise(["data", "pairing"]), .ready])
    }

    /// Covers INK-LIF-024.
    @Test func `restored peripherals enter the reconnection pipeline, which then skips its lookups`() throws {
        var manager = try manager(last: "example.central")
        var pipeline = Pipeline(policy: ReconnectionPolicy(services: [["data"]], steps: [.resumption]))
        let now = Tick(milliseconds: 0)
        _ = pipeline.handle(.wanted(1, known: "a", isStable: true, lastReceived: 9), at: now)
        var done: [Pipeline.Effect] = []
        let events: [Manager.Event] = [
            .launched(.bluetoothCentral), .restoredCentral([.init("a", isLinked: false)], scanning: []), .radio(.on),
        ]
        for effect in events.flatMap({ manager.handle($0) }) {
            switch effect {
            case .adopt(let route): done += pipeline.handle(.restored(1, route, isLinked: false), at: now)
            case .ready: done += pipeline.handle(.ready, at: now)
            default: break
            }
        }
        #expect(done == [.adopt(1, "a"), .call(1, "a")])
    }

    @Test(arguments: [
        ("", RestorationIdentifiers.Fault.empty), (String(repeating: "a", count: 129), .tooLong),
        ("E20A39F4-73F5-4BC4-A12F-17D1AD07A961", .generated), ("example.peripheral", .same),
    ])
    func `rejects an identifier that differs from run to run or between managers`(
        text: String, fault: RestorationIdentifiers.Fault
    ) {
        #expect(throws: fault) { try RestorationIdentifiers(central: text, peripheral: "example.peripheral") }
    }

    /// Covers INK-LIF-023.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any order of events leads to one manager and to no command without a radio`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let role: RestorationRole = seed % 2 == 0 ? .central : .peripheral
        var manager = try manager(role, last: "example.\(role.rawValue)", services: ["data"])
        var created = 0
        var isOn = false, isReady = false
        for _ in 0..<200 {
            let event: Manager.Event =
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: .launched(LaunchCause.allCases.randomElement(using: &generator) ?? .user)
                case 1: .restoredCentral([.init("a", isLinked: Bool.random(using: &generator))], scanning: ["data"])
                case 2: .restoredPeripheral(services: ["old"])
                default: .radio(RadioState.allCases.randomElement(using: &generator) ?? .on)
                }
            if case .radio(let state) = event { isOn = state == .on }
            for effect in manager.handle(event) {
                switch effect {
                case .createManager: created += 1
                case .ready:
                    #expect(isOn && !isReady && created == 1)
                    isReady = true
                case .unready:
                    #expect(!isOn && isReady)
                    isReady = false
                case .resume, .scan, .addService, .removeService, .advertise: #expect(isOn && !isReady && created == 1)
                case .adopt: #expect(role == .central && created == 1)
                case .refuseIdentifier, .storeIdentifier:
                    Issue.record("seed \(seed): refused the identifier of the last run")
                case .openWindow, .ignore: break
                }
            }
        }
        #expect(created == 1)
    }
}
