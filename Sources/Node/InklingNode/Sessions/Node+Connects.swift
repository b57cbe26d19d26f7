internal import InklingEngine
internal import InklingKeys
internal import InklingWire

// Connections to other nodes. All of them begin here.
extension Node {
    /// Connects to a route, unless nothing may be sent now. Gives up at once if the links of the technology are closed
    /// or the task is cancelled. With `round`, it must still be the round of the technology. A route that a contact has
    /// offered must be on-link.
    ///
    /// - Returns: the link, and the round in which it was made.
    /// - Throws: `LinkError`; `.closed` if nothing may be sent.
    nonisolated func connect(
        to route: LinkRoute, in round: Int? = nil, isOffered: Bool = false
    ) async throws(LinkError) -> (link: any Link, round: Int) {
        guard let patience = connectPatience(over: route.technology),
            let ticket = await beginConnect(over: route.technology, in: round)
        else {
            throw .closed
        }
        let outcome = await withTaskGroup(of: Result<any Link, LinkError>?.self) { group in
            group.addTask {
                do throws(LinkError) {
                    return .success(try await self.makeLink(to: route, within: patience, isOffered: isOffered))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await _ in ticket.permission {}
                return nil
            }
            var outcome: Result<any Link, LinkError>?
            for await one in group {
                outcome = one ?? outcome
                group.cancelAll()
            }
            return outcome ?? .failure(.closed)
        }
        // The link may have been made just as the permission ended.
        let isPermitted = await endConnect(ticket)
        let link = try outcome.get()
        guard isPermitted, !Task.isCancelled else {
            await link.close()
            throw .closed
        }
        return (link, ticket.round)
    }

    private nonisolated func makeLink(
        to route: LinkRoute, within patience: Duration, isOffered: Bool
    ) async throws(LinkError) -> any Link {
        switch route {
        case .endpoint(let endpoint) where isOffered:
            return try await ports.links.connectOnLink(to: endpoint, within: patience)
        case .endpoint(let endpoint): return try await ports.links.connect(to: endpoint, within: patience)
        case .device(let address): return try await connect(to: address, within: patience)
        }
    }

    /// Returns a ticket; nil if no connection may begin, or the round is over.
    private func beginConnect(over technology: LinkTechnologyID, in round: Int?) -> Dialer.Ticket? {
        mayConnect(over: technology) ? dialer.beginConnect(over: technology, in: round) : nil
    }

    private func endConnect(_ ticket: Dialer.Ticket) -> Bool { dialer.endConnect(ticket) }

    /// Returns whether a connection may begin now.
    func mayConnect(over technology: LinkTechnologyID) -> Bool {
        life == .running && technologies.first { $0.id == technology }?.mayConnect == true
    }

    /// Returns how long a connection may take; nil if none may begin. It must end before the silence at a boundary.
    nonisolated func connectPatience(over technology: LinkTechnologyID) -> Duration? {
        let now = ports.clock.read()
        guard let epoch = Epoch(containing: now.unixSeconds) else { return nil }
        let rest = now.tick(atUnixMilliseconds: epoch.end * 1000).milliseconds(since: now.tick)
        let link = technology.capabilities
        let patience = min(link.connectDeadline, .milliseconds(rest) - link.quietLead)
        return patience > .zero ? patience : nil
    }
}
