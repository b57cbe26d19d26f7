import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault
@testable import InklingWire

/// The bytes of the fields that versions 3 and 4 add at the end, where nothing is set.
private let additionsAfterVersion2 = 29

private func parsingError(_ bytes: [UInt8]) -> VaultContentsError? {
    do throws(VaultContentsError) {
        _ = try VaultContents(parsing: bytes.span)
        return nil
    } catch {
        return error
    }
}

/// Returns the visibility that is read back after it was stored.
private func kept(_ visibility: Visibility) throws -> Visibility {
    var contents = try fullContents()
    contents.visibility = visibility
    let stored = try encoded(contents)
    return try VaultContents(parsing: stored.span).visibility
}

/// Returns the form of version 2 of contents with at most one contact and nothing that later versions add.
private func encodedAsVersion2(_ contents: VaultContents) throws -> [UInt8] {
    var plain = contents
    for index in plain.contacts.indices {
        plain.contacts[index].assigned = []
        plain.contacts[index].granted = []
        plain.contacts[index].isLapsing = false
        plain.contacts[index].revokedDevices = []
        plain.contacts[index].delays = ContactDelays()
    }
    var stored = try encoded(plain)
    // The first 58 bytes end with the number of contacts.
    var trees = plain
    trees.contacts = []
    trees.audiences = []
    let added = additionsAfterVersion2 + 2 * plain.audiences.count
    let rest = try encoded(trees).count - 58 - additionsAfterVersion2
    stored.removeLast(added)
    if !plain.contacts.isEmpty {
        let end = stored.count - rest
        // Four bytes of version 3 and three of version 4.
        stored.removeSubrange(end - 7..<end)
    }
    stored[1] = 2
    return stored
}

private func bound(_ change: (inout VaultContents) throws -> Void) throws -> VaultContents.Bound? {
    var contents = try fullContents()
    try change(&contents)
    do {
        _ = try encoded(contents)
        return nil
    } catch let bound as VaultContents.Bound {
        return bound
    }
}

@Suite struct `Contents of a vault` {
    @Test func `contents with every field set can be written and parsed again`() throws {
        let stored = try encoded(try fullContents())
        let contents = try VaultContents(parsing: stored.span)
        try expectEqual(encoded(contents), stored)

        expectEqual(contents.displayName, "Ada Löwe")
        expectEqual(contents.rootSeed?.value.withBytes { Octets32($0) }, octets(0xa2))
        expectEqual(contents.identityGeneration, 2)
        expectEqual(contents.device.number, 3)
        #expect(contents.noiseKey.value.withBytes { Octets32($0) } == octets(0xa1))
        expectEqual(contents.card, [1, 2, 3])
        expectEqual(contents.cardSerial, 9)
        expectEqual(contents.audiences.map(\.generation), [496_001, 1, 7])
        expectEqual(contents.audiences[0].tree.value.interval, 496_000...1_048_575)
        expectEqual(contents.contacts.map(\.petname), ["Bo", "Bo"])
        expectEqual(contents.contacts.map(\.isBlocked), [false, true])
        expectEqual(contents.contacts.map(\.needsReview), [true, true])
        expectEqual(
            contents.contacts.map { $0.pairwiseKeys.map(\.origin) }, [[.firstContact], [.cards, .firstContact]])
        expectEqual(contents.contacts.map(\.agreement), [agreement(.complete, [1]), agreement(.waiting, [1, 4])])
        expectEqual(contents.contacts[0].grants.map(\.devices), [0b101])
        expectEqual(contents.contacts[0].grants[0].tree.value.interval, 496_000...496_719)
        expectEqual(contents.contacts[0].reported.map(\.audience), [2])
        expectEqual(
            contents.contacts.map(\.delays),
            [
                ContactDelays(arrive: .seconds(5), leave: .seconds(600), goodbye: .seconds(45)),
                ContactDelays(leave: .seconds(86_400)),
            ])
        expectEqual(
            contents.answeredMessages, [AnsweredMessage(epoch: examplePeriod.firstEpoch, ephemeral: octets(0xa5))])
        expectEqual(contents.highWaterEpoch, examplePeriod.firstEpoch)
        expectEqual(contents.latestAcceptedTime, 1_785_600_000)
        expectEqual(contents.vouches, .clock)
        expectEqual(contents.restored, RestoredCopy(generation: 4, latestAcceptedTime: 1_785_500_000))
        expectEqual(contents.restoredFrom, 1_785_400_000)
        expectEqual(contents.formerCounterKey?.value.withBytes { Octets32($0) }, octets(0xa6))
        expectEqual(contents.messageStore?.key.value.withBytes { Octets32($0) }, octets(0xa7))
        expectEqual(contents.messageStore.map { [$0.mark, $0.floor] }, [11, 12])
    }

    @Test func `rejects contents truncated at any length`() throws {
        let stored = try encoded(try fullContents())
        for length in stored.indices {
            let error = try #require(parsingError(Array(stored[..<length])))
            expectEqual(error.reason, .truncated)
            #expect(error.offset <= length)
        }
    }

    @Test func `rejects delays of a contact outside their ranges`() throws {
        var contents = try fullContents()
        contents.contacts[1].delays = ContactDelays()
        let stored = try encoded(contents)
        let delays: [UInt8] = [1, 0, 0, 0, 5, 1, 0, 0, 2, 88, 1, 0, 0, 0, 45]
        let start = try #require(
            stored.indices.first { stored.dropFirst($0).starts(with: delays) }, "the delays of the first contact")
        for (offset, value) in [
            (1, [0, 1, 81, 129]), (6, [0, 0, 0, 29]), (6, [0, 1, 81, 129]), (11, [0, 0, 0, 29]),
        ]
            as [(Int, [UInt8])]
        {
            var changed = stored
            changed.replaceSubrange(start + offset..<start + offset + 4, with: value)
            expectEqual(parsingError(changed), VaultContentsError(offset: start + offset, reason: .count))
        }
        var changed = stored
        changed[start] = 2
        expectEqual(parsingError(changed), VaultContentsError(offset: start, reason: .tag))
    }

    @Test func `rejects a byte after the end`() throws {
        let stored = try encoded(try fullContents())
        expectEqual(parsingError(stored + [0]), VaultContentsError(offset: stored.count, reason: .trailing))
    }

    @Test func `rejects contents of another version and names the version`() throws {
        var stored = try encoded(emptyContents())
        for version: UInt8 in [0, 5] {
            stored[1] = version
            expectEqual(parsingError(stored), VaultContentsError(offset: 0, reason: .version(UInt16(version))))
        }
    }

    @Test func `contents of version 3 end before the message store, and their contacts before the delays`() throws {
        var contents = try fullContents()
        contents.messageStore = nil
        var stored = try encoded(contents)
        // No message store, and nothing about other devices.
        stored.removeLast(1 + 14)
        for delays in [[1, 0, 0, 0, 5, 1, 0, 0, 2, 88, 1, 0, 0, 0, 45], [0, 1, 0, 1, 81, 128, 0]] as [[UInt8]] {
            let start = try #require(stored.indices.first { stored.dropFirst($0).starts(with: delays) })
            stored.removeSubrange(start..<start + delays.count)
        }
        stored[1] = 3
        let parsed = try VaultContents(parsing: stored.span)
        #expect(parsed.messageStore == nil)
        for index in contents.contacts.indices { contents.contacts[index].delays = ContactDelays() }
        try expectEqual(encoded(parsed), encoded(contents))
    }

    @Test func `contents with any changed byte are rejected, or written back unchanged`() throws {
        let stored = try encoded(try fullContents())
        for index in stored.indices {
            for change: UInt8 in [0x01, 0x80, 0xff] {
                var changed = stored
                changed[index] ^= change
                guard parsingError(changed) == nil else { continue }
                #expect(try encoded(try VaultContents(parsing: changed.span)) == changed)
            }
        }
    }

    @Test func `rejects invalid counts, tags and reserved bits at their offsets`() throws {
        let stored = try encoded(emptyContents())
        // Layout of the contents of a new node called Ada: version 4, name 1 + 3, seed 1, generation 4, device 1.
        let cases: [(offset: Int, value: UInt8, reason: VaultContentsError.Reason)] = [
            (2, 65, .count), (6, 2, .tag), (11, 16, .count), (44, 9, .count), (53, 9, .count),
        ]
        for (offset, value, reason) in cases {
            var changed = stored
            changed[offset] = value
            expectEqual(parsingError(changed), VaultContentsError(offset: offset, reason: reason))
        }
        var reserved = stored
        reserved[stored.count - 2 - additionsAfterVersion2] = 4
        expectEqual(
            parsingError(reserved), VaultContentsError(offset: stored.count - 2 - additionsAfterVersion2, reason: .tag))
    }

    /// Covers INK-PAIR-015.
    @Test func `keeps to whom the node is visible`() throws {
        try expectEqual(kept(.all), .all)
        try expectEqual(kept(.nobody), .nobody)
        let someone = try fullContents().contacts[0].user
        try expectEqual(kept(.contact(someone)), .contact(someone))
    }

    /// Covers INK-PAIR-015.
    @Test func `rejects a choice that is none, and one contact that is none`() throws {
        let stored = try encoded(emptyContents())
        // Before what later versions add, from the end: restored copy 1, vouches 1, time 1, epoch 1, answered messages 2, the choice.
        let place = stored.count - 7 - additionsAfterVersion2
        expectEqual(stored[place], 0)
        for value: UInt8 in [4, 0xff] {
            var changed = stored
            changed[place] = value
            expectEqual(parsingError(changed), VaultContentsError(offset: place, reason: .tag))
        }
        var one = stored
        one[place] = 1
        one.insert(contentsOf: [UInt8](repeating: 7, count: 16), at: place + 1)
        expectEqual(parsingError(one), VaultContentsError(offset: place + 1, reason: .tag))
    }

    @Test func `rejects a name that is not UTF-8`() throws {
        var stored = try encoded(emptyContents())
        stored[3] = 0xff
        expectEqual(parsingError(stored), VaultContentsError(offset: 3, reason: .text))
    }

    @Test func `rejects the nodes of a tree in the wrong order`() throws {
        var contents = emptyContents()
        contents.audiences = [Audience(id: 1, generation: 1, tree: SecretBox(try ownedTree()))]
        var stored = try encoded(contents)
        let tree = 54 + 12
        #expect(stored[tree] == UInt8(try ownedTree().nodes.count))
        stored.swapAt(tree + 1, tree + 6)
        let error = try #require(parsingError(stored))
        expectEqual(error.reason, .tree)
    }

    @Test func `rejects a contact that occurs twice at its second offset`() throws {
        var contents = emptyContents()
        contents.contacts = [try contact(1)]
        let one = try encoded(contents)
        contents.contacts = [try contact(1), try contact(2)]
        var two = try encoded(contents)
        let tail = try encoded(emptyContents()).count - 58
        let second = one.count - tail
        for index in second..<second + 16 { two[index] = 1 }
        expectEqual(parsingError(two), VaultContentsError(offset: second, reason: .duplicate))
    }

    @Test func `parses a contact of version 1, and takes what it had agreed to as agreed`() throws {
        var contents = emptyContents()
        contents.contacts = [try contact(1)]
        contents.contacts[0].reported = []
        contents.contacts[0].agreement.grantedUntil = nil
        var stored = try encodedAsVersion2(contents)
        // Version 2: standing, number of keys, number, origin, key, shared key, turn, no end. Version 1: origin, key.
        let start = 58 + 16 + 2 + 246 + 3
        expectEqual(Array(stored[start..<start + 7]), [3, 1, 0, 0, 0, 1, 1])
        stored.removeSubrange(start + 39..<start + 45)
        stored.removeSubrange(start..<start + 6)
        stored[1] = 1
        for (origin, expected) in [(UInt8(1), Standing.complete), (0, .waiting)] {
            stored[start] = origin
            let contact = try #require(try VaultContents(parsing: stored.span).contacts.first)
            expectEqual(contact.agreement.standing, expected)
            expectEqual(contact.pairwiseKeys.map(\.number.rawValue), [1])
            expectEqual(contact.agreement.shared, (origin == 1 ? PairwiseKeyNumber(rawValue: 1) : nil))
            // Until when the contact can recognise this node was not stored: at most the longest span.
            expectEqual(contact.agreement.grantedUntil?.number, (origin == 1 ? examplePeriod.number + 2231 : nil))
        }
    }

    @Test func `a contact of version 1 may hold a grant that was renewed in the last period shown`() throws {
        var contents = emptyContents()
        contents.contacts = [try contact(1)]
        contents.contacts[0].reported = []
        contents.contacts[0].agreement.grantedUntil = nil
        let last = try #require(Period(examplePeriod.number + 900))
        contents.highWaterEpoch = last.firstEpoch
        var stored = try encodedAsVersion2(contents)
        let start = 58 + 16 + 2 + 246 + 3
        stored.removeSubrange(start + 39..<start + 45)
        stored.removeSubrange(start..<start + 6)
        stored[1] = 1
        let contact = try #require(try VaultContents(parsing: stored.span).contacts.first)
        expectEqual(contact.agreement.grantedUntil?.number, last.number + 2231)
    }

    /// Covers INK-AUD-020.
    @Test func `in contents of version 2 every contact belonged to every audience, and could recognise by each`() throws
    {
        var contents = emptyContents()
        contents.audiences = Array(try fullContents().audiences.prefix(2))
        for index in contents.audiences.indices {
            contents.audiences[index].name = ""
            contents.audiences[index].within = nil
        }
        contents.contacts = [try contact(1)]
        let stored = try encodedAsVersion2(contents)
        let read = try VaultContents(parsing: stored.span)
        expectEqual(read.audiences.map { read.name(of: $0) }, ["all", "audience 2"])
        expectEqual(read.audiences.map(\.within), [nil, nil])
        expectEqual(read.contacts.map(\.assigned), [[2]])
        expectEqual(
            read.contacts[0].granted,
            [
                IssuedGrant(audience: 0x0102_0304_0506_0708, generation: 496_001, to: examplePeriod),
                IssuedGrant(audience: 2, generation: 1, to: examplePeriod),
            ])
        #expect(read.contacts.map(\.isLapsing) == [false] && read.formerContacts.isEmpty)
    }

    /// Covers INK-AUD-020.
    @Test func `audiences, who belongs to them and who can recognise by them are kept`() throws {
        let contents = try fullContents()
        let stored = try encoded(contents)
        let read = try VaultContents(parsing: stored.span)
        expectEqual(read.audiences.map(\.name), ["", "Freunde", "Nächste"])
        expectEqual(read.audiences.map(\.within), [nil, nil, 2])
        expectEqual(read.contacts.map(\.assigned), [[2, 3], []])
        expectEqual(read.contacts.map(\.granted), contents.contacts.map(\.granted))
        expectEqual(read.contacts.map(\.isLapsing), [true, false])
        expectEqual(read.contacts.map(\.revokedDevices), [[octets(0xd1)], []])
        expectEqual(read.formerContacts, contents.formerContacts)
        try expectEqual(kept(.audience(3)), .audience(3))
    }

    @Test func `rejects audiences around themselves, members of no audience, and two records of one person`() throws {
        try expectEqual(bound { $0.audiences[1].within = 3 }, .audienceOrder)
        try expectEqual(bound { $0.audiences[2].within = 3 }, .audienceOrder)
        try expectEqual(bound { $0.audiences[2].within = $0.audiences[0].id }, .audienceOrder)
        try expectEqual(
            bound {
                $0.audiences[2].id = 2
                $0.contacts[0].assigned = []
            }, .audienceOrder)
        try expectEqual(bound { $0.audiences[1].name = String(repeating: "x", count: 65) }, .audienceName)
        try expectEqual(bound { $0.contacts[0].assigned = [9] }, .assigned)
        try expectEqual(bound { $0.contacts[0].assigned = [2, 2] }, .assigned)
        try expectEqual(bound { $0.contacts[0].assigned = [$0.audiences[0].id] }, .assigned)
        try expectEqual(bound { $0.contacts[0].granted += $0.contacts[0].granted }, .issued)
        try expectEqual(bound { $0.formerContacts[0].granted = [] }, .issued)
        try expectEqual(
            bound { $0.contacts[0].revokedDevices = Array(repeating: octets(1), count: 17) }, .revokedDevices)
        try expectEqual(
            bound { $0.formerContacts = Array(repeating: $0.formerContacts[0], count: 10_001) }, .formerContacts)
        try expectEqual(bound { $0.visibility = .audience(9) }, .shownAudience)
        try expectEqual(bound { $0.visibility = .audience($0.audiences[0].id) }, .shownAudience)
        var twice = try fullContents()
        twice.formerContacts[0].user = twice.contacts[0].user
        let stored = try encoded(twice)
        expectEqual(parsingError(stored)?.reason, .duplicate)
    }

    @Test func `contents that exceed a limit are not written`() throws {
        let long = String(repeating: "ä", count: 33)
        try expectEqual(bound { $0.displayName = long }, .displayName)
        try expectEqual(bound { $0.noiseKey = SecretBox(secret(1, count: 31)) }, .noiseKey)
        try expectEqual(bound { $0.card = [UInt8](repeating: 0, count: 2049) }, .card)
        try expectEqual(bound { $0.audiences = Array(repeating: $0.audiences[0], count: 9) }, .audiences)
        try expectEqual(bound { $0.contacts = Array(repeating: $0.contacts[1], count: 10_001) }, .contacts)
        try expectEqual(bound { $0.contacts.append($0.contacts[0]) }, .duplicateContact)
        try expectEqual(bound { $0.contacts[0].petname = long }, .petname)
        try expectEqual(bound { $0.contacts[0].pairwiseKeys[0].key = SecretBox(secret(1, count: 33)) }, .pairwiseKey)
        try expectEqual(bound { $0.contacts[0].pairwiseKeys = [] }, .pairwiseKeys)
        try expectEqual(bound { $0.contacts[0].agreement = Agreement() }, .pairwiseKeys)
        try expectEqual(bound { $0.contacts[0].grants = Array(repeating: $0.contacts[0].grants[0], count: 9) }, .grants)
        try expectEqual(
            bound { $0.contacts[0].reported = Array(repeating: $0.contacts[0].reported[0], count: 9) }, .reported)
        try expectEqual(
            bound { $0.answeredMessages = Array(repeating: $0.answeredMessages[0], count: 8193) }, .answeredMessages)
        try expectEqual(bound { $0.vouches = OperatorVouches(rawValue: 2) }, .vouches)
        let nobodyKnown = Visibility.contact(UserID(Octets16(high: 1, low: 2)))
        try expectEqual(bound { $0.visibility = nobodyKnown }, .visibility)
        try expectEqual(bound { _ in }, nil)
    }

    /// Covers INK-GRA-020.
    @Test func `forgets the keys of past periods, except the previous one in grants`() throws {
        var contents = try fullContents()
        let later = try #require(Period(examplePeriod.number + 5))
        contents.forgetPast(before: later)
        expectEqual(contents.audiences[0].tree.value.interval, 496_005...1_048_575)
        expectEqual(contents.contacts[0].grants[0].tree.value.interval, 496_004...496_719)
        expectEqual(contents.answeredMessages, [])
        // An unchanged tree is the same box, and not a copy of the secret.
        let untouched = contents.audiences[0].tree
        contents.forgetPast(before: later)
        #expect(contents.audiences[0].tree === untouched)
    }

    @Test func `removes a grant that has ended`() throws {
        var contents = try fullContents()
        contents.forgetPast(before: try #require(Period(examplePeriod.number + 720)))
        expectEqual(contents.contacts[0].grants.count, 1)
        contents.forgetPast(before: try #require(Period(examplePeriod.number + 721)))
        #expect(contents.contacts[0].grants.isEmpty)
    }
}
