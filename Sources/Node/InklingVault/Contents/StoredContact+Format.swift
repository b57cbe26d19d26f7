internal import InklingKeys
internal import InklingWire

// The stored form of a contact (`Specs/vault.md`).

extension StoredContact {
    private static let blockedBit: UInt8 = 1
    private static let reviewBit: UInt8 = 2

    /// Appends the contact as in version 2.
    func write(to output: inout SecretWriter) throws(VaultContents.Bound) {
        output.append(user.octets)
        try output.append(card: card)
        try output.append(text: petname, or: .petname)
        try output.append(agreement, pairwiseKeys)
        guard grants.count <= VaultContents.maximumGrants else { throw .grants }
        output.append(u8: UInt8(grants.count))
        for grant in grants {
            output.append(u64: grant.audience.value)
            output.append(u32: grant.generation)
            output.append(u32: grant.from.number)
            output.append(u32: grant.to.number)
            output.append(u16: grant.devices)
            try output.append(tree: grant.tree)
        }
        guard reported.count <= VaultContents.maximumGrants else { throw .reported }
        output.append(u8: UInt8(reported.count))
        for report in reported {
            output.append(u64: report.audience.value)
            output.append(u32: report.generation)
            output.append(u32: report.to.number)
        }
        output.append(u8: (isBlocked ? Self.blockedBit : 0) | (needsReview ? Self.reviewBit : 0))
        output.append(u32: added.number)
    }

    /// Parses a contact as in version 2, or that of version 1.
    init(
        parsing input: Span<UInt8>, version: UInt16, _ cursor: inout ContentsCursor
    ) throws(VaultContentsError) {
        let user = UserID(try cursor.octets16(of: input))
        let card = try cursor.block(limit: VaultContents.maximumCard, of: input)
        let petname = try cursor.text(limit: VaultContents.maximumText, of: input)
        let kept =
            try version == VaultContents.earlierVersion
            ? cursor.earlierPairwiseKey(of: input) : cursor.pairwiseKeys(of: input)
        var grants: [ReceivedGrant] = []
        for _ in 0..<(try cursor.number(0...VaultContents.maximumGrants, of: input)) {
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            let from = try cursor.period(of: input)
            let to = try cursor.period(of: input)
            let devices: UInt16 = try cursor.number(of: input)
            grants.append(
                ReceivedGrant(
                    audience: audience, generation: generation, from: from, to: to, devices: devices,
                    tree: try cursor.tree(of: input)))
        }
        var reported: [IssuedGrant] = []
        for _ in 0..<(try cursor.number(0...VaultContents.maximumGrants, of: input)) {
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            reported.append(
                IssuedGrant(audience: audience, generation: generation, to: try cursor.period(of: input)))
        }
        let flags = try cursor.flags(known: Self.blockedBit | Self.reviewBit, of: input)
        self.init(
            user: user, card: card, petname: petname, agreement: kept.agreement, pairwiseKeys: kept.keys,
            added: try cursor.period(of: input))
        if version == VaultContents.earlierVersion { agreement.grantedUntil = latestEarlierGrant(reported, added) }
        self.grants = grants
        self.reported = reported
        isBlocked = flags & Self.blockedBit != 0
        needsReview = flags & Self.reviewBit != 0
    }

    /// Returns the end of the longest grant known to have been sent by the earlier version, which did not store it.
    private func latestEarlierGrant(_ reported: [IssuedGrant], _ added: Period) -> Period? {
        let first = agreement.standing == .complete ? FirstContactMachine.Span.full.end(from: added) : nil
        return (reported.map(\.to) + [first].compactMap(\.self)).max()
    }

    /// Accounts for a renewal by the earlier version of the contact's grant, up to the last period that was shown.
    mutating func noteEarlierGrants(upTo last: Period) {
        guard agreement.standing == .complete, let end = agreement.grantedUntil else { return }
        agreement.grantedUntil = max(end, FirstContactMachine.Span.full.end(from: last))
    }
}

extension StoredContact {
    private static let lapsingBit: UInt8 = 1

    /// Appends the additions of version 3 to a contact.
    ///
    /// - Throws: the limit that the contact exceeds.
    func writeAudiences(to output: inout SecretWriter, in contents: VaultContents) throws(VaultContents.Bound) {
        guard assigned.count < VaultContents.maximumAudiences, Set(assigned).count == assigned.count,
            assigned.allSatisfy({ id in contents.audiences.dropFirst().contains { $0.id == id } })
        else { throw .assigned }
        output.append(u8: UInt8(assigned.count))
        for id in assigned { output.append(u64: id.value) }
        try output.append(issued: granted, of: contents)
        output.append(u8: isLapsing ? Self.lapsingBit : 0)
        guard revokedDevices.count <= VaultContents.maximumRevokedDevices else { throw .revokedDevices }
        output.append(u8: UInt8(revokedDevices.count))
        for key in revokedDevices { output.append(key) }
    }

    /// Parses the additions of version 3 to a contact.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    mutating func parseAudiences(
        _ input: Span<UInt8>, of audiences: [Audience], _ cursor: inout ContentsCursor
    ) throws(VaultContentsError) {
        for _ in 0..<(try cursor.number(0...VaultContents.maximumAudiences - 1, of: input)) {
            let id = AudienceID(try cursor.number(of: input))
            guard audiences.dropFirst().contains(where: { $0.id == id }) else { throw cursor.fault(.tag, back: 8) }
            guard !assigned.contains(id) else { throw cursor.fault(.duplicate, back: 8) }
            assigned.append(id)
        }
        granted = try cursor.issued(of: input)
        isLapsing = try cursor.flags(known: Self.lapsingBit, of: input) != 0
        for _ in 0..<(try cursor.number(0...VaultContents.maximumRevokedDevices, of: input)) {
            revokedDevices.append(try cursor.octets32(of: input))
        }
    }
}

extension StoredContact {
    /// Appends the delays of the contact.
    func writeDelays(to output: inout SecretWriter) {
        for delay in [delays.arrive, delays.leave, delays.goodbye] {
            output.append(u8: delay == nil ? 0 : 1)
            if let delay { output.append(u32: UInt32(clamping: delay.wholeMilliseconds / 1000)) }
        }
    }

    /// Parses the delays of the contact.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    mutating func parseDelays(_ input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        let arrive = try cursor.delay(in: ContactDelays.arrivals, of: input)
        let leave = try cursor.delay(in: ContactDelays.departures, of: input)
        delays = ContactDelays(
            arrive: arrive, leave: leave, goodbye: try cursor.delay(in: ContactDelays.departures, of: input))
    }
}

extension Standing {
    /// The code of a contact's standing; nil for `.none`, with which no contact is stored.
    fileprivate var storedCode: UInt8? {
        switch self {
        case .none: nil
        case .waiting: 1
        case .halfFinished: 2
        case .complete: 3
        }
    }
}

extension SecretWriter {
    fileprivate mutating func append(
        _ agreement: Agreement, _ keys: [StoredPairwiseKey]
    ) throws(VaultContents.Bound) {
        guard let standing = agreement.standing.storedCode, keys.map(\.number) == agreement.keys,
            (1...Agreement.keyLimit).contains(keys.count)
        else { throw .pairwiseKeys }
        append(u8: standing)
        append(u8: UInt8(keys.count))
        for key in keys {
            append(u32: key.number.rawValue)
            append(u8: key.origin.rawValue)
            try append(key: key.key, or: .pairwiseKey)
        }
        append(u32: agreement.shared?.rawValue ?? 0)
        append(u8: agreement.turn)
        append(u8: agreement.grantedUntil == nil ? 0 : 1)
        if let end = agreement.grantedUntil { append(u32: end.number) }
    }

    mutating func append(
        issued grants: [IssuedGrant], of contents: VaultContents
    ) throws(VaultContents.Bound) {
        guard grants.count <= VaultContents.maximumAudiences, Set(grants.map(\.audience)).count == grants.count else {
            throw .issued
        }
        append(u8: UInt8(grants.count))
        for grant in grants {
            append(u64: grant.audience.value)
            append(u32: grant.generation)
            append(u32: grant.to.number)
        }
    }
}

extension ContentsCursor {
    fileprivate typealias KeptKeys = (agreement: Agreement, keys: [StoredPairwiseKey])

    fileprivate mutating func pairwiseKeys(of bytes: Span<UInt8>) throws(VaultContentsError) -> KeptKeys {
        let start = offset
        let code: UInt8 = try number(of: bytes)
        guard let standing = Standing.allCases.first(where: { $0.storedCode == code }) else {
            throw fault(.tag, back: 1)
        }
        var keys: [StoredPairwiseKey] = []
        for _ in 0..<(try number(1...UInt8(Agreement.keyLimit), of: bytes)) {
            let rank = PairwiseKeyNumber(rawValue: try number(of: bytes))
            let origin = try origin(of: bytes)
            keys.append(StoredPairwiseKey(number: rank, origin: origin, key: SecretBox(try key(of: bytes))))
        }
        let shared: UInt32 = try number(of: bytes)
        let turn: UInt8 = try number(of: bytes)
        let grantedUntil = try presence(of: bytes) ? try period(of: bytes) : nil
        guard
            let agreement = Agreement(
                standing: standing, keys: keys.map(\.number),
                shared: shared == 0 ? nil : PairwiseKeyNumber(rawValue: shared), turn: turn, grantedUntil: grantedUntil)
        else { throw VaultContentsError(offset: start, reason: .tag) }
        return (agreement, keys)
    }

    /// Parses the one pairwise key of a contact of the earlier version. A contact from cards waits for a confirm under
    /// the static key; to any other something had been granted.
    fileprivate mutating func earlierPairwiseKey(of bytes: Span<UInt8>) throws(VaultContentsError) -> KeptKeys {
        let first = PairwiseKeyNumber(rawValue: 1)
        let origin = try origin(of: bytes)
        let key = StoredPairwiseKey(number: first, origin: origin, key: SecretBox(try key(of: bytes)))
        var agreement = Agreement()
        agreement.keys = [first]
        agreement.standing = origin == .firstContact ? .complete : .waiting
        agreement.shared = origin == .firstContact ? first : nil
        return (agreement, [key])
    }

    private mutating func origin(of bytes: Span<UInt8>) throws(VaultContentsError) -> PairwiseKeyOrigin {
        guard let origin = PairwiseKeyOrigin(rawValue: try number(of: bytes)) else { throw fault(.tag, back: 1) }
        return origin
    }

    mutating func issued(of bytes: Span<UInt8>) throws(VaultContentsError) -> [IssuedGrant] {
        var grants: [IssuedGrant] = []
        for _ in 0..<(try number(0...VaultContents.maximumAudiences, of: bytes)) {
            let start = offset
            let audience = AudienceID(try number(of: bytes))
            guard !grants.contains(where: { $0.audience == audience }) else {
                throw VaultContentsError(offset: start, reason: .duplicate)
            }
            let generation: UInt32 = try number(of: bytes)
            guard let to = Period(try number(of: bytes)) else { throw fault(.count, back: 4) }
            grants.append(IssuedGrant(audience: audience, generation: generation, to: to))
        }
        return grants
    }

    fileprivate mutating func delay(
        in seconds: ClosedRange<UInt32>, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Duration? {
        try presence(of: bytes) ? .seconds(try number(seconds, of: bytes)) : nil
    }
}
