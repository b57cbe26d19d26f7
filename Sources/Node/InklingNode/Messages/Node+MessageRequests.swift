internal import InklingKeys
internal import InklingVault
internal import InklingWire

// Handles the user's requests about messages.
extension Node {
    func takeMessages(_ request: Request) {
        switch request {
        case .queue(let text, let user, let expiry, let answer):
            do throws(NodeError) { try queue(text, for: user, expiry, answer) } catch { answer.send(.failure(error)) }
        case .send(let text, let user, let answer):
            do throws(NodeError) { try send(text, to: user, answer) } catch { answer.send(.failure(error)) }
        case .awaitDelivery(let id, let time, let answer):
            if mailboxes.devices.values.contains(where: { $0.queued.values.contains { $0.id == id } }) {
                wait(for: id, upTo: time.wholeMilliseconds, answer)
            } else if mailboxes.devices.values.contains(where: { $0.delivered.values.contains { $0.id == id } }) {
                answer.send(.success(()))
            } else {
                answer.send(.failure(.unknownMessage))
            }
        case .acknowledge(let id, let user, let answer): acknowledge(id, from: user, answer)
        case .nextIncoming(let position, let reply):
            mailboxes.readers.append(Mailboxes.Reader(position: position, reply: reply))
            if life == .stopped { reply.send(nil) }
            serveReaders()
        case .removeMessage(let id, let answer): removeMessage(id, answer)
        default: break
        }
    }

    private func send(_ text: String, to user: UserID, _ answer: Answer<Void>) throws(NodeError) {
        guard contents.index(of: user) != nil else { throw .unknownContact }
        guard sessions.route(to: user) != nil else { throw .notReachable }
        let queued = Answer<TextID>()
        let id = try queue(text, for: user, Self.defaultExpiry, queued)
        // A message that cannot be stored is refused, and then there is nothing to wait for.
        wait(for: id, upTo: Self.receiptDeadline, answer)
        if case .failure(let error) = queued.sent { answer.send(.failure(error)) }
    }

    private func wait(for id: TextID, upTo milliseconds: UInt64, _ answer: Answer<Void>) {
        guard life == .running else { return answer.send(.failure(.notAcknowledged)) }
        let until = ports.clock.read().tick.advanced(byMilliseconds: milliseconds)
        mailboxes.waiters.append(Mailboxes.Waiter(id: id, until: until, answer: answer))
    }

    @discardableResult
    private func queue(
        _ text: String, for user: UserID, _ expiry: Duration, _ answer: Answer<TextID>
    ) throws(NodeError) -> TextID {
        guard let contact = contents.contact(user) else { throw .unknownContact }
        guard !contact.isBlocked else { throw .blocked }
        if case .failed(let error) = mailboxes.phase { throw .messages(error) }
        let byteCount = text.utf8.count
        guard (1...SyncMessage.textLimit).contains(byteCount) else { throw .badText(limit: SyncMessage.textLimit) }
        guard expiry >= .seconds(1), expiry <= .seconds(365 * 86_400) else { throw .badExpiry }
        let id = TextID.drawn(using: &messageRandomness)
        let now = ports.clock.read().unixSeconds
        // By a clock that is years behind, a text would expire as soon as the clock is set right.
        let start = clock.isAccepted ? now : max(now, contents.latestAcceptedTime ?? now)
        let row = MessageRow(
            id, writtenAt: now, time: start + expiry.wholeMilliseconds / 1000, textByteCount: byteCount)
        let peers = devices(of: contact)
        var refusal: SyncMachine.QueueError?
        var isQueued = false
        for peer in peers {
            let queueing = Queueing(row: row, text: text, answer: answer)
            if let reason = handle(.queued(id, byteCount: byteCount), with: peer, queueing) {
                refusal = reason
            } else {
                isQueued = true
            }
        }
        if !isQueued, let refusal { throw .queueFull(refusal) }
        return id
    }

    /// Returns the devices to which a text for a contact goes: those on its card that are not revoked; without any, the
    /// known ones or the first.
    private func devices(of contact: StoredContact) -> [KnownDevice] {
        let now = clockPeriod
        let card = now.flatMap { try? book.card(of: contact, now: $0) }
        let devices = Set(card?.certificates.filter { !contact.isRevoked($0) }.map(\.index) ?? [])
        let known = mailboxes.devices.keys.filter { $0.user == contact.user }
        let all = devices.isEmpty ? (known.isEmpty ? [.first] : Set(known.map(\.device))) : devices
        return all.sorted().map { KnownDevice(user: contact.user, device: $0) }
    }

    private func acknowledge(_ id: TextID, from user: UserID, _ answer: Answer<Void>) {
        for (peer, messages) in mailboxes.devices where peer.user == user {
            guard let arrival = messages.arrival(of: id) else { continue }
            return markTaken(through: arrival, from: peer, answer)
        }
        answer.send(.failure(.unknownMessage))
    }

    private func markTaken(through arrival: UInt64, from peer: KnownDevice, _ answer: Answer<Void>?) {
        guard let taken = mailboxes.devices[peer]?.markTaken(through: arrival) else { return }
        write(taken.changes, .taken(peer, arrival, byteCount: taken.byteCount, answer))
    }

    private func removeMessage(_ id: TextID, _ answer: Answer<Void>) {
        var changes: [MessageStoreChange] = []
        for peer in mailboxes.devices.keys.sorted() {
            guard let messages = mailboxes.devices[peer] else { continue }
            let numbers = messages.queued.filter { $0.value.id == id && $0.value.textByteCount > 0 }.map(\.key)
            if !numbers.isEmpty { changes += withdraw(numbers, from: peer) }
            for (number, row) in messages.delivered where row.id == id {
                changes += mailboxes.devices[peer]?.removeDelivered(number) ?? []
            }
            guard let arrival = messages.arrival(of: id) else { continue }
            if arrival > messages.stored.taken { markTaken(through: arrival, from: peer, nil) }
            changes += mailboxes.devices[peer]?.removeRead(arrival) ?? []
        }
        guard !changes.isEmpty else { return answer.send(.failure(.unknownMessage)) }
        write(changes, .removed(answer))
    }
}
