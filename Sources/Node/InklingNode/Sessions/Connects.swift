internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The connects in progress, each with the round of its technology in which it began. The system repeats a connection
/// request until it is answered or withdrawn, so the end of a round must withdraw it.
struct Connects: Sendable {
    /// A connect in progress.
    struct Ticket: Sendable {
        let number: UInt64
        let technology: LinkTechnologyID
        /// The round (see `Calls.round`) in which the connect began.
        let round: Int
        /// A stream that ends when the connect must be abandoned.
        let permission: AsyncStream<Void>
    }

    private var inProgress: [UInt64: (technology: LinkTechnologyID, end: AsyncStream<Void>.Continuation)] = [:]
    private var count: UInt64 = 0

    mutating func begin(over technology: LinkTechnologyID, round: Int) -> Ticket {
        let (permission, end) = AsyncStream<Void>.makeStream()
        count += 1
        inProgress[count] = (technology, end)
        return Ticket(number: count, technology: technology, round: round, permission: permission)
    }

    /// Drops a connect; returns false if its round has ended.
    mutating func end(_ number: UInt64) -> Bool { inProgress.removeValue(forKey: number) != nil }

    /// Ends the permission of every connect of a technology.
    mutating func endRound(of technology: LinkTechnologyID) {
        for (number, connect) in inProgress where connect.technology == technology {
            inProgress[number] = nil
            connect.end.finish()
        }
    }
}

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
    private func beginConnect(over technology: LinkTechnologyID, in round: Int?) -> Connects.Ticket? {
        let current = calls.round(of: technology)
        guard mayConnect(over: technology), round.map({ $0 == current }) != false else { return nil }
        return connects.begin(over: technology, round: current)
    }

    private func endConnect(_ ticket: Connects.Ticket) -> Bool { connects.end(ticket.number) }

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
