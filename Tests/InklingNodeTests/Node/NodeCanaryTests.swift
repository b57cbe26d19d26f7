import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeCanaryTests {
    @Test func `no event, error or status shows a name, a tag, a key or an invitation`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let spoken = Noted<[String]>([])
            func note(_ value: some Any) {
                var dumped = ""
                dump(value, to: &dumped)
                spoken.value += [String(describing: value), String(reflecting: value), dumped]
            }
            let (alice, bob) = try await strangers(in: simulation)
            let invitation = Noted<Invitation?>(nil)
            let meeting = try await firstContact(of: alice, with: bob, noting: invitation)
            note(meeting.inviter)
            note(meeting.joiner)
            let used = try #require(invitation.value)
            // Not dumped: the mirror of a box with a noncopyable value crashes.
            spoken.value += [String(describing: used), String(reflecting: used)]
            await fails(note) { try await bob.node.accept(used) { _ in true } }
            await fails(note) { try await alice.node.add(bob.firstCard) }
            await fails(note) { try await alice.node.acceptSealedGrant([1, 2, 3]) }
            let sealed = try #require(try await alice.node.sealedGrants(for: bob.user).first)
            await fails(note) { try await alice.node.acceptSealedGrant(sealed) }
            try await alice.node.send("a text", to: bob.user)

            let stranger = simulation.addHost()
            let epoch = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            let packet = try await confirmMessage(to: alice, in: epoch, from: bob, seed: 4)
            let shown = try #require(announced(by: alice, in: simulation).first)
            for bytes in [packet, packet, packet.dropLast() + [0]] {
                let link = try await stranger.links.connect(
                    to: Endpoint(address: alice.host.address, port: shown.port), within: .seconds(3))
                try await link.send(bytes)
                await fails(note) { try await link.receive(upTo: 16, within: .seconds(20)) }
                await link.close()
            }
            await alice.keeper.fail(with: .diskFull)
            await fails(note) { try await alice.node.rename(bob.user, to: "Robert") }
            await simulation.advance(bySeconds: 1000)
            await alice.keeper.fail(with: nil)
            alice.host.clock.step(byMilliseconds: -7_200_000)
            await simulation.advance(bySeconds: 100)
            alice.host.clock.step(byMilliseconds: 7_200_000)
            await simulation.advance(bySeconds: 1000)
            bob.host.discovery.crash(with: .server(code: 3))
            await simulation.advance(bySeconds: 1000)

            for person in [alice, bob] {
                note(await person.node.status())
                note(await person.node.contacts())
                for event in person.events { note(event) }
            }
            let canaries = try await canaries(of: alice, bob, in: simulation) + invitationCanaries(used)
            #expect(canaries.count > 100)
            #expect(spoken.value.count > 100)
            let text = spoken.value.joined(separator: "\n").lowercased()
            for canary in canaries where text.contains(canary.lowercased()) {
                Issue.record(
                    "found \(canary) in \(spoken.value.first { $0.lowercased().contains(canary.lowercased()) } ?? "")")
            }
            // The control: the search finds these values.
            #expect(text.contains(alice.user.octets.description))
            #expect(text.contains("no space left"))
        }
    }
}

private func fails(_ note: (any Error) -> Void, _ body: () async throws -> some Any) async {
    do {
        _ = try await body()
        Issue.record("expected an error")
    } catch {
        note(error)
    }
}

/// Returns every secret and identifier of these people, in every form in which it could be printed.
private func canaries(of people: Person..., in simulation: Simulation) async throws -> [String] {
    var found: [String] = []
    for instance in people.flatMap({ announced(by: $0, in: simulation) }) {
        found += [instance.name.description, instance.host.description]
    }
    for person in people {
        let contents = await person.keeper.contents
        contents.noiseKey.value.withBytes { found += forms(of: $0) }
        contents.rootSeed?.value.withBytes { found += forms(of: $0) }
        for certificate in person.firstCard.certificates { certificate.key.withBytes { found += forms(of: $0) } }
        person.firstCard.identity.withBytes { found += forms(of: $0) }
        person.firstCard.presence.withBytes { found += forms(of: $0) }
        for audience in contents.audiences {
            audience.tree.value.withKeyBytes { keys in
                for start in stride(from: 0, to: keys.count, by: 32) {
                    found += forms(of: keys.extracting(start..<start + 32))
                }
            }
            let now = try #require(Epoch(containing: person.host.clock.read().unixSeconds))
            for epoch in [now, now.next].compactMap({ $0 }) {
                guard let period = audience.tree.value.periodKey(epoch.period) else { continue }
                let keys = period.deviceKeys(.first)
                found += [
                    keys.mdns.serviceName(epoch).description, keys.mdns.hostName(epoch).description,
                    keys.gatt.tag(epoch).description, "minor: \(keys.beacon.minor(epoch).value)",
                ]
                keys.confirm.preSharedKey(epoch).withBytes { found += forms(of: $0) }
                keys.confirm.gateKey(epoch).withBytes { found += forms(of: $0) }
            }
        }
        for contact in contents.contacts {
            for kept in contact.pairwiseKeys { kept.key.value.withBytes { found += forms(of: $0) } }
            for grant in contact.grants {
                grant.tree.value.withKeyBytes { keys in
                    for start in stride(from: 0, to: keys.count, by: 32) {
                        found += forms(of: keys.extracting(start..<start + 32))
                    }
                }
            }
        }
    }
    return found
}

private func invitationCanaries(_ invitation: Invitation) -> [String] {
    var found: [String] = []
    invitation.secret.value.withBytes { found += forms(of: $0) }
    invitation.encoded().withBytes { bytes in
        if let text = try? TextForm.encode(.invitation, bytes) { found.append(text) }
    }
    return found
}

/// Returns bytes as hexadecimal, base64, base32, and as the list of numbers that Swift prints for an array.
private func forms(of bytes: Span<UInt8>) -> [String] {
    let bytes = bytes.indices.map { bytes[$0] }
    return [
        hex(bytes), digits(of: bytes, bitsEach: 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
        digits(of: bytes, bitsEach: 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        bytes.prefix(8).map(String.init).joined(separator: ", "),
        // The first half of a value that is stored as two numbers.
        String(bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }),
    ]
}

/// Encodes whole digits only, because a last, partial digit depends on the padding.
private func digits(of bytes: [UInt8], bitsEach width: Int, _ alphabet: String) -> String {
    let letters = Array(alphabet)
    var text = "", value = 0, count = 0
    for byte in bytes {
        value = value << 8 | Int(byte)
        count += 8
        while count >= width {
            count -= width
            text.append(letters[value >> count & (1 << width - 1)])
        }
        value &= 1 << count - 1
    }
    return text
}
