internal import InklingEngine
public import InklingKeys
internal import InklingNode
public import InklingVault
internal import InklingWire

// A joiner that withholds a message.
extension LiveRun {
    /// The time that the node's user has to accept, and the time that the run then watches, in milliseconds.
    private static let decisionTime: Int64 = 60_000
    private static let watchingTime: Int64 = 12_000

    /// Joins an invitation of the node under test, withholds a message and everything after it, and assesses what the
    /// node sends meanwhile.
    ///
    /// - Parameters:
    ///   - message: the message to withhold.
    ///   - invitation: an open invitation of the node; the run uses it up.
    ///   - joiner: the identity with which the run joins.
    /// - Returns: the verdict of the check.
    /// - Throws: `LiveError.noNode`, `.noDeviceKey`.
    public func withhold(
        _ message: WithheldMessage, joining invitation: Invitation, as joiner: VaultContents
    ) throws(LiveError) -> LiveVerdict {
        var evidence = FirstContactEvidence(message)
        guard let now = epoch?.period, let own = try? ContactCard(parsing: joiner.card.span, now: now),
            let key = NoiseKeyPair(privateKey: joiner.noiseKey.value.duplicate())
        else { throw .noDeviceKey }
        guard let endpoint = settings.address ?? inviter(of: invitation) else {
            throw .noNode(seconds: settings.search)
        }
        do {
            let first = try Joiner(
                invitation, for: .firstContact(own), transport: .tcp, deviceKey: key, using: &generator)
            let number = network.connect(to: endpoint, sending: first.packet.framed)
            defer { network.drop(number) }
            var decoder = FrameDecoder(accepting: Packet.leastByteCount...Packet.byteLimit)
            guard let second = packet(on: number, &decoder) else {
                evidence.fault = "no message 2 was received"
                return evidence.verdict
            }
            let joined = try first.receive(
                Packet(parsing: second.span), now: now, unixMilliseconds: protocolTime)
            guard case .card(let card, _) = joined.introduction else { return evidence.verdict }
            network.send(joined.packet.framed, on: number)
            let session = LiveSession(try joined.awaitingAcceptance(), over: number)
            session.decoder = decoder
            if message != .accept { say(.accept, in: session) }
            listen(to: session, withholding: message, card, grantee: own.userID, now: now, &evidence)
        } catch {
            let refusal = error as? any Refusal
            evidence.fault =
                "the first contact failed: \(refusal?.stage ?? "link"), \(refusal?.reason ?? "not readable")"
        }
        return evidence.verdict
    }

    /// Finds the device that answers to the name of an invitation.
    private func inviter(of invitation: Invitation) -> Endpoint? {
        let tree = AudienceTree(root: invitation.keys().root.duplicate())
        let begun = network.now
        repeat {
            progress("searching for the inviter", begun + settings.search * 1000 - network.now)
            guard let epoch, let leaf = tree.periodKey(epoch.period) else { return nil }
            let name = leaf.deviceKeys(.first).mdns.serviceName(epoch).description
            if resolve(name) { return endpoint }
        } while network.now - begun < settings.search * 1000
        return nil
    }

    private func packet(on number: Int, _ decoder: inout FrameDecoder) -> [UInt8]? {
        var packet: [UInt8]?
        var isBad = false
        network.watch(milliseconds: Self.replyTime) {
            decoder.append(self.network.take(from: number).span)
            do { packet = try decoder.next() } catch { isBad = true }
            return packet != nil || isBad || self.network.connection(number)?.hasEnded != false
        }
        return packet
    }

    private func say(_ record: consuming Record, in session: LiveSession) {
        if let packet = try? session.channel.seal(record) { network.send(packet.framed, on: session.connection) }
    }

    /// Records the node's messages until no more are expected.
    private func listen(
        to session: LiveSession, withholding message: WithheldMessage, _ card: ContactCard, grantee: UserID,
        now: Period, _ evidence: inout FirstContactEvidence
    ) {
        progress("waiting for the node's user to accept", Self.decisionTime)
        var end = network.now + Self.decisionTime
        var said: [FirstContactEvidence.Said] = []
        network.watch(milliseconds: Self.decisionTime + Self.watchingTime) {
            session.decoder.append(self.network.take(from: session.connection).span)
            while let bytes = (try? session.decoder.next()) ?? nil {
                guard let packet = try? Packet(parsing: bytes.span), let record = try? session.channel.open(packet)
                else {
                    return true
                }
                let one = Self.said(record, card, grantee: grantee, now: now)
                if said.isEmpty { end = self.network.now + Self.watchingTime }
                said.append(one)
                if one == .accept, message == .grant,
                    let hello = try? Hello(ownSerial: 1, peerSerial: card.serial, grants: [])
                {
                    self.say(hello.record, in: session)
                }
            }
            return self.network.now >= end || self.network.connection(session.connection)?.hasEnded != false
        }
        evidence.said = said
    }

    private static func said(
        _ record: borrowing Record, _ card: ContactCard, grantee: UserID, now: Period
    ) -> FirstContactEvidence.Said {
        switch record.type {
        case .accept: return .accept
        case .decline: return .decline
        case .close: return .close
        case .hello: return .hello
        case .card: return .card
        case .grant:
            let end = record.withBody { body in
                try? Grant(parsing: body, issuer: card.identity, grantee: grantee, now: now, heldGeneration: 0).to
            }
            return .grant(periods: end.map { $0.number - now.number + 1 })
        default: return .other(record.type.rawValue)
        }
    }
}
