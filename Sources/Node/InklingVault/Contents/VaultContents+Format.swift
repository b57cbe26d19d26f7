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

// The additions of version 3 (`Specs/vault.md`), each at the end of its structure.
extension VaultContents {
    static let maximumRevokedDevices = UInt8(DeviceIndex.limit)

    /// Appends the additions of version 3 to the contents.
    ///
    /// - Throws: the limit that the contents exceed.
    func writeAudiences(to output: inout SecretWriter) throws(Bound) {
        guard Set(audiences.map(\.id)).count == audiences.count else { throw .audienceOrder }
        for (index, audience) in audiences.enumerated() {
            try output.append(text: audience.name, or: .audienceName)
            let outer = audience.within.flatMap { id in audiences.firstIndex { $0.id == id } }
            guard (outer == nil) == (audience.within == nil), outer.map({ $0 > 0 && $0 < index }) != false else {
                throw .audienceOrder
            }
            output.append(u8: UInt8(outer.map { $0 + 1 } ?? 0))
        }
        guard formerContacts.count <= Self.maximumContacts else { throw .formerContacts }
        output.append(u32: UInt32(formerContacts.count))
        for former in formerContacts {
            guard !former.granted.isEmpty else { throw .issued }
            output.append(former.user.octets)
            try output.append(text: former.name, or: .petname)
            try output.append(issued: former.granted, of: self)
        }
    }

    /// Parses the additions of version 3 to the contents.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    mutating func parseAudiences(_ input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        guard Set(audiences.map(\.id)).count == audiences.count else { throw cursor.fault(.duplicate) }
        for index in audiences.indices {
            audiences[index].name = try cursor.text(limit: Self.maximumText, of: input)
            let outer = try cursor.number(UInt8.self, of: input)
            guard outer == 0 || outer > 1 && outer <= index else { throw cursor.fault(.count, back: 1) }
            audiences[index].within = outer == 0 ? nil : audiences[Int(outer) - 1].id
        }
        var users = Set(contacts.map(\.user))
        for _ in 0..<(try cursor.number(0...Self.maximumContacts, of: input)) {
            let start = cursor.offset
            let user = UserID(try cursor.octets16(of: input))
            guard users.insert(user).inserted else { throw VaultContentsError(offset: start, reason: .duplicate) }
            let name = try cursor.text(limit: Self.maximumText, of: input)
            let granted = try cursor.issued(of: input)
            guard !granted.isEmpty else { throw cursor.fault(.count, back: 1) }
            formerContacts.append(FormerContact(user: user, name: name, granted: granted))
        }
    }
}
