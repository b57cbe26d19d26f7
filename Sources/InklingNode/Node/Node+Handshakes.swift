internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingSession

// Confirm handshakes in both roles. Whatever goes wrong, the other side sees silence.
extension Node {
    /// How long a message of a handshake may take to arrive.
    static let answerDeadline = Duration.seconds(5)
    /// How long a connection may take to be made.
    static let connectDeadline = Duration.seconds(3)
    /// How many addresses of one instance are tried: together they take no longer than an attempt may.
    static let endpointLimit = 4
    private static let firstMessageLimit = 1 + PacketType.confirmFirst.largestBody
    private static let secondMessageLimit = 1 + PacketType.confirmSecond.largestBody

    private struct Failed: Error {
        let why: AttemptFailure
    }

    // MARK: Initiator

    /// Calls the device behind a recognised name.
    func attempt(_ attempt: Attempt) async {
        let start = Start(at: ports.clock.read().tick, round: round)
        do throws(Failed) {
            let callee = try callee(of: attempt)
            try allowCall(to: callee.known.user, at: start.time)
            let link = try await connect(to: attempt.value, of: callee.known.user)
            try await confirm(callee, for: attempt, over: link, since: start)
            keepLinked(callee.known, attempt, at: link.remote)
        } catch {
            recognise(.attemptFailed(attempt, error.why), at: ports.clock.read())
        }
    }

    /// Calls a device again that was confirmed in this epoch and whose link was lost, where it answered before.
    func callAgain(_ device: KnownDevice, for attempt: Attempt, at route: Endpoint) async {
        let start = Start(at: ports.clock.read().tick, round: round)
        do throws(Failed) {
            let callee = try callee(of: attempt)
            try allowCall(to: device.user, at: start.time)
            guard let link = try? await ports.links.connect(to: route, within: Self.connectDeadline) else {
                throw Failed(why: .unreachable)
            }
            reconnect(.linked(device, route))
            // Taken back meanwhile, because the device called us, or the epoch is over.
            guard reconnection.link(to: device) == route else { return await link.close() }
            do throws(Failed) {
                try await confirm(callee, for: attempt, over: link, since: start)
                reconnect(.stepDone(device, .authentication))
            } catch {
                reconnect(.stepFailed(device, .authentication))
            }
        } catch {
            reconnect(.callFailed(device, route))
        }
    }

    /// When a call began, and how often links had been closed by then.
    private struct Start {
        let time: Tick
        let round: Int

        init(at time: Tick, round: Int) {
            self.time = time
            self.round = round
        }
    }

    /// Makes a session over a link that was just made.
    private func confirm(
        _ callee: Callee, for attempt: Attempt, over link: any Link, since start: Start
    ) async throws(Failed) {
        callCount += 1
        let number = callCount
        calls[number] = link
        defer { calls[number] = nil }
        do throws(Failed) {
            guard start.round == round else { throw Failed(why: .unreachable) }
            let session = try await call(callee, for: attempt, over: link)
            let taken = ports.clock.read().tick.milliseconds(since: start.time)
            await link.authenticated()
            guard start.round == round, hasRoom(for: callee.known) else { throw Failed(why: .refused) }
            reachability[callee.known.user, default: Reachability()].noteSuccess(afterMilliseconds: taken)
            emit.yield(.confirmed(callee.known.user, milliseconds: taken))
            install(session, with: callee.known, over: link)
        } catch {
            await link.close()
            throw error
        }
    }

    /// Asks the policy, which may know better than to call.
    private func allowCall(to user: UserID, at now: Tick) throws(Failed) {
        guard planToReach(user, at: now).steps.contains(where: { $0.transport == .network }) else {
            throw Failed(why: .unreachable)
        }
    }

    private struct Callee {
        let known: KnownDevice
        let key: Octets32
        let context: ConfirmContext
        let pairwiseKey: SecretBox<SecretBytes>
        let generation: UInt32
    }

    /// Everything that a call needs, or a refusal: the certificate must be valid now and on the contact's newest card.
    private func callee(of attempt: Attempt) throws(Failed) -> Callee {
        let prediction = attempt.prediction
        guard let user = roster[prediction.contact],
            let contact = contents.contacts.first(where: { $0.user == user }), !contact.isBlocked,
            case .granted(let audience) = prediction.audience,
            let grant = contact.grants.first(where: { $0.audience == audience }),
            let period = currentPeriod, let card = try? card(of: contact, now: period),
            let certificate = card.certificates.first(where: { $0.index == prediction.device }),
            certificate.isValid(in: period), let leaf = grant.tree.value.periodKey(prediction.epoch.period)
        else { throw Failed(why: .refused) }
        return Callee(
            known: KnownDevice(user: user, device: prediction.device), key: certificate.key,
            context: ConfirmContext(
                leaf.deviceKeys(prediction.device), device: prediction.device, epoch: prediction.epoch,
                transport: .tcp),
            pairwiseKey: contact.pairwiseKey, generation: grant.generation)
    }

    private func connect(to value: Attempt.Value, of user: UserID) async throws(Failed) -> any Link {
        // Tags and minors come by radio, whose links this node does not make.
        guard case .name(let name) = value else { throw Failed(why: .unreachable) }
        for endpoint in await search(for: name).prefix(Self.endpointLimit) {
            if let link = try? await ports.links.connect(to: endpoint, within: Self.connectDeadline) { return link }
        }
        reachability[user, default: Reachability()].noteFailure(at: ports.clock.read().tick)
        throw Failed(why: .unreachable)
    }

    private func call(
        _ peer: Callee, for attempt: Attempt, over link: any Link
    ) async throws(Failed) -> EstablishedSession {
        do {
            let payload = ConfirmPayload(
                transports: .tcp, generation: peer.generation, unixMilliseconds: ports.clock.read().unixMilliseconds)
            let initiator = try ConfirmInitiator(
                peer.context, deviceKey: deviceKey.value, responder: peer.key, payload: payload, using: &randomness)
            try await link.send(initiator.packet.bytes)
            let answer = try await link.receive(upTo: Self.secondMessageLimit, within: Self.answerDeadline)
            return try initiator.receive(Packet(parsing: answer.span), pairwiseKey: peer.pairwiseKey.value)
        } catch is LinkError {
            throw Failed(why: .silent)
        } catch {
            throw Failed(why: .refused)
        }
    }

    /// Where a name can be reached; empty when nobody answers.
    func search(for name: OpaqueServiceName) async -> [Endpoint] {
        guard let discovery, !isStopped else { return [] }
        return await withCheckedContinuation { waiter in
            searches[name, default: []].append(waiter)
            spawn { await discovery.resolve(name) }
        }
    }

    /// Ends every wait for a name.
    func finishSearches(for name: OpaqueServiceName, with endpoints: [Endpoint]) {
        for waiter in searches.removeValue(forKey: name) ?? [] { waiter.resume(returning: endpoints) }
    }

    // MARK: Responder

    /// Takes a link that somebody made; everything that follows runs beside the inputs.
    func serve(_ link: any Link) {
        spawn { [weak self] in await self?.answer(link) }
    }

    private func answer(_ link: any Link) async {
        do {
            let first = try await link.receive(upTo: Self.firstMessageLimit, within: Self.answerDeadline)
            let packet = try Packet(parsing: first.span)
            switch packet.type {
            case .confirmFirst: try await answer(packet, over: link)
            case .firstContactFirst: try await answerJoiner(packet, over: link)
            default: throw PacketError.unknownType
            }
        } catch {
            refusedMessages &+= 1
            await link.mute()
        }
    }

    private func answer(_ packet: Packet, over link: any Link) async throws {
        let now = ports.clock.read()
        let round = round
        let answered = SkewAllowance.standard.answeredEpochs(at: now.unixSeconds)
        let request = try responder.receive(
            packet, contexts: ownEpochs.filter { answered.contains($0.epoch) }.map(\.context),
            deviceKey: deviceKey.value, at: now.tick.milliseconds, using: &randomness,
            pairwiseKey: { key in pairwiseKey(forDeviceKey: key) })
        guard let peer = knownDevices[request.peerKey] else { throw HandshakeError.unknownContact }
        // Before the answer leaves: after a crash the same message must not be answered again.
        guard await save() == nil, round == self.round else { throw LinkError.closed }
        let generation =
            contents.contacts.first { $0.user == peer.user }?.grants.map(\.generation).max() ?? 0
        let unconfirmed = try request.reply(
            ConfirmPayload(transports: .tcp, generation: generation, unixMilliseconds: now.unixMilliseconds))
        try await link.send(unconfirmed.packet.bytes)
        let hello = try await link.receive(upTo: Packet.byteLimit, within: Self.answerDeadline)
        let session = try unconfirmed.receive(Packet(parsing: hello.span))
        guard round == self.round, hasRoom(for: peer) else { throw LinkError.closed }
        await link.authenticated()
        emit.yield(.confirmed(peer.user, milliseconds: nil))
        install(session, with: peer, over: link)
    }

    private func pairwiseKey(forDeviceKey key: Octets32) -> SecretBytes? {
        guard let peer = knownDevices[key],
            let contact = contents.contacts.first(where: { $0.user == peer.user }), !contact.isBlocked
        else { return nil }
        return contact.pairwiseKey.value.duplicate()
    }

    /// Notes again whose device each certified key is.
    func indexDevices() {
        guard let period = Epoch(containing: ports.clock.read().unixSeconds)?.period else { return }
        knownDevices = [:]
        for contact in contents.contacts {
            guard let card = try? card(of: contact, now: period) else { continue }
            for certificate in card.certificates where certificate.isValid(in: period) {
                knownDevices[certificate.key] = KnownDevice(user: contact.user, device: certificate.index)
            }
        }
    }
}
