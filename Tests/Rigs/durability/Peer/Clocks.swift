// Without the trait Node there is no store to test.
#if Node
    import InklingEngine
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingVault
    import InklingWire
    import InklingSimulation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    // Two nodes whose vaults and messages are on the disk, on a simulated network with clocks that the rig sets: the process that
    // it kills while a clock is wrong.
    //
    //   InklingDurabilityPeer befriend KEY TRUTH HOME HOME
    //   InklingDurabilityPeer clocks KEY HOME HOME SEED TRUTH FIRST PLAN
    //
    // TRUTH is the right time in Unix seconds at the beginning. The first home is Ada's, whose clock PLAN sets: words such as
    // `600:-7200` (at 600 s, set back by two hours), `600:x60` (60 times faster), `600:right`, `600:unsupported` and
    // `600:supported` (without and with evidence that the clock is right), and `3600:end`, separated by commas. Ada queues the
    // texts FIRST, FIRST + 1 and so on, one every half minute. Every line begins with the seconds of the simulation:
    //
    //   Q number        a text is stored in Ada's queue
    //   R number        Bob's application has got a text
    //   K number        … and that is stored
    //   H who high time what the vault says when the node is started: the high-water mark and the latest accepted time
    //   S who epoch     a node shows an epoch
    //   N who name      a node announces a name
    //   C               Ada's clock is not accepted: she is silent
    //   M who           a contact is confirmed
    //   A who generation  a commit of messages is stored
    //   L who generation era                the messages were loaded

    /// Says what happens, with the time.
    struct Chronicle: Sendable {
        let simulation: Simulation

        func note(_ words: String) { say("\(simulation.elapsed / 1000) \(words)") }
    }

    /// A message store that tells its commits.
    struct ToldStore: MessageStore {
        let store: SQLiteMessageStore
        let who: String
        let chronicle: Chronicle

        func load() async throws(MessageStoreError) -> LoadedMessages {
            let loaded = try await store.load()
            chronicle.note("L \(who) \(loaded.generation) \(loaded.era) \(loaded.findings.count)")
            return loaded
        }

        func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]? {
            try await store.body(at: place)
        }

        func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64 {
            let generation = try await store.apply(changes)
            chronicle.note("A \(who) \(generation)")
            return generation
        }
    }

    /// Multicast DNS that tells the names that are announced.
    struct ToldDiscovery: ServiceDiscovery {
        let discovery: SimulatedDiscovery
        let who: String
        let chronicle: Chronicle

        func open(
            _ publication: Publication, recognising names: KnownNames
        ) async throws(DiscoveryError) -> any DiscoverySession {
            if let name = publication.announced?.name { chronicle.note("N \(who) \(name)") }
            return try await discovery.open(publication, recognising: names)
        }

        func heardNames() async -> [OpaqueServiceName] { await discovery.heardNames() }
    }

    /// A node on the disk.
    struct LivingNode {
        let node: Node
        private let keeper: VaultKeeper

        init(
            _ who: String, _ home: String, _ key: String, on host: SimulatedHost, in simulation: Simulation
        ) async throws {
            let chronicle = Chronicle(simulation: simulation)
            var vault = try open(home, key)
            try vault.prepareMessageStore()
            let contents = vault.contents
            guard let anchor = contents.messageStore else { throw VaultError(.missing, home) }
            keeper = VaultKeeper(vault)
            var ports = host.ports
            ports.messages = ToldStore(
                store: SQLiteMessageStore(home: home, anchor: anchor), who: who, chronicle: chronicle)
            ports.discovery = ToldDiscovery(discovery: host.discovery, who: who, chronicle: chronicle)
            guard
                let node = Node(
                    contents: contents, keeper: keeper, ports: ports)
            else {
                throw VaultError(.damaged(.contents), home)
            }
            self.node = node
            chronicle.note(
                "H \(who) \(contents.highWaterEpoch?.number ?? 0) \(contents.latestAcceptedTime ?? 0)")
            let events = node.eventsWithoutTexts()
            simulation.start {
                for await event in events {
                    switch event {
                    case .showing(let epoch, over: _): chronicle.note("S \(who) \(epoch.number)")
                    case .silent(.clock, over: _): chronicle.note("C \(who)")
                    case .confirmed: chronicle.note("M \(who)")
                    default: break
                    }
                }
            }
            simulation.start(node)
        }
    }

    func befriend(_ key: String, truth: UInt64, _ homes: [String]) async throws {
        guard let period = Epoch(containing: truth)?.period else { exit(64) }
        for (name, home) in zip(["Ada", "Bob"], homes) {
            var generator = SystemRandomNumberGenerator()
            let contents = try NodeIdentity.makeContents(name: name, now: period, using: &generator)
            _ = try VaultFile(home: home).create(contents, key: try VaultKey.keyFile(at: key))
        }
        try await Simulation.run(seed: truth, start: truth) { simulation in
            let hosts = [simulation.addHost(), simulation.addHost()]
            let ada = try await LivingNode("ada", homes[0], key, on: hosts[0], in: simulation).node
            let bob = try await LivingNode("bob", homes[1], key, on: hosts[1], in: simulation).node
            await simulation.settle()
            try await ada.add(bob.ownCard())
            try await bob.add(ada.ownCard())
            for (giver, taker) in [(ada, bob), (bob, ada)] {
                guard let user = await giver.contacts().first?.user else { exit(1) }
                for sealed in try await giver.sealedGrants(for: user) { try await taker.acceptSealedGrant(sealed) }
            }
        }
    }

    func live(_ key: String, _ homes: [String], seed: UInt64, truth: UInt64, first: UInt64, plan: String) async throws {
        try await Simulation.run(seed: seed, start: truth) { simulation in
            let hosts = [simulation.addHost(), simulation.addHost()]
            var steps = plan.split(separator: ",").map { ClockStep($0) }[...]
            // A device that starts with a wrong clock.
            while let step = steps.first, step.moment == 0 {
                step.act(on: hosts[0], truth: truth, simulation)
                steps.removeFirst()
            }
            let ada = try await LivingNode("ada", homes[0], key, on: hosts[0], in: simulation)
            let bob = try await LivingNode("bob", homes[1], key, on: hosts[1], in: simulation)
            let chronicle = Chronicle(simulation: simulation)
            simulation.start {
                for await message in bob.node.incoming {
                    chronicle.note("R \(message.text)")
                    do {
                        try await bob.node.acknowledge(message.id, from: message.contact)
                        chronicle.note("K \(message.text)")
                    } catch {
                        chronicle.note("E \(error)")
                    }
                }
            }
            simulation.start {
                var number = first
                guard let user = await ada.node.contacts().first?.user else { return }
                while true {
                    do {
                        _ = try await ada.node.queue("\(number)", for: user)
                        chronicle.note("Q \(number)")
                    } catch {
                        chronicle.note("E \(error)")
                    }
                    number += 1
                    let due = hosts[0].clock.read().tick.advanced(byMilliseconds: 30_000)
                    guard (try? await hosts[0].clock.sleep(until: due)) != nil else { return }
                }
            }
            for step in steps {
                await simulation.advance(
                    byMilliseconds: step.moment * 1000 - min(step.moment * 1000, simulation.elapsed))
                step.act(on: hosts[0], truth: truth, simulation)
            }
        }
    }

    /// One word of a plan.
    struct ClockStep {
        let moment: UInt64
        private let word: String

        init(_ text: Substring) {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let moment = UInt64(parts[0]) else { exit(64) }
            self.moment = moment
            word = String(parts[1])
        }

        func act(on host: SimulatedHost, truth: UInt64, _ simulation: Simulation) {
            switch word {
            case "right":
                host.clock.run(rate: 1)
                host.clock.set(unixMilliseconds: truth * 1000 + simulation.elapsed)
                host.timeEvidence.set(FixedTimeEvidence.synchronised)
            case "unsupported": host.timeEvidence.set(FixedTimeEvidence.none)
            case "supported": host.timeEvidence.set(FixedTimeEvidence.synchronised)
            case "end": break
            default:
                if word.hasPrefix("x"), let rate = UInt32(word.dropFirst()) {
                    host.clock.run(rate: rate)
                } else if let seconds = Int64(word) {
                    host.clock.step(byMilliseconds: seconds * 1000)
                } else {
                    exit(64)
                }
            }
        }
    }
#endif
