import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault

// Audiences and revocation.
extension ControlHandler {
    /// Carries out a request about audiences.
    ///
    /// - Throws: `Failure`.
    func handleAudiences(_ request: ControlRequest, for peer: some ControlPeer) async throws(Failure) {
        let all = await node.audiences()
        let id: AudienceID
        switch request {
        case .audiences:
            for audience in all { await peer.take(.audience(AudienceFact(audience, among: all))) }
            return
        case .recognisers:
            let now = UInt64(await node.minute()) * 60
            for person in await node.recognisers() { await peer.take(.recogniser(RecogniserFact(person, at: now))) }
            return
        case .createAudience(let name, let outer):
            let within = try outer.map { (name) throws(Failure) in try audience(name, among: all).id }
            id = try await nodeFailure { () async throws(NodeError) in
                try await node.createAudience(named: name, within: within)
            }
        case .renameAudience(let old, let name):
            let found = try audience(old, among: all).id
            try await nodeFailure { () async throws(NodeError) in try await node.renameAudience(found, to: name) }
            id = found
        case .removeAudience(let name):
            let found = try audience(name, among: all)
            try await nodeFailure { () async throws(NodeError) in try await node.removeAudience(found.id) }
            return await peer.take(.audience(AudienceFact(found, among: all)))
        case .assign(let name, let audience, let isMember):
            let user = try await contact(name).user
            let found = try self.audience(audience, among: all).id
            try await nodeFailure { () async throws(NodeError) in
                if isMember {
                    try await node.assign(user, to: found)
                } else {
                    try await node.unassign(user, from: found)
                }
            }
            await take(user, peer)
            id = found
        default: return
        }
        let changed = await node.audiences()
        if let audience = changed.first(where: { $0.id == id }) {
            await peer.take(.audience(AudienceFact(audience, among: changed)))
        }
    }

    /// Carries out a request about the revocation of a contact.
    ///
    /// - Throws: `Failure`.
    func handleRevocation(_ request: ControlRequest, for peer: some ControlPeer) async throws(Failure) {
        switch request {
        case .revoke(let name, let level, let number, let isTrial):
            let contact = try await contact(name)
            let device = number.flatMap { DeviceIndex($0) }
            let revocation = try await nodeFailure { () async throws(NodeError) in
                if isTrial {
                    try await node.outlook(ofRevoking: contact.user, to: level, device: device)
                } else {
                    try await node.revoke(contact.user, to: level, device: device)
                }
            }
            let renewed = await names(of: revocation.renewed)
            await peer.take(
                .revocation(RevocationFact(revocation, of: contact.name, renewed: renewed, isDone: !isTrial)))
        case .block(let name):
            let user = try await contact(name).user
            try await nodeFailure { () async throws(NodeError) in try await node.block(user) }
            await take(user, peer)
        case .unblock(let name):
            let user = try await contact(name).user
            try await nodeFailure { () async throws(NodeError) in try await node.unblock(user) }
            await take(user, peer)
        case .grant(let name):
            let user = try await contact(name).user
            let grants = try await nodeFailure { () async throws(NodeError) in
                try await node.setLapsing(user, false)
                return try await node.sealedGrants(for: user)
            }
            try await take(grants, peer)
        default: return
        }
    }

    /// Starts new generations of the named audiences, or of all audiences without names.
    ///
    /// - Throws: `Failure`.
    func renew(_ names: [String]) async throws(Failure) {
        let all = await node.audiences()
        var wanted: Set<AudienceID> = []
        for name in names { wanted.insert(try audience(name, among: all).id) }
        let chosen = wanted
        try await nodeFailure { () async throws(NodeError) in
            try await node.renewAudiences(names.isEmpty ? nil : chosen)
        }
    }

    /// Returns the visibility that a name denotes: an audience or a contact.
    ///
    /// - Throws: `Failure` when neither has the name, or both.
    func visibility(named name: String) async throws(Failure) -> Visibility {
        let audience = await node.audiences().first { $0.name == name }
        guard let audience else { return .contact(try await contact(name).user) }
        guard await !node.contacts().contains(where: { $0.name == name }) else {
            throw Failure(
                .badData, "both an audience and a contact are named '\(printable(name))'",
                remedy: .command("Use the id of the contact, or rename one", "contacts list --json"))
        }
        return .audience(audience.id)
    }

    /// Returns the names of audiences, in the node's order.
    func names(of ids: [AudienceID]) async -> [String] {
        await node.audiences().filter { ids.contains($0.id) }.map(\.name)
    }

    private func audience(_ name: String, among all: [AudienceSummary]) throws(Failure) -> AudienceSummary {
        if let found = all.first(where: { $0.name == name }) { return found }
        let near = nearest(to: name, among: all.map(\.name))
        let question = near.map { "; did you mean '\(printable($0))'?" } ?? ""
        throw Failure(
            .badData, "there is no audience '\(printable(name))'\(question)",
            remedy: .command("List them with", "audience list"))
    }

    private func take(_ user: UserID, _ peer: some ControlPeer) async {
        guard let contact = await node.contacts().first(where: { $0.user == user }) else { return }
        await peer.take(.contact(await fact(contact)))
    }
}
