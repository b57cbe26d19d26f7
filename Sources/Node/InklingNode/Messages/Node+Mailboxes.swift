internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// A text that is being queued.
struct Queueing {
    let row: MessageRow
    let text: String
    let answer: Answer<TextID>
}

// Loads the message store, and carries out the effects of the devices' machines.
extension Node {
    // MARK: Loading

    /// Reads the message store, once; returns when it has been read.
    func loadMessages() async {
        switch mailboxes.phase {
        case .ready, .failed: return
        case .reading(let waiters):
            await withCheckedContinuation { mailboxes.phase = .reading(waiters + [$0]) }
            return
        case .unread: mailboxes.phase = .reading([])
        }
        do throws(MessageStoreError) {
            let loaded = try await ports.messages.load()
            took(loaded)
        } catch {
            finishLoading(.failed(error))
            feeds.emit(.trouble(.messages(error)))
        }
    }

    private func finishLoading(_ phase: Mailboxes.Phase) {
        guard case .reading(let waiters) = mailboxes.phase else { return }
        mailboxes.phase = phase
        for waiter in waiters { waiter.resume() }
    }

    private func took(_ loaded: LoadedMessages) {
        contents.noteMessages(generation: loaded.generation)
        var rows: [KnownDevice: [LoadedMessages.Row]] = [:]
        for row in loaded.rows {
            rows[KnownDevice(user: row.place.contact, device: row.place.device), default: []].append(row)
        }
        for (peer, rows) in rows.sorted(by: { $0.key < $1.key }) {
            guard contents.index(of: peer.user) != nil else {
                // The contact was removed just before the end of an earlier run.
                write(rows.map { .remove($0.place) }, .nothing)
                continue
            }
            let messages = DeviceMessages(
                with: peer, rows: rows, stream: StreamID.drawn(using: &messageRandomness),
                using: &messageRandomness)
            mailboxes.devices[peer] = messages
            if !loaded.findings.isEmpty { write(messages.repairs, .nothing) }
        }
        // Repairs are stored before anything else.
        finishLoading(.ready)
        for finding in loaded.findings { feeds.emit(.trouble(.messagesFound(finding))) }
        for peer in mailboxes.devices.keys.sorted() { handle(.started, with: peer) }
    }

    // MARK: Sessions

    /// Reports a session whose HELLO has arrived to the machine of the device.
    func beginDelivery(in id: SessionID) {
        guard let session = sessions[id], session.helloCount > 0,
            mailboxes.sessions[id] == nil, case .ready = mailboxes.phase,
            contents.index(of: session.peer.user) != nil
        else { return }
        let peer = session.peer
        mailboxes.sessions[id] = peer
        handle(.opened(session: id.number), with: peer)
    }

    /// Reports the end of a session to the machine of the device: unfinished deliveries are repeated in another one.
    func endDelivery(in id: SessionID) {
        guard let peer = mailboxes.sessions.removeValue(forKey: id) else { return }
        handle(.closed(session: id.number), with: peer)
    }

    /// Handles a record about messages.
    ///
    /// - Throws: `SyncError`, which ends the session.
    func takeDelivery(_ record: borrowing Record, in id: SessionID) throws {
        guard let heard = try SyncRecord(parsing: record), let peer = mailboxes.sessions[id] else { return }
        handle(.heard(heard, session: id.number), with: peer)
    }

    // MARK: Machines

    /// Reports an event to a device's machine, and carries out the effects; returns why a text was not queued.
    @discardableResult
    func handle(
        _ event: SyncMachine.Event, with peer: KnownDevice, _ queueing: Queueing? = nil
    ) -> SyncMachine.QueueError? {
        var refusal: SyncMachine.QueueError?
        if mailboxes.devices[peer] == nil {
            // A removed contact has none.
            guard contents.index(of: peer.user) != nil else { return nil }
            mailboxes.devices[peer] = DeviceMessages(
                with: peer, stream: StreamID.drawn(using: &messageRandomness))
        }
        let now = ports.clock.read()
        for effect in mailboxes.devices[peer]?.machine.handle(event, at: now.tick) ?? [] {
            switch effect {
            case .send(let record, let session): say(record.record, in: SessionID(number: session))
            case .end(let session, _): enqueue(.linkEnded(SessionID(number: session)))
            case .enqueue(let number, let id):
                guard let queueing,
                    let changes = mailboxes.devices[peer]?.queue(queueing.row, queueing.text, as: number)
                else { continue }
                write(changes, .queued(peer, number, id, queueing.answer))
            case .refuse(_, let reason): refusal = reason
            case .load(let numbers): want(.load(peer, numbers))
            case .drop(let number): drop(through: number, from: peer, areDelivered: true)
            case .forget(let number): drop(through: number, from: peer, areDelivered: false)
            case .store(let arrival):
                if arrival.skipped > 0 { feeds.emit(.messagesSkipped(peer.user, arrival.skipped)) }
                let changes = mailboxes.devices[peer]?.receive(arrival, at: now.unixSeconds) ?? []
                write(changes, .received(peer, arrival.arrival))
            case .deliver(let arrivals): want(.deliver(peer, arrivals))
            case .wake(let tick): mailboxes.devices[peer]?.wake = tick
            }
        }
        return refusal
    }

    /// Drops messages from the head of a queue, reports deliveries to the application, and informs the machine.
    private func drop(through number: UInt64, from peer: KnownDevice, areDelivered: Bool) {
        let now = ports.clock.read().unixSeconds
        guard
            let dropped = mailboxes.devices[peer]?.drop(through: number, at: now, areDelivered: areDelivered)
        else { return }
        write(dropped.changes, .nothing)
        if areDelivered {
            for row in dropped.messages {
                feeds.emit(.delivered(peer.user, row.id))
                for waiter in mailboxes.waiters where waiter.id == row.id { waiter.answer.send(.success(())) }
            }
            let ids = Set(dropped.messages.map(\.id))
            mailboxes.waiters.removeAll { ids.contains($0.id) }
        }
        handle(.dropped(byteCount: dropped.byteCount), with: peer)
    }

    /// Removes the texts of queued messages, and returns the changes to be written.
    func withdraw(_ numbers: [UInt64], from peer: KnownDevice) -> [MessageStoreChange] {
        guard let withdrawn = mailboxes.devices[peer]?.withdraw(numbers) else { return [] }
        handle(.dropped(byteCount: withdrawn.byteCount), with: peer)
        if let head = mailboxes.devices[peer]?.withdrawnHead {
            handle(.withdrawn(through: head), with: peer)
        }
        return withdrawn.changes
    }

    // MARK: Time

    /// Withdraws expired messages, and ends waits that have timed out.
    func messageTimerFired(at now: ClockReading) {
        for waiter in mailboxes.waiters where waiter.until <= now.tick {
            waiter.answer.send(.failure(.notAcknowledged))
        }
        mailboxes.waiters.removeAll { $0.until <= now.tick }
        for peer in mailboxes.devices.keys.sorted() {
            if let wake = mailboxes.devices[peer]?.wake, wake <= now.tick {
                mailboxes.devices[peer]?.wake = nil
                handle(.timerFired, with: peer)
            }
            // A clock that is not accepted may be years ahead.
            guard clock.isAccepted, let messages = mailboxes.devices[peer] else { continue }
            let expired = messages.queued.filter { $0.value.textByteCount > 0 && $0.value.time <= now.unixSeconds }
            guard !expired.isEmpty else { continue }
            write(withdraw(expired.keys.sorted(), from: peer), .nothing)
            for row in expired.sorted(by: { $0.key < $1.key }).map(\.value) {
                feeds.emit(.expired(peer.user, row.id))
                for waiter in mailboxes.waiters where waiter.id == row.id { waiter.answer.send(.failure(.expired)) }
            }
        }
    }

    /// Drops the messages of a removed contact.
    func dropMessages(of user: UserID) {
        for peer in mailboxes.devices.keys.sorted() where peer.user == user {
            guard let messages = mailboxes.devices.removeValue(forKey: peer) else { continue }
            write(messages.places.map { .remove($0) }, .nothing)
        }
    }

    /// Ends all waits when the node stops.
    func stopMessages() {
        for reader in mailboxes.readers { reader.reply.send(nil) }
        mailboxes.readers = []
        for waiter in mailboxes.waiters { waiter.answer.send(.failure(.stopped)) }
        mailboxes.waiters = []
    }

    /// Gives each waiting reader its next message, if there is one.
    func serveReaders() {
        let waiting = mailboxes.readers
        mailboxes.readers = waiting.filter { mailboxes.next(after: $0.position) == nil }
        for reader in waiting {
            if let next = mailboxes.next(after: reader.position) { reader.reply.send(next) }
        }
    }

    // MARK: Work

    func write(_ changes: [MessageStoreChange], _ followUp: MessageWork.FollowUp) {
        want(.write(changes, followUp))
    }

    private func want(_ item: MessageWork.Item) {
        mailboxes.work.want(item)
        beginMessageWork()
    }

    /// Starts the remaining work on the message store, if the node runs.
    func beginMessageWork() {
        if !mailboxes.work.isUnderWay { spawn { await self.carryOutMessageWork() } }
    }

    /// Carries out work on the message store until none is left.
    func carryOutMessageWork() async {
        while let items = mailboxes.work.begin() {
            let outcome = await carryOut(items)
            mailboxes.work.end()
            if let outcome { deliver(.messages(outcome)) }
        }
    }

    private func carryOut(_ items: [MessageWork.Item]) async -> MessageWorkOutcome? {
        switch items.first {
        case nil: return nil
        case .write:
            var changes: [MessageStoreChange] = []
            var followUps: [MessageWork.FollowUp] = []
            for case .write(let one, let followUp) in items {
                changes += one
                followUps.append(followUp)
            }
            do throws(MessageStoreError) {
                return .stored(followUps, generation: try await ports.messages.apply(changes))
            } catch {
                return .notStored(followUps, error)
            }
        case .load(let peer, let numbers):
            return .loaded(peer, await queuedTexts(numbers, for: peer))
        case .deliver(let peer, let arrivals):
            var texts: [(UInt64, String)] = []
            for arrival in arrivals {
                let place = MessagePlace(.received, contact: peer.user, device: peer.device, number: arrival)
                if let body = try? await ports.messages.body(at: place), let text = MessageRow.text(of: body) {
                    texts.append((arrival, text))
                }
            }
            return .delivered(peer, texts)
        case .read(let place, let reply):
            reply.send(try? await ports.messages.body(at: place).flatMap(MessageRow.text(of:)))
            return nil
        }
    }

    /// Handles the outcome of work on the message store.
    func handle(_ outcome: MessageWorkOutcome) {
        switch outcome {
        case .stored(let followUps, let generation):
            contents.noteMessages(generation: generation)
            for followUp in followUps { succeeded(followUp) }
        case .notStored(let followUps, let error):
            feeds.emit(.trouble(.messages(error)))
            for followUp in followUps { failed(followUp, .messages(error)) }
        case .loaded(let peer, let texts): loaded(texts, from: peer)
        case .delivered(let peer, let texts):
            let now = ports.clock.read()
            for (arrival, text) in texts {
                guard let row = mailboxes.devices[peer]?.received[arrival] else { continue }
                feeds.received(text, row.id, from: peer.user, at: now)
            }
            serveReaders()
        }
    }

    /// Reads queued texts up to the first that cannot be read now; damaged ones are nil.
    private func queuedTexts(_ numbers: ClosedRange<UInt64>, for peer: KnownDevice) async -> [UInt64: String?] {
        var texts: [UInt64: String?] = [:]
        for number in numbers {
            let place = MessagePlace(.queued, contact: peer.user, device: peer.device, number: number)
            do throws(MessageStoreError) {
                texts[number] = .some(try await ports.messages.body(at: place).flatMap(MessageRow.text(of:)))
            } catch {
                guard error.fault == .damaged else { break }
                texts[number] = .some(nil)
            }
        }
        return texts
    }

    private func loaded(_ texts: [UInt64: String?], from peer: KnownDevice) {
        guard let messages = mailboxes.devices[peer] else { return }
        var read: [SyncMessage] = []
        for (number, text) in texts.sorted(by: { $0.key < $1.key }) {
            // It may have been acknowledged in the meantime.
            guard let row = messages.queued[number] else { continue }
            // Send a damaged text as withdrawn.
            let kept = row.textByteCount > 0 ? text : nil
            if let message = try? SyncMessage(number: number, id: row.id, writtenAt: row.writtenAt, text: kept) {
                read.append(message)
            }
        }
        handle(.loaded(read), with: peer)
    }

    private func succeeded(_ followUp: MessageWork.FollowUp) {
        switch followUp {
        case .nothing: break
        case .queued(let peer, let number, let id, let answer):
            answer.send(.success(id))
            handle(.enqueued(through: number), with: peer)
        case .received(let peer, let arrival): handle(.stored(through: arrival), with: peer)
        case .taken(let peer, let arrival, let byteCount, let answer):
            handle(.taken(through: arrival, byteCount: byteCount), with: peer)
            answer?.send(.success(()))
        case .removed(let answer): answer.send(.success(()))
        }
    }

    private func failed(_ followUp: MessageWork.FollowUp, _ error: NodeError) {
        switch followUp {
        case .nothing: break
        case .queued(let peer, let number, let id, let answer):
            answer.send(.failure(error))
            for waiter in mailboxes.waiters where waiter.id == id { waiter.answer.send(.failure(error)) }
            mailboxes.waiters.removeAll { $0.id == id }
            mailboxes.devices[peer]?.unqueue(from: number)
            handle(.notEnqueued(from: number), with: peer)
        case .received(let peer, _):
            if let incoming = mailboxes.devices[peer]?.machine.state.incoming {
                mailboxes.devices[peer]?.unreceive(after: incoming)
            }
            handle(.notStored, with: peer)
        case .taken(_, _, _, let answer): answer?.send(.failure(error))
        case .removed(let answer): answer.send(.failure(error))
        }
    }
}
