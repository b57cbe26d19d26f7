import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeRecordTests {
    /// Covers INK-GRA-003, INK-REC-002, INK-REC-004, INK-REC-005.
    @Test func `sends exactly the card and the grants that a HELLO lacks`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let audience = try #require(await alice.keeper.contents.audiences.first)
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period.number
            let longest = now + Grant.longestSpan - 1
            let hello = { (serial: UInt32, generation: UInt32, to: UInt32) throws in
                try Hello(
                    ownSerial: 1, peerSerial: serial,
                    grants: [
                        Hello.GrantReport(
                            audience: audience.id, generation: generation, to: try #require(Period(to)))
                    ])
            }
            let current = audience.generation
            let cases: [(UInt32, UInt32, UInt32, [RecordType])] = [
                (1, current, longest, [.hello]),
                // The grants that it holds may lack a device of the newer card.
                (0, current, longest, [.hello, .card, .grant]),
                (1, current, longest - 23, [.hello]),
                (1, current, longest - 24, [.hello, .grant]),
                (1, current - 1, longest, [.hello, .grant]),
                (0, current - 1, longest, [.hello, .card, .grant]),
            ]
            for (number, (serial, generation, to, expected)) in cases.enumerated() {
                let session = try #require(try await SpokenSession.call(alice, as: bob, seed: UInt64(number)))
                try await session.say(hello(serial, generation, to).record)
                #expect(try await session.rest().map(\.type) == expected, "case \(number)")
                await session.leave()
                await simulation.advance(bySeconds: 11)
            }
            let session = try await SpokenSession.begin(with: alice, as: bob, seed: 99)
            let heard = try await session.rest()
            #expect(heard.map(\.type) == [.hello, .card, .grant])
            let card = try await alice.node.ownCard()
            #expect(heard[1].body == card.bytes)
            let period = try #require(Period(now))
            let body = heard[2].body
            let grant = try Grant(
                parsing: body.span, issuer: card.identity, grantee: bob.user, now: period, heldGeneration: 0)
            // A grant never includes past periods.
            #expect(grant.from.number == now)
            #expect(grant.generation == current)
            #expect(current >= now)
        }
    }

    /// Covers INK-CRD-022, INK-CRD-026, INK-REC-024, INK-REC-025, INK-REC-026, INK-REC-027, INK-REC-031.
    @Test func `ignores unknown records, and drops invalid cards and grants`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let carol = try Person("Carol", in: simulation, isVisible: false)
            let carols = await carol.keeper.contents.card
            let before = try #require(await alice.keeper.contents.contacts.first)
            let session = try await SpokenSession.begin(with: alice, as: bob, seed: 1)
            _ = try await session.rest()

            let sayings: [(UInt8, [UInt8])] = [
                (0x42, [1, 2, 3]), (0x00, []), (0xff, [UInt8](repeating: 7, count: 16_384)), (0x1f, [1]),
                // An OFFER for a transport and for an address that do not exist.
                (0x05, [9, 1, 2, 3]), (0x05, [2, 127, 0, 0, 1]), (0x05, []),
                // STATE comes from the user's own primary device only.
                (0x06, [2] + [UInt8](repeating: 1, count: 49)), (0x06, []),
                // Invalid cards and grants, the card of another user, and a card with the same serial.
                (0x02, []), (0x02, [UInt8](repeating: 1, count: 249)), (0x02, carols),
                (0x02, try await renamedCard(of: bob, serial: 1).bytes), (0x03, []),
                (0x03, [UInt8](repeating: 1, count: 279)),
            ]
            try await session.beginTexts()
            for (number, (type, body)) in sayings.enumerated() {
                try await session.say(type, body)
                // The session continues.
                try await session.say(text: "still here", number: UInt64(number) + 1)
                let heard = try await session.rest()
                #expect(heard.map(\.type) == [.receipt], "type \(type), \(body.count) bytes")
                #expect(try heard.first?.receipt.last?.number == UInt64(number) + 1)
            }
            let after = try #require(await alice.keeper.contents.contacts.first)
            #expect(await alice.keeper.contents.contacts.count == 1)
            #expect(after.card == before.card)
            #expect(after.grants.map(\.generation) == before.grants.map(\.generation))
            let refused = alice.events.count { if case .trouble(.refused(bob.user, _, _)) = $0 { true } else { false } }
            #expect(refused >= 4)

            // A newer card of the contact is accepted, and the contact stays the same.
            try await session.say(0x02, try await renamedCard(of: bob, serial: 2).bytes)
            _ = try await session.rest()
            #expect(alice.events.contains(.renewed(bob.user)))
            #expect(await alice.node.contacts().map(\.cardName) == ["Robert"])
            #expect(await alice.node.contacts().map(\.user) == [bob.user])
        }
    }

    /// Covers INK-REC-030.
    @Test func `CLOSE ends a session, whatever its body is`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            for (number, body) in ([[], [1], [UInt8](repeating: 1, count: 5000)] as [[UInt8]]).enumerated() {
                let session = try await SpokenSession.begin(with: alice, as: bob, seed: UInt64(number))
                _ = try await session.rest()
                try await session.say(0x04, body)
                #expect(await session.hasEnded())
                #expect(await alice.node.status().sessions == 0)
            }
        }
    }

    /// Covers INK-PKT-027, INK-REC-022.
    @Test func `a record that does not decrypt or parse ends the session without an answer`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let endings: [@Sendable (SpokenSession) async throws -> Void] = [
                { try await $0.sayDamaged(Means(transports: [.tcp]).record) },
                { try await $0.send([0x90] + [UInt8](repeating: 3, count: 112)) },
                { try await $0.send([0x20] + [UInt8](repeating: 3, count: 112)) },
                { try await $0.send([0x90, 1]) },
                // A message that is cut off, one that is not UTF-8, and a truncated receipt.
                { try await $0.say(0x10, [UInt8](repeating: 1, count: 31)) },
                { try await $0.say(0x10, [UInt8](repeating: 1, count: 32) + [0xff]) },
                { try await $0.say(0x11, [UInt8](repeating: 0, count: 33)) },
            ]
            for (number, end) in endings.enumerated() {
                let session = try await SpokenSession.begin(with: alice, as: bob, seed: UInt64(number))
                _ = try await session.rest()
                #expect(await alice.node.status().sessions == 1)
                try await end(session)
                #expect(await session.hasEnded(), "ending \(number)")
                #expect(await alice.node.status().sessions == 0)
                await simulation.advance(bySeconds: 11)
            }
            #expect(!alice.events.contains { if case .message = $0 { true } else { false } })
        }
    }

    /// Covers INK-HSK-029, INK-HSK-030, INK-REC-023.
    @Test func `nothing about an initiator is shown or stored before its first record has been opened`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let contact = await alice.node.contacts()
            let first: [@Sendable (SpokenSession) async throws -> Void] = [
                { _ in },
                { try await $0.sayDamaged(Hello(ownSerial: 1, peerSerial: 0, grants: []).record) },
                { try await $0.send([0x90] + [UInt8](repeating: 0, count: 112)) },
                { try await $0.say(0x01, [0, 0, 0, 0, 0, 0, 0, 0, 0]) },
            ]
            for (number, begin) in first.enumerated() {
                let answered = await alice.keeper.contents.answeredMessages.count
                let start = simulation.elapsed
                let session = try #require(try await SpokenSession.call(alice, as: bob, seed: UInt64(number)))
                // Only the fact that this message was answered has been stored.
                #expect(await alice.keeper.contents.answeredMessages.count == answered + 1)
                try await begin(session)
                var hasEnded = false
                for _ in 0..<20 where !hasEnded { hasEnded = await session.hasEnded() }
                #expect(hasEnded)
                #expect(simulation.elapsed - start < 10_000)
                #expect(try await session.rest() == [])
                #expect(await alice.node.status().sessions == 0)
                #expect(await alice.node.contacts() == contact)
                await simulation.advance(bySeconds: 11)
            }
            #expect(alice.confirmations(of: bob) == 0)
        }
    }

    /// Covers INK-HSK-025.
    @Test func `does not answer a first message that cannot be stored`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            await alice.keeper.fail(with: .diskFull)
            let unanswered = try await SpokenSession.call(alice, as: bob, seed: 1)
            #expect(unanswered == nil)
            await alice.keeper.fail(with: nil)
            let answered = try await SpokenSession.call(alice, as: bob, seed: 2)
            #expect(answered != nil)
        }
    }

    /// Covers INK-REC-008.
    @Test func `a node that stops sends CLOSE as its last record`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let session = try await SpokenSession.begin(with: alice, as: bob, seed: 1)
            #expect(try await session.rest().last?.type == .grant)
            try await alice.stop()
            #expect(try await session.rest() == [SpokenSession.Heard(type: .close, body: [2])])
            #expect(await session.hasEnded())
        }
    }

    /// Covers INK-HSK-038, INK-REC-029.
    @Test func `of two sessions with one device the older ends with CLOSE two seconds later`() async throws {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let older = try await SpokenSession.begin(with: alice, as: bob, seed: 1)
            _ = try await older.rest()
            let newer = try await SpokenSession.begin(with: alice, as: bob, seed: 2)
            let start = simulation.elapsed
            var last: SpokenSession.Heard?
            // Each call of `next` waits for up to a second.
            #expect(try await older.next()?.type == .move)
            for _ in 0..<5 where last == nil { last = try await older.next() }
            #expect(last == SpokenSession.Heard(type: .close, body: [3]))
            #expect((1900...2200).contains(simulation.elapsed - start))
            #expect(await older.hasEnded())
            #expect(try await newer.rest().map(\.type) == [.hello, .card, .grant])
            #expect(await alice.node.status().sessions == 1)
        }
    }

    @Test func `a message counts as delivered only with its own receipt`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await aloneWithAContact(in: simulation)
            let session = try #require(try await SpokenSession.call(alice, as: bob, seed: 1))
            // Until the initiator's HELLO there is no session to send in.
            await #expect(throws: NodeError.notReachable) { try await alice.node.send("too early", to: bob.user) }
            try await session.say(Hello(ownSerial: 1, peerSerial: 0, grants: []).record)
            _ = try await session.rest()
            // The first receipt of the other side requests what it has not received.
            try await session.say(SyncReceipt(last: nil, room: 64).record)
            let stream = try #require(try await session.rest().first { $0.type == .stream }?.stream.stream)
            var numbers: [UInt64] = []
            for answer in ["none", "another", "its own"] {
                let outcome = Noted<String>("")
                simulation.start {
                    do throws(NodeError) {
                        try await alice.node.send(answer, to: bob.user)
                        outcome.value = "delivered"
                    } catch {
                        outcome.value = error == .notAcknowledged ? "not acknowledged" : "\(error)"
                    }
                }
                let heard = try #require(try await session.next()).message
                #expect(heard.text == answer)
                numbers.append(heard.number)
                let named = answer == "another" ? heard.number - 1 : heard.number
                if answer != "none", let last = SyncReceipt.Last(stream: stream, number: named, id: heard.id) {
                    try await session.say(SyncReceipt(last: answer == "another" ? nil : last, room: 64).record)
                }
                await simulation.advance(bySeconds: 6)
                #expect(outcome.value == (answer == "its own" ? "delivered" : "not acknowledged"))
            }
            #expect(numbers == [1, 2, 3])
            // The last receipt acknowledges what was sent before, too.
            #expect(try await alice.node.storedMessages().map(\.state) == [.delivered, .delivered, .delivered])
        }
    }

    /// Covers INK-REC-032.
    @Test func `a node holds at most 32 sessions`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let alice = try Person("Alice", in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            var sessions: [SpokenSession] = []
            for number in 1...33 {
                let caller = try Person("Caller \(number)", in: simulation, isVisible: false)
                await simulation.settle()
                try await acquaint(alice, caller)
                let session = try await SpokenSession.begin(with: alice, as: caller, seed: UInt64(number))
                sessions.append(session)
            }
            await simulation.settle()
            #expect(await alice.node.status().sessions == 32)
            #expect(try await sessions[31].rest().first?.type == .hello)
            #expect(try await sessions[32].rest() == [])
            // When one ends, there is room again.
            await sessions[0].leave()
            let last = try Person("Last", in: simulation, isVisible: false)
            await simulation.settle()
            try await acquaint(alice, last)
            let session = try await SpokenSession.begin(with: alice, as: last, seed: 99)
            #expect(try await session.rest().first?.type == .hello)
        }
    }
}

/// Creates a person on the network and a contact whose node is stopped.
private func aloneWithAContact(in simulation: Simulation) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation)
    let bob = try Person("Bob", in: simulation, isVisible: false)
    await simulation.settle()
    try await acquaint(alice, bob)
    try await bob.stop()
    try await simulation.wait(forSeconds: 20) { await alice.isShown() }
    return (alice, bob)
}

/// Creates a card that a person could have signed under another name.
private func renamedCard(of person: Person, serial: UInt32) async throws -> ContactCard {
    let contents = await person.keeper.contents
    let seed = try #require(contents.rootSeed)
    let now = try #require(Epoch(containing: person.host.clock.read().unixSeconds)).period
    return try ContactCard(
        identity: seed.value.identityKey(generation: 1), generation: 1, serial: serial,
        presence: seed.value.presenceKey(generation: 1).publicKey,
        certificates: ContactCard(parsing: contents.card.span, now: now).certificates, name: "Robert")
}
