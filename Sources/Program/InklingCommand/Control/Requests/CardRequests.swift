import InklingAccess
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

// The user's own card, and what other people's cards and grants add.

extension Request {
    /// Reports the user's own card.
    struct Card: NodeRequest {
        static let name = "card"

        func run(on served: ServedNode, for peer: Peer<CardFact>) async throws(Failure) {
            let card = try await nodeFailure { () async throws(NodeError) in try await served.node.ownCard() }
            await peer.take(
                CardFact(
                    name: card.name, id: card.userID.octets.description,
                    card: try ObjectText.encode(.card, card.bytes)))
        }
    }

    /// Adds a contact from a card, or accepts a grant that was sealed for this device.
    struct AddCard: NodeRequest {
        static let name = "add"
        let text: String

        func run(
            on served: ServedNode, for peer: Peer<OneOf<ContactFact, SealedGrantFact>>
        ) async throws(Failure) {
            let object = try ObjectText(text)
            switch object.kind {
            case .card: try await add(object.bytes, to: served, for: peer)
            case .sealedGrant:
                let contact = try await nodeFailure { () async throws(NodeError) in
                    try await served.node.acceptSealedGrant(object.bytes)
                }
                await peer.take(.first(await served.fact(contact)))
            case .invitation: throw .invitationInsteadOfCard
            case .deviceLink:
                throw Failure(
                    .badData, "a device link, not a card",
                    remedy: "On the new device: inkling device join, with a new home.")
            }
        }

        private func add(
            _ bytes: [UInt8], to served: ServedNode, for peer: Peer<OneOf<ContactFact, SealedGrantFact>>
        ) async throws(Failure) {
            let node = served.node
            let period = try await nodeFailure { () async throws(NodeError) in try await node.period() }
            let card: ContactCard
            do throws(CardError) {
                card = try ContactCard(parsing: bytes.span, now: period)
            } catch {
                throw Failure(.badData, "the card is invalid: \(error)")
            }
            // A known contact may have lost its grant, so it gets a new one.
            let known = await node.contacts().first { $0.user == card.userID }
            let contact = try await nodeFailure { () async throws(NodeError) in
                if let known { known } else { try await node.add(card) }
            }
            await peer.take(.first(await served.fact(contact)))
            guard !contact.needsReview else {
                throw Failure(
                    .badData, "'\(printable(contact.name))' must be reviewed before anything is granted to it",
                    remedy: .command("To keep it", "recover --reviewed \(contact.user.octets)"))
            }
            // This fails without an accepted time. The contact stays, and adding the card again later creates the
            // grant.
            let grants = try await nodeFailure { () async throws(NodeError) in
                try await node.sealedGrants(for: contact.user)
            }
            for sealed in grants { await peer.take(.second(try SealedGrantFact(sealed))) }
        }
    }
}

/// The node's own card.
struct CardFact: NodeFact, Hashable {
    static let kind = "card"

    let name: String
    let id: String
    let card: String
}

/// A sealed grant for one device of a contact, in its text form.
struct SealedGrantFact: NodeFact, Hashable {
    static let kind = "sealedGrant"

    let sealedGrant: String

    /// Creates the fact of a sealed grant.
    ///
    /// - Throws: `Failure` when it is too long for the text form.
    init(_ sealed: [UInt8]) throws(Failure) { sealedGrant = try ObjectText.encode(.sealedGrant, sealed) }
}

extension Failure {
    static var invitationInsteadOfCard: Failure {
        Failure(.badData, "an invitation, not a card", remedy: .command("Use it with", "accept"))
    }
}
