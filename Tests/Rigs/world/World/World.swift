internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import InklingWire

/// A world of nodes: people with contacts move between places, write to each other, lose power, are asleep or have wrong
/// clocks, on networks that lose and change packets, beside somebody who attacks them.
///
/// Everything is drawn from the seed. Twice, in the middle and at the end, all faults cease for two epochs, and whoever are
/// contacts on one network must recognise each other.
package actor World {
    /// Protocol time at the beginning, in Unix seconds.
    static let start: UInt64 = 1_800_000_300
    /// The longest time that a save takes in a calm, in milliseconds. A first message is answered after at most two saves, and
    /// who calls waits for 5 s.
    private static let slowestSave: UInt64 = 2_000
    /// How long a calm lasts, in seconds: two epochs, two skew allowances, and a minute for gaps and calls.
    private static let calm: UInt64 = 2 * 900 + 2 * 120 + 60

    let settings: WorldSettings
    let simulation: Simulation
    let log = EventLog()
    var generator: SimulationGenerator
    var people: [Inhabitant] = []
    var watch: Watch
    let attacker: Attacker
    let traitor: Traitor
    /// Who is a contact of the traitor.
    var betrayed: [Int] = []
    /// The pairs of contacts, each once.
    var pairs: Set<Watch.Pair> = []
    /// In which place everybody is.
    var places: [Int] = []
    var placeCount = 1
    /// What will be undone, and when.
    var later: [(due: UInt64, undoing: Undoing)] = []
    /// Whose clock was accepted while it was ahead, so that an operator has to help.
    var ahead: Set<Int> = []
    var textCount = 0
    var fileCount = 0

    private init(_ settings: WorldSettings, _ simulation: Simulation) throws {
        self.settings = settings
        self.simulation = simulation
        generator = SimulationGenerator(seed: settings.seed ^ 0x776f_726c_6400_0000)
        attacker = Attacker(in: simulation, seed: generator.next())
        let traitor = try Traitor(in: simulation, seed: generator.next())
        self.traitor = traitor
        let confusion = settings.fault == .confusesSenders ? Confusion(sender: traitor.user) : nil
        let count = Self.count(in: settings.nodes, at: Double.random(in: 0..<1, using: &generator))
        var people: [Inhabitant] = []
        for number in 0..<count {
            people.append(
                try Inhabitant(
                    number: number, in: simulation, clockError: Int64.random(in: -40_000...40_000, using: &generator),
                    hasRadio: Int.random(in: 0..<3, using: &generator) == 0, seed: generator.next(), log: log,
                    fault: settings.fault, confusion: confusion))
        }
        self.people = people
        watch = Watch(people, traitor: traitor.user)
        placeCount = 1 + count / 6
        places = people.map { _ in 0 }
    }

    /// Simulates one world.
    ///
    /// - Throws: `Simulation.Failure` or an error of a node, which are failures of the world itself.
    package static func run(_ settings: WorldSettings) async throws -> WorldReport {
        try await Simulation.run(seed: settings.seed, start: start, limit: (settings.hours + 24) * 3600) { simulation in
            let world = try World(settings, simulation)
            return try await world.live()
        }
    }

    /// Returns how many nodes a world has.
    ///
    /// A world costs the square of its nodes, so n nodes come up as often as 1/n³: worlds of 5 to 10, of 10 to 20 and of
    /// 20 to 40 then take about the same time in all.
    private static func count(in range: ClosedRange<Int>, at share: Double) -> Int {
        let low = Double(range.lowerBound), high = Double(range.upperBound + 1)
        return min(range.upperBound, Int(low / (1 - share * (1 - low * low / (high * high))).squareRoot()))
    }

    private func live() async throws -> WorldReport {
        try await populate()
        let end = settings.hours * 3600
        // A short world has one calm only, so that there is time for faults.
        if settings.hours >= 6 {
            try await act(until: end / 2 - Self.calm)
            try await calm(bringingTogether: false)
        }
        try await act(until: end - Self.calm)
        try await calm(bringingTogether: true)
        for person in people { try await person.stop() }
        await simulation.advance(bySeconds: 30)
        await observe()
        for person in people { person.host.radio.crash(with: .refused) }
        let rest = simulation.air.takeEnded()
        watch.observe(rest.broadcasts, rest.links)
        watch.counts.replays = await attacker.replays
        watch.counts.hostileSessions = await traitor.sessions
        watch.counts.hostileRecords = await traitor.records
        for person in people { watch.counts.lostSaves += await person.disk.lost }
        return WorldReport(
            seed: settings.seed, nodes: people.count, hours: settings.hours, digest: watch.digest,
            violations: watch.violations, counts: watch.counts)
    }

    /// Starts every node, and makes contacts of neighbours in a ring and of some others.
    private func populate() async throws {
        for person in people {
            person.host.clock.drift(partsPerMillion: Int64.random(in: -200...200, using: &generator))
            try await person.start()
        }
        await simulation.settle()
        for place in people.indices {
            pairs.insert(Watch.Pair(from: place, to: (place + 1) % people.count).ordered)
            let other = Int.random(in: people.indices, using: &generator)
            if other != place { pairs.insert(Watch.Pair(from: place, to: other).ordered) }
        }
        pairs = pairs.filter { $0.from != $0.to }
        for pair in pairs.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
            try await acquaint(people[pair.from], people[pair.to])
        }
        // The traitor is a contact of two.
        await traitor.begin(in: simulation)
        for person in people.prefix(2) {
            try await traitor.befriend(person.node)
            betrayed.append(person.number)
        }
        if settings.fault == .isCopied { try await copy(people[0]) }
    }

    private func acquaint(_ one: Inhabitant, _ other: Inhabitant) async throws {
        _ = try await one.node.add(other.node.ownCard())
        _ = try await other.node.add(one.node.ownCard())
        try await exchangeGrants(one, other)
    }

    /// Carries sealed grants both ways, as on a USB stick.
    ///
    /// Who has begun a generation while its clock was days ahead grants nothing that others accept (INK-GRA-019) before
    /// that time or before its operator has cleared it; until then the two find each other by pair audiences.
    func exchangeGrants(_ one: Inhabitant, _ other: Inhabitant) async throws {
        for (from, to) in [(one, other), (other, one)] {
            var early = 0
            for sealed in try await from.node.sealedGrants(for: to.user) {
                do { _ = try await to.node.acceptSealedGrant(sealed) } catch NodeError.grant(.generationTooFar) {
                    early += 1
                }
            }
            if early > 0, await latestTime(of: from) < trueTime / 1000 + 86_400 {
                throw NodeError.grant(.generationTooFar)
            }
            watch.counts.earlyGrants += early
        }
    }

    /// The latest time that a node has accepted, in Unix seconds.
    private func latestTime(of person: Inhabitant) async -> UInt64 {
        let contents = await person.node.copyOfContents
        return contents.latestAcceptedTime ?? 0
    }

    /// Starts a second device with the secrets of a node.
    private func copy(_ person: Inhabitant) async throws {
        let host = simulation.addHost()
        let contents = await person.node.copyOfContents
        guard let node = Node(contents: contents, keeper: MemoryKeeper(contents), ports: host.ports(run: 9)) else {
            return
        }
        simulation.start(node)
    }

    // MARK: Time

    /// True time in Unix milliseconds.
    var trueTime: UInt64 { Self.start * 1000 + simulation.elapsed }

    /// Lets time pass, undoes what is due, and judges what happened at least every half minute.
    func pass(_ seconds: UInt64) async throws {
        let end = simulation.elapsed + seconds * 1000
        while simulation.elapsed < end {
            let next = min(end, simulation.elapsed + 30_000)
            await simulation.advance(byMilliseconds: next - simulation.elapsed)
            try await undo(before: simulation.elapsed)
            await observe()
        }
    }

    func observe() async {
        let now = simulation.elapsed
        for person in people where person.isRunning && person.hasPower && !person.host.clock.isSuspended {
            watch.alive(person.number, at: now)
        }
        watch.observe(log.take(), simulation.network.takeSightings(), simulation.network, now: now)
        let ended = simulation.air.takeEnded()
        watch.observe(ended.broadcasts, ended.links)
        for finding in await attacker.takeFindings() { watch.report(.replay, at: finding.time, finding.words) }
        for person in people where person.isRunning {
            let sizes = await person.node.sizes()
            if let table = sizes.first(where: { $0.count > $0.limit }) {
                watch.report(
                    .bounds, at: now, "\(person.number) has \(table.count) of at most \(table.limit) \(table.name)")
            }
            let contents = await person.node.copyOfContents
            let known = Set(people.map(\.user)).union([traitor.user])
            if contents.audiences.count != 1 || !contents.contacts.allSatisfy({ known.contains($0.user) }) {
                watch.report(.trust, at: now, "\(person.number) has audiences or contacts that its user did not choose")
            }
            let strangers = simulation.network.strangers(at: person.host)
            if strangers > 16 {
                watch.report(.bounds, at: now, "\(person.number) keeps \(strangers) links of one stranger")
            }
        }
    }

    private func act(until second: UInt64) async throws {
        while simulation.elapsed < second * 1000 {
            try await act()
            let rest = second * 1000 - min(simulation.elapsed, second * 1000)
            try await pass(min(UInt64.random(in: 10...600, using: &generator), rest / 1000 + 1))
        }
    }

    // MARK: Calm

    /// Ends all faults, waits for two epochs, and requires that contacts in one place have recognised each other.
    private func calm(bringingTogether: Bool) async throws {
        try await undo(before: .max)
        for person in people { await person.disk.limitSlowness(to: Self.slowestSave) }
        simulation.network.conditions = NetworkConditions()
        simulation.air.conditions = airConditions
        if bringingTogether {
            places = people.map { _ in 0 }
            for person in people { person.host.changeAddress() }
        }
        separate()
        for person in people where !person.isRunning { try await restart(person) }
        for person in people { setRight(person) }
        // The clocks are judged at once, and then every minute.
        try await pass(61)
        try await help()
        let began = simulation.elapsed
        try await pass(Self.calm)
        for pair in pairs.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) })
        where areTogether(pair) {
            watch.counts.expected += 1
            let times = [
                watch.confirmation(of: pair.to, by: pair.from), watch.confirmation(of: pair.from, by: pair.to),
            ]
            if !times.allSatisfy({ $0.map { $0 >= began } ?? false }) {
                watch.report(
                    .liveness, at: simulation.elapsed,
                    "\(pair.from) and \(pair.to) have not confirmed each other in two epochs without faults")
            }
        }
        // Everything that was queued for whom one has met has arrived, or is lost.
        var met: Set<Watch.Pair> = []
        for pair in pairs where areTogether(pair) {
            met.insert(pair)
            met.insert(Watch.Pair(from: pair.to, to: pair.from))
        }
        watch.judgeDeliveries(met: met, kept: people.map(\.host.disk.kept))
    }

    /// Whether two are in one place; who is nowhere is alone.
    private func areTogether(_ pair: Watch.Pair) -> Bool {
        places[pair.from] == places[pair.to] && places[pair.from] < placeCount
    }

    /// The operators of nodes whose clock was ahead clear what was stored, and give and take new sealed grants.
    private func help() async throws {
        var helped: Set<Int> = []
        for number in ahead.sorted() {
            guard case .clock(.behind) = await people[number].node.status().silence else { continue }
            helped.insert(number)
            watch.counts.resets += 1
            watch.restarted.insert(number)
            watch.reset(number)
            try await people[number].beginNewGenerations()
        }
        ahead = []
        for pair in pairs.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) })
        where helped.contains(pair.from) || helped.contains(pair.to) {
            try await exchangeGrants(people[pair.from], people[pair.to])
        }
    }
}

extension Watch.Pair {
    /// The same pair with the smaller number first.
    var ordered: Self { from <= to ? self : Self(from: to, to: from) }
}
