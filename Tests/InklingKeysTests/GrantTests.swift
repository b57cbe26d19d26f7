import InklingTesting
import Testing

@testable import InklingKeys

/// The offsets of the fields in a grant with one certificate.
private enum Place {
    static let version = 0, issuer = 1, audience = 33, generation = 41, from = 45, to = 49, bitmap = 53
    static let certificate = 55, nodeCount = 161, firstNode = 162
}

private func u32(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(u32: value)
    return bytes
}

@Suite struct `A grant` {
    private let ada = Person(1)
    private let bo = Person(2)
    // The cover has two nodes: periods 496,000 to 496,127, and the 16 periods after them.
    private let last = examplePeriod + 143

    private func grant(
        generation: UInt32 = 1, from: UInt32 = examplePeriod, to: UInt32? = nil,
        certificates: [DeviceCertificate]? = nil
    ) throws -> Grant {
        try Grant(
            issuer: ada.identity, audience: AudienceID(0x0102_0304_0506_0708), generation: generation,
            of: exampleTree(), from: try period(from), to: try period(to ?? last),
            certificates: try certificates ?? [ada.certificate()], grantee: bo.userID)
    }

    private func signedBytes(_ grant: Grant) -> [UInt8] {
        grant.signed(by: ada.identity).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func read(
        _ bytes: [UInt8], issuer: Octets32? = nil, grantee: UserID? = nil, now: UInt32 = examplePeriod, held: UInt32 = 0
    ) throws -> Grant {
        try Grant(
            parsing: bytes.span, issuer: issuer ?? ada.identity.publicKey, grantee: grantee ?? bo.userID,
            now: try period(now), heldGeneration: held)
    }

    private func refusal(
        _ bytes: [UInt8], issuer: Octets32? = nil, grantee: UserID? = nil, now: UInt32 = examplePeriod, held: UInt32 = 0
    ) -> GrantError? {
        do {
            _ = try read(bytes, issuer: issuer, grantee: grantee, now: now, held: held)
            return nil
        } catch {
            return error as? GrantError
        }
    }

    private func changed(_ bytes: [UInt8], at place: Int, to replacement: [UInt8]) -> [UInt8] {
        ada.resigned(bytes.replacing(at: place, with: replacement), as: DerivationLabel.grant)
    }

    private func key(_ grant: Grant, _ number: UInt32) throws -> Octets32? {
        grant.tree.value.periodKey(try period(number))?.withBytes { Octets32($0) }
    }

    @Test func `survives encoding and parsing`() throws {
        let written = try grant(certificates: [ada.certificate(0), ada.certificate(9, isPrimary: false)])
        let bytes = signedBytes(written)
        expectEqual(bytes.count, 136 + 2 * 106 + 2 * 37)
        let got = try read(bytes)
        expectEqual(got.issuer, ada.identity.publicKey)
        expectEqual(got.audience, written.audience)
        expectEqual(got.generation, 1)
        expectEqual(got.from.number, examplePeriod)
        expectEqual(got.to.number, last)
        expectEqual(got.certificates, written.certificates)
        expectEqual(got.grantee, bo.userID)
        expectEqual(got.tree.value.nodes, written.tree.value.nodes)
        expectEqual(signedBytes(got), bytes)
    }

    @Test func `has the maximum length with the most nodes and certificates`() throws {
        let certificates = try (UInt8(0)..<16).map { try ada.certificate($0, from: 0, to: 8927, isPrimary: false) }
        let written = try grant(from: 1, to: 2046, certificates: certificates)
        let bytes = signedBytes(written)
        expectEqual(bytes.count, Grant.byteLimit)
        try expectEqual(read(bytes, now: 1).certificates.count, 16)
    }

    @Test func `contains the keys of its periods and no others`() throws {
        let got = try read(signedBytes(grant()))
        let owner = exampleTree()
        for number in [examplePeriod, examplePeriod + 127, examplePeriod + 128, last] {
            try expectEqual(key(got, number), owner.periodKey(period(number))?.withBytes { Octets32($0) })
        }
        for number in [0, examplePeriod - 1, last + 1, Period.limit - 1] { try expectEqual(key(got, number), nil) }
    }

    @Test func `yields no key of the gap to another grant`() throws {
        let early = try grant(to: examplePeriod + 4)
        let late = try grant(from: examplePeriod + 100, to: examplePeriod + 109)
        let keys = [early, late].flatMap { grant in
            grant.tree.value.withKeyBytes { bytes in
                stride(from: 0, to: bytes.count, by: 32).map { start in
                    SecretBox(SecretBytes(copying: bytes.extracting(start..<start + 32)))
                }
            }
        }
        // No leaf of the gap can be reached from a node of either grant by the steps of the tree.
        let gap = Set(
            try (examplePeriod + 5..<examplePeriod + 100).map { number in
                try unwrap(exampleTree().periodKey(try period(number))?.withBytes { Octets32($0) })
            })
        for key in keys {
            for steps in UInt8(0)...8 {
                for path in UInt32(0)..<1 << UInt32(steps) {
                    let reached = octets(AudienceTree.descend(from: key.value.duplicate(), steps: steps, path: path))
                    expectEqual(reached.map(gap.contains), false)
                }
            }
        }
        expectEqual(gap.count, 95)
        for grant in [early, late] { try expectEqual(key(grant, examplePeriod + 50), nil) }
    }

    @Test func `is not created with periods or certificates that readers would refuse`() throws {
        #expect(throws: GrantError.reversed) { try grant(to: examplePeriod - 1) }
        #expect(throws: GrantError.tooLong) { try grant(to: examplePeriod + 2232) }
        try expectEqual(grant(to: examplePeriod + 2231).to.number, examplePeriod + 2231)
        #expect(throws: GrantError.zeroGeneration) { try grant(generation: 0) }
        #expect(throws: GrantError.certificates(.emptyBitmap)) { try grant(certificates: []) }
        #expect(throws: GrantError.certificates(.deviceIndex)) {
            try grant(certificates: [ada.certificate(2, isPrimary: false), ada.certificate(1, isPrimary: false)])
        }
        var advanced = exampleTree()
        advanced.forget(before: try period(examplePeriod + 1))
        #expect(throws: GrantError.notHeld) {
            try Grant(
                issuer: ada.identity, audience: AudienceID(1), generation: 1, of: advanced,
                from: try period(examplePeriod), to: try period(last), certificates: [ada.certificate()],
                grantee: bo.userID)
        }
    }

    @Test func `is refused if it is too short or too long`() throws {
        let bytes = signedBytes(try grant())
        for count in 0..<bytes.count { expectEqual(refusal([UInt8](bytes.prefix(count))), .tooShort) }
        expectEqual(refusal(bytes + [0]), .tooLongInput)
        for count in [0, 21, 255] as [UInt8] {
            expectEqual(refusal(bytes.replacing(at: Place.nodeCount, with: [count])), .nodeCount)
        }
    }

    @Test func `is refused if any byte is changed`() throws {
        let bytes = signedBytes(try grant())
        for place in bytes.indices {
            #expect(refusal(bytes.replacing(at: place, with: [bytes[place] ^ 0x10])) != nil, "byte \(place)")
        }
    }

    /// Covers INK-GRA-004.
    @Test func `is refused for another reader or from another issuer`() throws {
        let bytes = signedBytes(try grant())
        expectEqual(refusal(bytes, issuer: bo.identity.publicKey), .unknownIssuer)
        expectEqual(refusal(bytes, grantee: ada.userID), .notOurs)
        expectEqual(refusal(bo.resigned(bytes, as: DerivationLabel.grant)), .invalidSignature)
        expectEqual(refusal(ada.resigned(bytes, as: DerivationLabel.card)), .invalidSignature)
        expectEqual(refusal(changed(bytes, at: bytes.count - 80, to: [0])), .notOurs)
    }

    @Test func `is refused for each error despite a valid signature`() throws {
        let bytes = signedBytes(try grant())
        expectEqual(refusal(changed(bytes, at: Place.version, to: [1])), nil)
        expectEqual(refusal(changed(bytes, at: Place.version, to: [2])), .unknownVersion)
        expectEqual(refusal(changed(bytes, at: Place.to, to: u32(examplePeriod - 1))), .reversed)
        expectEqual(refusal(changed(bytes, at: Place.to, to: u32(examplePeriod + 2232))), .tooLong)
        expectEqual(refusal(changed(bytes, at: Place.to, to: u32(.max))), .tooLong)
        expectEqual(refusal(changed(bytes, at: Place.from, to: u32(.max))), .reversed)
        expectEqual(
            refusal(
                changed(changed(bytes, at: Place.from, to: u32(Period.limit)), at: Place.to, to: u32(Period.limit))),
            .outOfTree)
        expectEqual(
            refusal(changed(changed(bytes, at: Place.from, to: u32(.max)), at: Place.to, to: u32(.max))), .outOfTree)
        expectEqual(refusal(changed(bytes, at: Place.to, to: u32(last - 1))), .notCanonical)
        expectEqual(refusal(changed(bytes, at: Place.firstNode, to: [14])), .notCanonical)
        expectEqual(refusal(changed(bytes, at: Place.firstNode + 1, to: u32(3876))), .notCanonical)
        expectEqual(refusal(changed(bytes, at: Place.bitmap, to: [0, 2])), .certificates(.deviceIndex))
        expectEqual(refusal(changed(bytes, at: Place.certificate + 42, to: [0])), .certificates(.invalidSignature))
        expectEqual(refusal(changed(bytes, at: Place.generation, to: u32(0))), .zeroGeneration)
        expectEqual(refusal(changed(bytes, at: Place.generation, to: u32(examplePeriod + 24))), nil)
        expectEqual(refusal(changed(bytes, at: Place.generation, to: u32(examplePeriod + 25))), .generationTooFar)
        expectEqual(refusal(changed(bytes, at: Place.generation, to: u32(.max))), .generationTooFar)
    }

    @Test func `is refused if it is too early, has ended, or has an older generation`() throws {
        let bytes = signedBytes(try grant(generation: 7))
        expectEqual(refusal(bytes, now: examplePeriod - 24), nil)
        expectEqual(refusal(bytes, now: examplePeriod - 25), .notYet)
        expectEqual(refusal(bytes, now: last), nil)
        expectEqual(refusal(bytes, now: last + 1), .ended)
        expectEqual(refusal(bytes, held: 7), nil)
        expectEqual(refusal(bytes, held: 8), .olderGeneration)
        expectEqual(refusal(bytes, held: examplePeriod + 24), .olderGeneration)
        // Such a generation was begun by a clock that was ahead.
        expectEqual(refusal(bytes, held: examplePeriod + 25), nil)
        expectEqual(refusal(bytes, held: .max), nil)
        expectEqual(refusal(bytes, now: Period.limit - 1), .ended)
    }

    @Test func `is not canonical with two child nodes instead of their parent`() throws {
        // Replaces the first node, of 128 periods, with its two children of 64.
        let written = try grant()
        let bytes = signedBytes(written)
        let parent = try unwrap(written.tree.value.nodes.first)
        var halves: [UInt8] = []
        for side in UInt32(0)...1 {
            halves.append(u8: parent.depth + 1)
            halves.append(u32: parent.prefix * 2 + side)
            AudienceTree.descend(from: exampleRoot(), steps: parent.depth + 1, path: parent.prefix * 2 + side)
                .withBytes { halves.append($0) }
        }
        var split = bytes.replacing(at: Place.nodeCount, with: [3])
        split.replaceSubrange(Place.firstNode..<Place.firstNode + 37, with: halves)
        expectEqual(refusal(ada.resigned(split, as: DerivationLabel.grant)), .notCanonical)
    }
}
