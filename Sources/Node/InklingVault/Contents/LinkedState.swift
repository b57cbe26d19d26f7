package import InklingKeys

/// The state that a non-primary device has received from the primary in STATE records and cannot make itself.
package struct LinkedState: Sendable {
    /// A grant to a contact, signed by the primary device.
    package struct SignedGrant: Sendable {
        package let user: UserID
        package let audience: AudienceID
        package let generation: UInt32
        /// The last period of the grant.
        package let to: Period
        package let bytes: SecretBox<SecretBytes>
    }

    /// The pair audiences with a contact, from which past periods are erased.
    package struct Pair: Sendable {
        package let user: UserID
        package let shown: SecretBox<AudienceTree>
        package let expected: SecretBox<AudienceTree>
    }

    package var grants: [SignedGrant] = []
    package var pairs: [Pair] = []

    private static let grantLimit: UInt32 = 80_000, pairLimit: UInt32 = 10_000, byteLimit: UInt16 = 2_572

    init() {}

    /// Returns the pair audiences with a user; nil if there are none.
    package func pair(with user: UserID) -> Pair? { pairs.first { $0.user == user } }

    func write(to output: inout SecretWriter) throws(VaultContents.Bound) {
        guard grants.count <= Self.grantLimit, pairs.count <= Self.pairLimit else { throw .linked }
        output.append(u32: UInt32(grants.count))
        for grant in grants {
            guard let count = UInt16(exactly: grant.bytes.value.count), (1...Self.byteLimit).contains(count) else {
                throw .linked
            }
            output.append(grant.user.octets)
            output.append(u64: grant.audience.value)
            output.append(u32: grant.generation)
            output.append(u32: grant.to.number)
            output.append(u16: count)
            grant.bytes.value.withBytes { output.append($0) }
        }
        output.append(u32: UInt32(pairs.count))
        for pair in pairs {
            output.append(pair.user.octets)
            try output.append(tree: pair.shown)
            try output.append(tree: pair.expected)
        }
    }

    init(parsing input: Span<UInt8>, _ cursor: inout ContentsCursor) throws(VaultContentsError) {
        for _ in 0..<(try cursor.number(0...Self.grantLimit, of: input)) {
            let user = UserID(try cursor.octets16(of: input))
            let audience = AudienceID(try cursor.number(of: input))
            let generation: UInt32 = try cursor.number(of: input)
            let to = try cursor.period(of: input)
            let count = try cursor.number(1...Self.byteLimit, of: input)
            let bytes = SecretBytes(copying: input.extracting(try cursor.take(Int(count), of: input)))
            grants.append(
                SignedGrant(
                    user: user, audience: audience, generation: generation, to: to, bytes: SecretBox(bytes)))
        }
        for _ in 0..<(try cursor.number(0...Self.pairLimit, of: input)) {
            let user = UserID(try cursor.octets16(of: input))
            let shown = try cursor.tree(of: input)
            pairs.append(Pair(user: user, shown: shown, expected: try cursor.tree(of: input)))
        }
    }
}
