import InklingAccess
import InklingEngine
import InklingKeys
import InklingTerminal

/// The minors that a phone without a node will show, and by which a node recognises it.
struct PhoneTable {
    /// The name of the contact.
    let contact: String
    /// Its user id.
    let user: String
    let first: Epoch
    /// The minors from the first epoch on.
    let minors: [BeaconMinor]

    /// Lets the phone grant the home's node what it will show, and takes the minors from that node: the phone gets what
    /// the node looks for.
    ///
    /// - Parameters:
    ///   - node: the node of the home.
    ///   - phone: the keys of the phone.
    ///   - user: the user id of the phone.
    ///   - days: the number of days, 1 to `longest`.
    ///   - moment: the time in Unix seconds.
    /// - Throws: `Failure` when a node refuses, or does not recognise the phone afterwards.
    init(
        granting node: AskedNode, by phone: AskedNode, _ user: String, days: UInt32, at moment: UInt64
    ) async throws(Failure) {
        // Drop the node's grants for the phone: nothing there could use them.
        _ = try await node.add(try await phone.card())
        var isAccepted = false
        var refusal: Failure?
        for grant in try await phone.add(try await node.card()) where !isAccepted {
            // The others are for other devices of the user.
            do throws(Failure) {
                _ = try await node.facts(of: Request.AddCard(text: grant))
                isAccepted = true
            } catch {
                refusal = error
            }
        }
        guard isAccepted else {
            throw refusal ?? Failure(.unavailable, "the phone's keys granted nothing to this node")
        }
        guard let known = try await node.contacts().first(where: { $0.id == user }) else {
            throw Failure(.unavailable, "the node has forgotten the phone", remedy: "Try again.")
        }
        contact = known.contact
        self.user = user
        guard let first = Epoch(containing: moment), let last = Epoch(first.number + days * Self.epochsOfDay - 1) else {
            throw Failure(.configuration, "there are no keys after August 2089", remedy: "Set the clock.")
        }
        self.first = first
        minors = try await Self.minors(of: known, from: first, through: last, node)
    }

    /// The maximum number of days: grants last for three days more.
    static let longest: UInt32 = 90

    private static let epochsOfDay: UInt32 = 96

    private static func minors(
        of contact: ContactFact, from first: Epoch, through last: Epoch, _ node: AskedNode
    ) async throws(Failure) -> [BeaconMinor] {
        // As PredictionSource labels contacts: two may share a name.
        let labels = [contact.contact, "\(contact.contact) (\(contact.id.prefix(8)))"]
        var minors: [BeaconMinor] = []
        var start = first
        while true {
            let end = PredictionRequest.end(from: start, through: last)
            var found: [UInt32: UInt16] = [:]
            for prediction in try await node.facts(of: PredictionRequest(start...end))
            where labels.contains(prediction.contact) { found[prediction.epoch] = prediction.minor }
            for number in start.number...end.number {
                guard let minor = found[number] else {
                    throw Failure(
                        .unavailable, "the node does not recognise \(printable(contact.contact)) in epoch \(number)",
                        remedy: "Remove the contact, and add the phone anew.")
                }
                minors.append(BeaconMinor(minor))
            }
            guard let next = end.next, next <= last else { return minors }
            start = next
        }
    }
}

extension AskedNode {
    /// Returns the contacts of the node.
    func contacts() async throws(Failure) -> [ContactFact] { try await facts(of: Request.Contacts()) }

    /// Returns the text of the node's own card.
    fileprivate func card() async throws(Failure) -> String {
        if let card = try await facts(of: Request.Card()).first { return card.card }
        throw Failure(.unavailable, "the node runs a different version", remedy: "Restart it.")
    }

    /// Adds a card, or renews its owner's grants, and returns the grants that were sealed for the owner's devices.
    fileprivate func add(_ card: String) async throws(Failure) -> [String] {
        try await facts(of: Request.AddCard(text: card)).compactMap {
            if case .second(let grant) = $0 { grant.sealedGrant } else { nil }
        }
    }
}
