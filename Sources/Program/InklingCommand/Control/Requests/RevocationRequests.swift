import InklingAccess
import InklingKeys
import InklingNode
import InklingTerminal

// The levels at which a contact loses what it was granted, and their undoing.

extension Request {
    /// Revokes a contact, or one of its devices; with `trial`, only reports what would change.
    struct Revoke: NodeRequest {
        static let name = "revoke"
        let contact: String
        let level: RevocationLevel
        let device: UInt8?
        let trial: Bool

        func run(on served: ServedNode, for peer: Peer<RevocationFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            let device = device.flatMap { DeviceIndex($0) }
            let revocation = try await nodeFailure { () async throws(NodeError) in
                if trial {
                    try await served.node.outlook(ofRevoking: contact.user, to: level, device: device)
                } else {
                    try await served.node.revoke(contact.user, to: level, device: device)
                }
            }
            let renewed = await served.names(of: revocation.renewed)
            await peer.take(RevocationFact(revocation, of: contact.name, renewed: renewed, isDone: !trial))
        }
    }

    /// Blocks a contact.
    struct Block: NodeRequest {
        static let name = "block"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            let user = try await served.contact(contact).user
            try await nodeFailure { () async throws(NodeError) in try await served.node.block(user) }
            await served.report(user, to: peer.take)
        }
    }

    /// Unblocks a contact.
    struct Unblock: NodeRequest {
        static let name = "unblock"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<ContactFact>) async throws(Failure) {
            let user = try await served.contact(contact).user
            try await nodeFailure { () async throws(NodeError) in try await served.node.unblock(user) }
            await served.report(user, to: peer.take)
        }
    }

    /// Makes sealed grants for a contact, and resumes the renewal of its grants.
    struct Grant: NodeRequest {
        static let name = "grant"
        let contact: String

        func run(on served: ServedNode, for peer: Peer<SealedGrantFact>) async throws(Failure) {
            let user = try await served.contact(contact).user
            let grants = try await nodeFailure { () async throws(NodeError) in
                try await served.node.setLapsing(user, false)
                return try await served.node.sealedGrants(for: user)
            }
            for sealed in grants { await peer.take(try SealedGrantFact(sealed)) }
        }
    }
}

/// The changes that a revocation makes, or would make.
struct RevocationFact: NodeFact, Hashable {
    static let kind = "revocation"

    let contact: String
    let id: String
    /// `R1` to `R4`.
    let level: String
    let device: UInt8?
    /// Whether it was done; false for a trial.
    let done: Bool
    /// The times until which the contact can recognise the user without it and after it; null if it cannot.
    let recognisesUsUntil: String?
    let recognisesUsAfterwards: String?
    /// The audiences that start new generations.
    let renewed: [String]
    let holdersOfGrants: Int
    let holdersWhomWeRecognise: Int
    /// Whether the node falls silent and shows other identifiers.
    let changesIdentifiers: Bool

    init(_ revocation: Revocation, of name: String, renewed: [String], isDone: Bool) {
        contact = name
        id = revocation.user.octets.description
        level = revocation.level.rawValue
        device = revocation.device?.number
        done = isDone
        recognisesUsUntil = revocation.recognisesUsUntil.map(timestamp(endOf:))
        recognisesUsAfterwards = revocation.recognisesUsAfterwards.map(timestamp(endOf:))
        self.renewed = renewed
        holdersOfGrants = revocation.holdersOfGrants
        holdersWhomWeRecognise = revocation.holdersWhomWeRecognise
        changesIdentifiers = revocation.changesIdentifiers
    }

    /// Returns the human-readable lines.
    func text(for options: HomeOptions) -> String {
        let who = printable(contact)
        let until = recognisesUsUntil.map { localTime($0) }
        var lines: [String] = []
        switch level {
        case RevocationLevel.block.rawValue:
            lines.append(
                "\(who) \(done ? "is blocked" : "would be blocked"): no session, no answer, no invitation, at once.")
            lines.append(
                until.map { "\(who) can recognise you until \($0); R3 ends that too." }
                    ?? "\(who) cannot recognise you.")
        case RevocationLevel.lapse.rawValue:
            lines.append("\(who)'s grants \(done ? "are no longer" : "would no longer be") renewed.")
            lines.append(
                until.map { "Nothing changes until \($0); after that \(who) is a stranger." }
                    ?? "\(who) holds no grants, and so is a stranger at once.")
        case RevocationLevel.blind.rawValue:
            lines.append(
                "\(who) \(done ? "is blocked at once and can" : "would be blocked at once and could") no longer "
                    + "recognise you.")
        default:
            let lost = "device \(device ?? 0) of \(who)"
            lines.append(
                done
                    ? "From now on, \(lost) gets no answer and can no longer recognise you."
                    : "Then \(lost) would get no answer and could no longer recognise you.")
            lines.append("The other devices of \(who) need new grants, which they get at the next meeting.")
        }
        lines += renewal(for: options)
        return lines.map { $0 + "\n" }.joined()
    }

    private func renewal(for options: HomeOptions) -> [String] {
        guard !renewed.isEmpty else { return [] }
        let names = renewed.map(printable).joined(separator: ", ")
        var lines = ["New generation of: \(names)."]
        if changesIdentifiers {
            lines.append("The node falls silent at once and shows other identifiers after a few seconds.")
        }
        guard holdersOfGrants > 0 else { return lines + ["Nobody else holds a grant of it."] }
        let others = holdersOfGrants - holdersWhomWeRecognise
        lines.append(
            "\(plural(holdersOfGrants, "other contact")) also need a new grant, and recognise nothing until then:")
        if holdersWhomWeRecognise > 0 {
            lines.append(
                "- \(holdersWhomWeRecognise) at the next meeting, because this node recognises and calls them;")
        }
        if others > 0 {
            lines.append(
                "- \(others) on a common network, by Bluetooth with '\(options.hint("visible CONTACT"))', by an invitation, "
                    + "or by '\(options.hint("contacts grant CONTACT"))'.")
        }
        return lines
    }
}
