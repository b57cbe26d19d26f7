internal import InklingKeys
internal import InklingWire

// The stored form of the contents (`Specs/vault.md`). Fields follow each other without tags. Unknown fields are
// rejected, not skipped: a node that lost part of its state might show identifiers that it must not show again.

extension VaultContents {
    static let formatVersion: UInt16 = 4
    /// The version before agreements and several pairwise keys, the earliest that can still be parsed.
    static let earlierVersion: UInt16 = 1
    static let maximumText: UInt8 = 64
    static let maximumCard: UInt16 = 2048
    package static let maximumAudiences: UInt8 = 8
    static let maximumContacts = UInt32(VaultContents.contactLimit)
    static let maximumGrants: UInt8 = 8
    static let maximumAnsweredMessages = UInt16(VaultContents.answeredMessageLimit)
    // The maximum number of nodes in a cover of an interval.
    static let maximumNodes: UInt8 = 38

    /// Appends the stored form.
    ///
    /// - Throws: the limit that the contents exceed.
    func write(to output: inout SecretWriter) throws(Bound) {
        output.append(u16: Self.formatVersion)
        try output.append(text: displayName, or: .displayName)
        output.append(u8: rootSeed == nil ? 0 : 1)
        rootSeed?.value.withBytes { output.append($0) }
        output.append(u32: identityGeneration)
        output.append(u8: device.number)
        try output.append(key: noiseKey, or: .noiseKey)
        try output.append(card: card)
        output.append(u32: cardSerial)

        guard audiences.count <= Self.maximumAudiences else { throw .audiences }
        output.append(u8: UInt8(audiences.count))
        for audience in audiences {
            output.append(u64: audience.id.value)
            output.append(u32: audience.generation)
            try output.append(tree: audience.tree)
        }

        guard contacts.count <= Self.maximumContacts else { throw .contacts }
        output.append(u32: UInt32(contacts.count))
        var users: Set<UserID> = []
        for contact in contacts {
            guard users.insert(contact.user).inserted else { throw .duplicateContact }
            try contact.write(to: &output)
            try contact.writeAudiences(to: &output, in: self)
            contact.writeDelays(to: &output)
        }

        switch visibility {
        case .all: output.append(u8: 0)
        case .contact(let user):
            guard users.contains(user) else { throw .visibility }
            output.append(u8: 1)
            output.append(user.octets)
        case .nobody: output.append(u8: 2)
        case .audience(let id):
            guard audiences.dropFirst().contains(where: { $0.id == id }) else { throw .shownAudience }
            output.append(u8: 3)
            output.append(u64: id.value)
        }

        guard answeredMessages.count <= Self.maximumAnsweredMessages else { throw .answeredMessages }
        output.append(u16: UInt16(answeredMessages.count))
        for message in answeredMessages {
            output.append(u32: message.epoch.number)
            output.append(message.ephemeral)
        }
        output.append(u8: highWaterEpoch == nil ? 0 : 1)
        if let highWaterEpoch { output.append(u32: highWaterEpoch.number) }
        output.append(optional: latestAcceptedTime)
        guard vouches.isSubset(of: .clock) else { throw .vouches }
        output.append(u8: vouches.rawValue)
        output.append(u8: restored == nil ? 0 : 1)
        if let restored {
            output.append(u64: restored.generation)
            output.append(optional: restored.latestAcceptedTime)
        }
        try writeAudiences(to: &output)
        output.append(optional: restoredFrom)
        output.append(u8: formerCounterKey == nil ? 0 : 1)
        if let formerCounterKey { try output.append(key: formerCounterKey, or: .counterKey) }
        try linked.write(to: &output)
        try output.append(messageStore)
        try own.write(to: &output)
    }

    /// Parses contents; bytes after the last field are an error.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    init(parsing input: Span<UInt8>) throws(VaultContentsError) {
        var cursor = ContentsCursor()
        let version = try cursor.number(UInt16.self, of: input)
        guard (Self.earlierVersion...Self.formatVersion).contains(version) else {
            throw cursor.fault(.version(version), back: 2)
        }
        let displayName = try cursor.text(limit: Self.maximumText, of: input)
        var rootSeed: SecretBox<RootSeed>?
        if try cursor.presence(of: input) {
            guard let seed = RootSeed(try cursor.key(of: input)) else { throw cursor.fault(.truncated) }
            rootSeed = SecretBox(seed)
        }
        let identityGeneration: UInt32 = try cursor.number(of: input)
        guard let device = DeviceIndex(try cursor.number(0...DeviceIndex.limit - 1, of: input)) else {
            throw cursor.fault(.count, back: 1)
        }
        let noiseKey = SecretBox(try cursor.key(of: input))
        let card = try cursor.block(limit: Self.maximumCard, of: input)
        self.init(
            displayName: displayName, rootSeed: rootSeed, identityGeneration: identityGeneration, device: device,
            noiseKey: noiseKey, card: card, cardSerial: try cursor.number(of: input))

        for _ in 0..<(try cursor.number(0...Self.maximumAudiences, of: input)) {
            let id = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            audiences.append(Audience(id: id, generation: generation, tree: try cursor.tree(of: input)))
        }
        var users: Set<UserID> = []
        for _ in 0..<(try cursor.number(0...Self.maximumContacts, of: input)) {
            let start = cursor.offset
            var contact = try StoredContact(parsing: input, version: version, &cursor)
            if version >= 3 { try contact.parseAudiences(input, of: audiences, &cursor) }
            if version >= 4 { try contact.parseDelays(input, &cursor) }
            guard users.insert(contact.user).inserted else {
                throw VaultContentsError(offset: start, reason: .duplicate)
            }
            contacts.append(contact)
        }
        switch try cursor.number(UInt8.self, of: input) {
        case 0: visibility = .all
        case 1:
            let user = UserID(try cursor.octets16(of: input))
            guard users.contains(user) else { throw cursor.fault(.tag, back: 16) }
            visibility = .contact(user)
        case 2: visibility = .nobody
        case 3 where version >= 3:
            let id = AudienceID(try cursor.number(of: input))
            guard audiences.dropFirst().contains(where: { $0.id == id }) else { throw cursor.fault(.tag, back: 8) }
            visibility = .audience(id)
        default: throw cursor.fault(.tag, back: 1)
        }
        for _ in 0..<(try cursor.number(0...Self.maximumAnsweredMessages, of: input)) {
            let epoch = try cursor.epoch(of: input)
            answeredMessages.append(AnsweredMessage(epoch: epoch, ephemeral: try cursor.octets32(of: input)))
        }
        if try cursor.presence(of: input) { highWaterEpoch = try cursor.epoch(of: input) }
        if version == Self.earlierVersion, let highWaterEpoch {
            for index in contacts.indices { contacts[index].noteEarlierGrants(upTo: highWaterEpoch.period) }
        }
        if try cursor.presence(of: input) { latestAcceptedTime = try cursor.number(of: input) }
        vouches = OperatorVouches(rawValue: try cursor.flags(known: OperatorVouches.clock.rawValue, of: input))
        if try cursor.presence(of: input) {
            restored = RestoredCopy(generation: try cursor.number(of: input), latestAcceptedTime: nil)
            if try cursor.presence(of: input) { restored?.latestAcceptedTime = try cursor.number(of: input) }
        }
        if version >= 3 {
            try parseAudiences(input, &cursor)
            if try cursor.presence(of: input) { restoredFrom = try cursor.number(of: input) }
            if try cursor.presence(of: input) { formerCounterKey = SecretBox(try cursor.key(of: input)) }
            linked = try LinkedState(parsing: input, &cursor)
        } else {
            completeEarlierAudiences()
        }
        if version >= 4 {
            messageStore = try cursor.messageStore(of: input)
            own = try OwnDevices(parsing: input, &cursor)
        }
        guard cursor.offset == input.count else { throw cursor.fault(.trailing) }
    }
}

extension StoredContact {
    fileprivate static let blockedBit: UInt8 = 1
    fileprivate static let reviewBit: UInt8 = 2

    fileprivate func write(to output: inout SecretWriter) throws(VaultContents.Bound) {
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

    fileprivate init(
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
        var reported: [ReportedGrant] = []
        for _ in 0..<(try cursor.number(0...VaultContents.maximumGrants, of: input)) {
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            reported.append(
                ReportedGrant(audience: audience, generation: generation, to: try cursor.period(of: input)))
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
    private func latestEarlierGrant(_ reported: [ReportedGrant], _ added: Period) -> Period? {
        let first = agreement.standing == .complete ? FirstContactMachine.Span.full.end(from: added) : nil
        return (reported.map(\.to) + [first].compactMap(\.self)).max()
    }

    /// Accounts for a renewal by the earlier version of the contact's grant, up to the last period that was shown.
    fileprivate mutating func noteEarlierGrants(upTo last: Period) {
        guard agreement.standing == .complete, let end = agreement.grantedUntil else { return }
        agreement.grantedUntil = max(end, FirstContactMachine.Span.full.end(from: last))
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

    mutating func append(text: String, or bound: VaultContents.Bound) throws(VaultContents.Bound) {
        let bytes = Array(text.utf8)
        guard bytes.count <= VaultContents.maximumText else { throw bound }
        append(u8: UInt8(bytes.count))
        append(bytes.span)
    }

    fileprivate mutating func append(card: [UInt8]) throws(VaultContents.Bound) {
        guard card.count <= VaultContents.maximumCard else { throw .card }
        append(u16: UInt16(card.count))
        append(card.span)
    }

    mutating func append(
        key: SecretBox<SecretBytes>, or bound: VaultContents.Bound
    ) throws(VaultContents.Bound) {
        guard key.value.count == keyByteCount else { throw bound }
        key.value.withBytes { append($0) }
    }

    fileprivate mutating func append(optional value: UInt64?) {
        append(u8: value == nil ? 0 : 1)
        if let value { append(u64: value) }
    }

    mutating func append(tree: SecretBox<AudienceTree>) throws(VaultContents.Bound) {
        let nodes = tree.value.nodes
        guard let count = UInt8(exactly: nodes.count), (1...VaultContents.maximumNodes).contains(count) else {
            throw .tree
        }
        append(u8: count)
        for node in nodes {
            append(u8: node.depth)
            append(u32: node.prefix)
        }
        tree.value.withKeyBytes { append($0) }
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

    mutating func period(of bytes: Span<UInt8>) throws(VaultContentsError) -> Period {
        guard let period = Period(try number(of: bytes)) else { throw fault(.count, back: 4) }
        return period
    }

    fileprivate mutating func epoch(of bytes: Span<UInt8>) throws(VaultContentsError) -> Epoch {
        guard let epoch = Epoch(try number(of: bytes)) else { throw fault(.count, back: 4) }
        return epoch
    }

    mutating func tree(of bytes: Span<UInt8>) throws(VaultContentsError) -> SecretBox<AudienceTree> {
        let start = offset
        let count = try number(1...VaultContents.maximumNodes, of: bytes)
        var nodes: [TreeNode] = []
        for _ in 0..<count {
            let depth: UInt8 = try number(of: bytes)
            guard let node = TreeNode(depth: depth, prefix: try number(of: bytes)) else {
                throw fault(.tree, back: 5)
            }
            nodes.append(node)
        }
        let keys = SecretBytes(copying: bytes.extracting(try take(nodes.count * keyByteCount, of: bytes)))
        guard let tree = AudienceTree(nodes: nodes, keys: keys) else {
            throw VaultContentsError(offset: start, reason: .tree)
        }
        return SecretBox(tree)
    }
}
