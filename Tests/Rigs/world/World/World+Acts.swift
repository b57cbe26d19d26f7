internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import InklingWire

/// What ends a fault.
enum Undoing {
    case wake(Int), power(Int), time(Int), space(Int), port(Int), evidence(Int), conditions
}

// What people, machines and attackers do.
extension World {
    /// Conditions of the air that cost little: a frame every ten seconds.
    var airConditions: AirConditions {
        var conditions = AirConditions()
        conditions.interval = 10_000
        conditions.duty = 0.9
        return conditions
    }

    private func draw(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &generator) }
    private func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < probability }

    private func plan(_ undoing: Undoing, inSeconds range: ClosedRange<UInt64>) {
        later.append((simulation.elapsed + draw(range) * 1000, undoing))
    }

    /// Does one thing.
    func act() async throws {
        let person = people[Int.random(in: people.indices, using: &generator)]
        let number = person.number
        switch Int.random(in: 0..<43, using: &generator) {
        case 0..<8: write()
        case 8..<11: move(number)
        case 11: person.host.resetLinks()
        case 12: person.host.changeAddress()
        case 13: person.host.discovery.crash(with: .server(code: 5))
        case 14:
            person.host.links.fail(with: .unreachable(code: 24))
            person.host.monitor.report()
            plan(.port(number), inSeconds: 20...300)
        case 15 where person.isRunning && person.hasPower:
            wake(person)
            try await person.stop()
            try await restart(person)
        case 16..<19: try await crash(person)
        case 19 where person.isRunning, 20 where person.isRunning:
            watch.counts.sleeps += 1
            person.host.clock.suspend()
            plan(.wake(number), inSeconds: 20...3000)
        case 21 where !person.host.clock.isSuspended, 22 where !person.host.clock.isSuspended:
            try await stepClock(person)
        case 37 where person.isRunning && person.hasPower && !person.host.clock.isSuspended:
            // Everybody must find this user again, by pair audiences if both have done it.
            try? await person.node.renewAudiences()
            await observe()
            watch.renewed(number)
        case 34..<37 where !person.host.clock.isSuspended: try await stepClock(person)
        case 23:
            await person.disk.setFull(true)
            person.messages.setFull(true)
            plan(.space(number), inSeconds: 10...600)
        case 24: await person.disk.setSlowness(draw(0...3000))
        case 25:
            drawConditions()
            plan(.conditions, inSeconds: 300...3000)
        case 26: person.host.radio.crash(with: .refused)
        case 27:
            person.host.timeEvidence.set(FixedTimeEvidence.none)
            plan(.evidence(number), inSeconds: 60...2000)
        case 28 where happens(0.3): try await fallOut()
        case 38, 39: sendFile()
        case 40..<43: betray()
        default: await attack()
        }
    }

    private func write() {
        let all = pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        guard !all.isEmpty else { return }
        let pair = all[Int.random(in: all.indices, using: &generator)]
        let (from, to) = happens(0.5) ? (pair.from, pair.to) : (pair.to, pair.from)
        guard people[from].isRunning, !people[from].host.clock.isSuspended else { return }
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            textCount += 1
            watch.counts.texts += 1
            let number = textCount
            let (person, node, user) = (people[from], people[from].node, people[to].user)
            simulation.start {
                if let id = try? await node.queue(Watch.text(number), for: user), person.isAlive(node) {
                    await self.queued(number, id, in: Watch.Pair(from: from, to: to))
                }
            }
        }
    }

    private func queued(_ number: Int, _ id: TextID, in pair: Watch.Pair) {
        watch.queued(number, id, in: pair, at: simulation.elapsed)
    }

    private func sendFile() {
        let all = pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        guard !all.isEmpty else { return }
        let pair = all[Int.random(in: all.indices, using: &generator)]
        let person = people[pair.from]
        guard person.isRunning, !person.host.clock.isSuspended else { return }
        fileCount += 1
        watch.counts.files += 1
        let (number, node, user) = (fileCount, person.node, people[pair.to].user)
        person.host.disk.put(
            WorldFile.bytes(number, count: Int.random(in: 0...60_000, using: &generator)), at: WorldFile.path(number))
        simulation.start { _ = try? await node.sendFile(at: WorldFile.path(number), to: user) }
    }

    /// The traitor calls one of its contacts.
    private func betray() {
        let victim = betrayed[Int.random(in: betrayed.indices, using: &generator)]
        guard let announcement = watch.announcements[victim], people[victim].isRunning else { return }
        let (node, user) = (people[victim].node, people[victim].user)
        let manner = Int.random(in: 0..<Traitor.manners, using: &generator)
        simulation.start { [traitor] in await traitor.betray(node, user, at: announcement, manner: manner) }
    }

    private func move(_ number: Int) {
        guard placeCount > 1 || happens(0.3) else { return }
        watch.counts.moves += 1
        // The last place is nowhere: whoever is there is alone.
        places[number] = Int.random(in: 0...placeCount, using: &generator)
        separate()
        people[number].host.changeAddress()
    }

    /// Puts people of different places out of reach of each other.
    func separate() {
        var groups: [Int: [Inhabitant]] = [:]
        for (number, place) in places.enumerated() {
            let group = place == placeCount ? 1000 + number : place
            groups[group, default: []].append(people[number])
        }
        let sorted = groups.sorted { $0.key < $1.key }.map(\.value)
        simulation.network.partition(sorted.map { $0.map(\.host) })
        simulation.air.separate(sorted.map { $0.map(\.host.radio) })
    }

    private func wake(_ person: Inhabitant) { if person.host.clock.isSuspended { person.host.clock.resume() } }

    private func crash(_ person: Inhabitant) async throws {
        guard person.isRunning, person.hasPower else { return }
        watch.counts.crashes += 1
        wake(person)
        try await person.crash()
        plan(.power(person.number), inSeconds: 0...600)
    }

    func restart(_ person: Inhabitant) async throws {
        watch.counts.restarts += 1
        watch.restarted.insert(person.number)
        if !person.hasPower { person.regainPower() }
        wake(person)
        try await person.start()
    }

    private func stepClock(_ person: Inhabitant) async throws {
        watch.counts.clockSteps += 1
        let hour: Int64 = 3_600_000
        let number = person.number
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: person.host.clock.step(byMilliseconds: Int64.random(in: -50_000...50_000, using: &generator))
        case 1, 2, 5:
            person.host.clock.step(byMilliseconds: -Int64.random(in: 1...5, using: &generator) * hour)
            // A machine can also start with a clock that is behind.
            if person.isRunning, person.hasPower, happens(0.7) {
                try await person.stop()
                try await restart(person)
            }
            plan(.time(number), inSeconds: 100...3000)
        case 3:
            // Evidence for a wrong time, as from a false time server.
            ahead.insert(number)
            person.host.clock.step(byMilliseconds: Int64.random(in: 1...72, using: &generator) * hour)
            plan(.time(number), inSeconds: 100...3000)
        case 4:
            person.host.clock.step(byMilliseconds: 3650 * 24 * hour)
            plan(.time(number), inSeconds: 100...3000)
        default:
            person.host.clock.step(byMilliseconds: -3650 * 24 * hour)
            plan(.time(number), inSeconds: 100...3000)
        }
    }

    /// Sets the clock of a host right, apart from the error that every clock has.
    func setRight(_ person: Inhabitant) {
        let error = Int64.random(in: -40_000...40_000, using: &generator)
        person.host.clock.set(unixMilliseconds: UInt64(Int64(clamping: trueTime) + error))
        person.host.clock.drift(partsPerMillion: Int64.random(in: -200...200, using: &generator))
        person.host.timeEvidence.set(FixedTimeEvidence.synchronised)
    }

    private func drawConditions() {
        var conditions = NetworkConditions()
        conditions.loss = Double.random(in: 0...0.3, using: &generator)
        conditions.duplication = Double.random(in: 0...0.2, using: &generator)
        conditions.corruption = Double.random(in: 0...0.1, using: &generator)
        conditions.meddling = happens(0.5) ? Double.random(in: 0...0.1, using: &generator) : 0
        conditions.delay = 1...UInt64.random(in: 5...1500, using: &generator)
        conditions.carriesMulticast = happens(0.9)
        simulation.network.conditions = conditions
        var air = airConditions
        air.loss = Double.random(in: 0...0.5, using: &generator)
        air.pauses = happens(0.3) ? 0.02 : 0
        air.mtu = happens(0.3) ? 23 : 247
        simulation.air.conditions = air
    }

    /// One removes another and begins a new generation: from then on they are strangers.
    private func fallOut() async throws {
        let all = pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        guard all.count > people.count else { return }
        let pair = all[Int.random(in: all.indices, using: &generator)]
        let person = people[pair.from]
        guard person.isRunning, person.hasPower, !person.host.clock.isSuspended else { return }
        // Without an accepted clock or space on the disk the node refuses.
        guard let _ = try? await person.node.remove(people[pair.to].user) else { return }
        pairs.remove(pair)
        await observe()
        watch.removed(pair.to, by: pair.from, at: simulation.elapsed)
        watch.counts.removals += 1
        try? await person.node.renewAudiences()
        await observe()
        watch.renewed(pair.from)
    }

    private func attack() async {
        watch.counts.attacks += 1
        let victims = watch.announcements.sorted { $0.key < $1.key }
        guard !victims.isEmpty else { return }
        let announcement = victims[Int.random(in: victims.indices, using: &generator)].value
        // The attacker is where the victim is.
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let seconds = draw(30...900)
            simulation.start { [attacker] in await attacker.imitate(announcement, forSeconds: seconds) }
        case 1, 2:
            for message in watch.firstMessages.suffix(12) {
                guard let target = watch.announcements[message.to] else { continue }
                simulation.start { [attacker] in await attacker.replay(message, to: target) }
            }
        case 3:
            let count = Int(draw(5...60))
            simulation.start { [attacker] in await attacker.flood(announcement, links: count) }
            // While the links are open.
            await simulation.advance(byMilliseconds: 500)
            await observe()
        default:
            let minors = watch.minors
            simulation.start { [attacker] in await attacker.copy(minors) }
        }
    }

    /// Undoes everything that is due.
    func undo(before time: UInt64) async throws {
        let due = later.filter { $0.due <= time }
        later.removeAll { $0.due <= time }
        for entry in due {
            switch entry.undoing {
            case .wake(let number): wake(people[number])
            case .power(let number): if !people[number].hasPower { try await restart(people[number]) }
            case .time(let number): setRight(people[number])
            case .space(let number):
                await people[number].disk.setFull(false)
                people[number].messages.setFull(false)
            case .port(let number):
                people[number].host.links.fail(with: nil)
                people[number].host.monitor.report()
            case .evidence(let number): people[number].host.timeEvidence.set(FixedTimeEvidence.synchronised)
            case .conditions:
                simulation.network.conditions = NetworkConditions()
                simulation.air.conditions = airConditions
            }
        }
    }
}
