import InklingAccess
import InklingEngine
import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault
import Synchronization

/// A node for which requests are carried out, and how they find what people name.
struct ServedNode: Sendable {
    let node: Node
    /// The address and the token of the node's dashboard; nil without a dashboard.
    var dashboard: DashboardFact?

    /// Carries a request out and returns its facts; no person is asked.
    ///
    /// - Throws: the `Failure` of the request.
    func facts<Request: NodeRequest>(of request: Request) async throws(Failure) -> [Request.Fact] {
        let facts = Mutex<[Request.Fact]>([])
        try await request.run(on: self, for: Peer { fact in facts.withLock { $0.append(fact) } })
        return facts.withLock { $0 }
    }

    // MARK: Contacts

    /// Returns the contact with this name or id; the first 8 characters of an id are enough.
    ///
    /// - Throws: `Failure` when no contact or several contacts match.
    func contact(_ wanted: String) async throws(Failure) -> ContactSummary {
        let all = await node.contacts()
        let exact = all.filter { $0.name == wanted || $0.user.octets.description == wanted }
        let matches =
            exact.isEmpty && wanted.utf8.count >= 8
            ? all.filter { $0.user.octets.description.hasPrefix(wanted) } : exact
        guard let match = matches.first else {
            throw Failure(
                .badData,
                "there is no contact '\(printable(wanted))'\(suggestion(for: wanted, among: all.map(\.name)))",
                remedy: .command("List them with", "contacts list"))
        }
        guard matches.count == 1 else {
            throw Failure(
                .badData, "\(matches.count) contacts are called '\(printable(wanted))'",
                remedy: .command("Use the id of one of them", "contacts list --json"))
        }
        return match
    }

    /// Returns the facts of a contact, with details of its presence while it is seen.
    func fact(_ contact: ContactSummary) async -> ContactFact {
        let isSeen = contact.presence != .unseen && contact.presence != .gone
        return ContactFact(contact, isSeen ? try? await node.explain(contact.user) : nil)
    }

    /// Reports a contact as it is now; nothing if it has been removed.
    func report(_ user: UserID, to take: (ContactFact) async -> Void) async {
        guard let contact = await node.contacts().first(where: { $0.user == user }) else { return }
        await take(await fact(contact))
    }

    /// Returns the name of a contact; nil for a former one.
    func name(of user: UserID) async -> String? { await node.contacts().first { $0.user == user }?.name }

    // MARK: Audiences

    /// Returns the audience with this name.
    ///
    /// - Throws: `Failure` when there is none.
    func audience(_ wanted: String) async throws(Failure) -> AudienceSummary {
        let all = await node.audiences()
        if let found = all.first(where: { $0.name == wanted }) { return found }
        throw Failure(
            .badData, "there is no audience '\(printable(wanted))'\(suggestion(for: wanted, among: all.map(\.name)))",
            remedy: .command("List them with", "audience list"))
    }

    /// Returns the fact of an audience as it is now; nil if it has been removed.
    func fact(of audience: AudienceID) async -> AudienceFact? {
        let all = await node.audiences()
        return all.first { $0.id == audience }.map { AudienceFact($0, among: all) }
    }

    /// Returns the names of audiences, in the node's order.
    func names(of ids: [AudienceID]) async -> [String] {
        await node.audiences().filter { ids.contains($0.id) }.map(\.name)
    }

    /// Returns the fact of a visibility, with the names that it needs.
    func fact(_ visibility: Visibility) async -> VisibilityFact {
        var name = ""
        switch visibility {
        case .all, .nobody: break
        case .audience(let id): name = await names(of: [id]).first ?? ""
        case .contact(let user): name = await self.name(of: user) ?? ""
        }
        return VisibilityFact(visibility, name: { _ in name }, audience: { _ in name })
    }

    private func suggestion(for wanted: String, among names: [String]) -> String {
        nearest(to: wanted, among: names).map { "; did you mean '\(printable($0))'?" } ?? ""
    }
}
