internal import InklingKeys

// The additions of version 3 to the contents (`Specs/vault.md`), each at the end of its structure.

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

extension SecretWriter {
    fileprivate mutating func append(
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
    fileprivate mutating func issued(of bytes: Span<UInt8>) throws(VaultContentsError) -> [IssuedGrant] {
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
}
