import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// Links a tag device to a person; it has a radio.
private func tagDevice(
    of owner: Person, in simulation: Simulation, isTag: Bool = true
) async throws -> Person {
    let contents = try #require(try await linkDevice(to: owner, in: simulation).device.contents)
    return try await Person(owner.name, from: contents, in: simulation, hasRadio: true, isTag: isTag)
}

/// Advances to a moment of the next epoch.
private func enterNextEpoch(_ simulation: Simulation, plus seconds: UInt64 = 30) async throws {
    let next = try #require((0...1000).lazy.map { 600_000 + $0 * 900_000 }.first { $0 > simulation.elapsed })
    await simulation.advance(byMilliseconds: UInt64(next) - simulation.elapsed + seconds * 1000)
}

/// The keys of a device that does not exist.
private let somePairwiseKey = SecretBox(SecretBytes(copying: [UInt8](repeating: 5, count: keyByteCount).span))
private let someKey = Octets32(first: Octets16(high: 1, low: 2), second: Octets16(high: 3, low: 4))

extension Person {
    /// The epoch of this host's clock.
    fileprivate var epoch: Epoch {
        get throws { try #require(Epoch(containing: host.clock.read().unixSeconds)) }
    }

    /// The time of the owner's last confirmation, in Unix seconds.
    fileprivate var confirmedAt: UInt64? {
        get async { await keeper.contents.own.lastMeeting }
    }

    /// Returns the packets that this host has sent on the network since a moment, except browse queries.
    fileprivate func emissions(since start: UInt64 = 0) -> [NetworkSighting] {
        simulation.network.sightings(from: host).filter { $0.time >= start && $0.kind != .browseQuery }
    }

    fileprivate func announcements(since start: UInt64 = 0) -> [NetworkSighting] {
        emissions(since: start).filter { if case .announcement = $0.kind { true } else { false } }
    }
}

@Suite struct NodeTagDeviceTests {
    /// Covers INK-RSP-006, INK-RSP-009, INK-RSP-011.
    @Test func `a tag device listens for its owner's device, and shows itself from the next boundary on`() async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation)
            try await simulation.wait(forSeconds: 60) {
                await tag.node.status().silence == .unconfirmed(shownFrom: nil)
            }
            #expect(await tag.node.status().owner == .unconfirmed)
            try await simulation.wait(forSeconds: 120) { await tag.confirmedAt != nil }
            let next = try #require(try tag.epoch.next)
            try await simulation.wait(forSeconds: 10) {
                await tag.node.status().silence == .unconfirmed(shownFrom: next)
            }
            // The session lasts, and nothing is shown until the boundary.
            await simulation.advance(byMilliseconds: 590_000 - simulation.elapsed)
            #expect(await tag.node.status().sessions == 1)
            #expect(tag.announcements().isEmpty)
            #expect(simulation.air.broadcasts(from: tag.radio).isEmpty)
            try await enterNextEpoch(simulation)
            for technology in await tag.node.status().technologies { #expect(technology.showing == next) }
            #expect(await tag.node.status().owner == .nearOwner)
            #expect(!tag.announcements().isEmpty)
            #expect(!simulation.air.broadcasts(from: tag.radio).isEmpty)
            // It is confirmed in every epoch, and stays visible.
            for _ in 0..<4 {
                try await enterNextEpoch(simulation)
                #expect(await tag.node.status().silence == nil)
                #expect(await tag.node.status().technologies.map { $0.showing != nil } == [true, true])
            }
        }
    }

    /// Covers INK-RSP-009.
    @Test func `a tag device that is silent connects to its owner's device over Bluetooth too`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation)
            simulation.network.partition([[alice.host], [tag.host]])
            try await simulation.wait(forSeconds: 300) { await tag.confirmedAt != nil }
            #expect(simulation.air.broadcasts(from: tag.radio).isEmpty)
            #expect(!simulation.air.links(from: tag.radio).isEmpty)
            try await enterNextEpoch(simulation)
            #expect(try await tag.bluetooth().showing == (try tag.epoch))
        }
    }

    /// T-DULT-1 and T-DULT-2, with a device that is no tag device as the control.
    ///
    /// Covers INK-RSP-004, INK-RSP-005.
    @Test(arguments: [true, false])
    func `without its owner a tag device leaves the air within 30 minutes, and the network within a day`(
        isTag: Bool
    ) async throws {
        try await Simulation.run(seed: 3) { simulation in
            simulation.air.conditions.interval = 10_000
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation, isTag: isTag)
            try await enterNextEpoch(simulation)
            try await enterNextEpoch(simulation, plus: 100)
            #expect(await tag.node.status().technologies.map { $0.showing != nil } == [true, true])
            try await alice.stop()
            let confirmed = try #require(await tag.confirmedAt)
            let late = tag.host.clock.read().unixSeconds - confirmed
            // The moment of the confirmation in the time of the simulation.
            let moment = simulation.elapsed - late * 1000
            await simulation.advance(bySeconds: 26 * 3600)
            let lastBeacon = try #require(simulation.air.broadcasts(from: tag.radio).map(\.last).max())
            let lastName = try #require(tag.announcements().map(\.time).max())
            guard isTag else {
                #expect(lastBeacon > moment + 25 * 3_600_000 && lastName > moment + 25 * 3_600_000)
                return
            }
            #expect(lastBeacon <= moment + 1_800_000)
            #expect(lastBeacon > moment + 900_000 - 60_000)
            #expect(lastName <= moment + 86_400_000)
            #expect(lastName > moment + 82_800_000)
            #expect(tag.emissions(since: moment + 86_400_000).isEmpty)
            #expect(await tag.node.status().silence == .unconfirmed(shownFrom: nil))

            // A restart changes nothing, and the owner ends it.
            try await tag.stop()
            try await tag.restart()
            await simulation.advance(bySeconds: 3 * 900)
            #expect(tag.emissions(since: moment + 86_400_000).isEmpty)
            #expect(tag.radio.address == nil && tag.radio.isOpen)
            try await alice.restart()
            try await simulation.wait(forSeconds: 3 * 900) {
                await tag.node.status().technologies.allSatisfy { $0.showing != nil }
            }
        }
    }

    /// T-DULT-2: with the high-water mark removed, the planted fault, the beacon comes back.
    ///
    /// Covers INK-RSP-007.
    @Test(arguments: [true, false])
    func `a clock that is set back to the confirmation gives no beacon`(hasHighWater: Bool) async throws {
        try await Simulation.run(seed: 4) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation)
            try await enterNextEpoch(simulation, plus: 100)
            try await alice.stop()
            let confirmed = try #require(await tag.confirmedAt)
            // Within the period, of which the keys are still there.
            await simulation.advance(bySeconds: 2 * 900)
            #expect(tag.radio.address == nil)
            try await tag.stop()
            var contents = await tag.keeper.contents
            let shown = try #require(contents.highWaterEpoch)
            #expect(shown == (try tag.epoch))
            // The attacker has also removed the latest accepted time, so that the clock is accepted.
            contents.latestAcceptedTime = nil
            if !hasHighWater { contents.highWaterEpoch = nil }
            let ahead = Int64(confirmed * 1000) - Int64(tag.host.clock.read().unixMilliseconds)
            let moved = try await Person(
                "Alice", from: contents, in: simulation, clockError: ahead, hasRadio: true, isTag: true)
            await simulation.advance(bySeconds: 6 * 900)
            let epochs = moved.showings(over: .bluetooth).map(\.epoch)
            if hasHighWater {
                #expect(epochs.isEmpty)
                #expect(simulation.air.broadcasts(from: moved.radio).isEmpty)
                #expect(moved.showings(over: .lan).allSatisfy { $0.epoch > shown })
            } else {
                #expect(!epochs.isEmpty && epochs.allSatisfy { $0.start <= confirmed + 1800 })
            }
        }
    }

    /// Covers INK-RSP-007.
    @Test func `after a restart a tag device shows itself from the next boundary on`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation)
            try await enterNextEpoch(simulation, plus: 60)
            #expect(try await tag.bluetooth().showing != nil)
            try await tag.stop()
            try await tag.restart()
            let start = simulation.elapsed
            await simulation.advance(bySeconds: 600)
            #expect(tag.announcements(since: start).isEmpty)
            #expect(tag.radio.address == nil)
            try await enterNextEpoch(simulation)
            #expect(await tag.node.status().technologies.map { $0.showing != nil } == [true, true])
        }
    }

    /// T-DULT-3.
    ///
    /// Covers INK-RSP-002, INK-RSP-010.
    @Test func `a contact confirms no tag device, which calls and answers nobody without its owner`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation, hasRadio: true)
            await simulation.settle()
            try await acquaint(alice, bob)
            let tag = try await tagDevice(of: alice, in: simulation)
            try await alice.stop()
            // The tag device knows the contact, and hears it.
            #expect(await tag.keeper.contents.contacts.map(\.user) == [bob.user])
            #expect(await tag.confirmedAt == nil)
            await simulation.advance(bySeconds: 5 * 900)
            #expect(await tag.confirmedAt == nil)
            #expect(await tag.node.status().owner == .unconfirmed)
            #expect(tag.emissions().isEmpty)
            #expect(simulation.air.calls(from: tag.radio).isEmpty)
            #expect(tag.confirmations(of: bob) == 0)
            #expect(!simulation.network.sightings(from: bob.host).isEmpty)

            // Near its owner it meets the contact; separated it answers on the network, and calls nobody.
            try await alice.restart()
            try await simulation.wait(forSeconds: 3 * 900) { tag.confirmations(of: bob) > 0 }
            try await alice.stop()
            try await enterNextEpoch(simulation, plus: 0)
            try await enterNextEpoch(simulation, plus: 0)
            let start = simulation.elapsed
            let before = tag.confirmations(of: bob)
            await simulation.advance(bySeconds: 3 * 900)
            #expect(await tag.node.status().owner == .separated)
            #expect(simulation.air.calls(from: tag.radio).allSatisfy { $0.time < start })
            #expect(
                !tag.emissions(since: start).contains {
                    switch $0.kind {
                    case .connection, .repeatedConnection, .instanceQuery: true
                    default: false
                    }
                })
            #expect(tag.confirmations(of: bob) > before)
        }
    }

    /// T-DULT-3: two devices in one bag do not confirm each other.
    ///
    /// Covers INK-RSP-002.
    @Test func `a primary device that is run as a tag device shows nothing, also beside its other device`() async throws
    {
        try await Simulation.run(seed: 7) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true, isTag: true)
            await simulation.settle()
            var contents = await alice.keeper.contents
            contents.own.add(
                OwnDevices.Device(
                    index: try #require(DeviceIndex(1)), key: someKey,
                    pairwiseKey: somePairwiseKey, lastMet: alice.host.clock.read().unixSeconds),
                holding: contents.audiences)
            #expect(OwnerConfirmation(storedIn: contents).latest == nil)
            try await simulation.wait(forSeconds: 60) {
                await alice.node.status().silence == .unconfirmed(shownFrom: nil)
            }
            await #expect(throws: NodeError.self) { try await alice.node.invite(lasting: .seconds(300)) { _ in true } }
            await simulation.advance(bySeconds: 3 * 900)
            #expect(alice.emissions().isEmpty)
            #expect(simulation.air.broadcasts(from: alice.radio).isEmpty)
            #expect(await alice.node.status().silence == .unconfirmed(shownFrom: nil))
        }
    }

    /// T-DULT-4: address, minor and tag change together, also when the device leaves the air and comes back.
    ///
    /// Covers INK-RSP-004.
    @Test func `each address has one minor and each minor one address, with silences of epochs between them`()
        async throws
    {
        try await Simulation.run(seed: 8) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let tag = try await tagDevice(of: alice, in: simulation)
            for _ in 0..<3 {
                try await simulation.wait(forSeconds: 3 * 900) { tag.radio.address != nil }
                try await enterNextEpoch(simulation)
                try await alice.stop()
                await simulation.advance(bySeconds: 4 * 900)
                #expect(tag.radio.address == nil)
                try await alice.restart()
            }
            let shown = simulation.air.broadcasts(from: tag.radio)
            #expect(shown.count >= 6)
            #expect(Set(shown.map(\.address)).count == shown.count)
            #expect(Set(shown.compactMap(\.minor)).count == shown.count)
        }
    }

    /// Covers INK-RSP-003.
    @Test func `a confirmation is dropped with the clock that counted it`() throws {
        var randomness = SeededGenerator(seed: 9)
        var contents = try NodeIdentity.makeContents(
            name: "Alice", now: try #require(Period(497_000)), using: &randomness)
        contents.own.add(
            OwnDevices.Device(
                index: try #require(DeviceIndex(3)), key: someKey,
                pairwiseKey: somePairwiseKey, lastMet: 1_800_000_000),
            holding: contents.audiences)
        contents.rootSeed = nil
        #expect(OwnerConfirmation(storedIn: contents).latest == Epoch(containing: 1_800_000_000))
        contents.apply(.beginGenerations(contents.audiences, nil))
        #expect(OwnerConfirmation(storedIn: contents).latest == nil)
    }
}
