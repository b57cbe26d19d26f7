internal import InklingKeys

extension SyncMachine {
    mutating func take(_ announced: SyncStream, in session: UInt64) {
        guard let index = index(of: session), countDuplicate(at: index) else { return }
        sessions[index].stream = announced.stream
        let reached = announced.first - 1
        if announced.stream != position.stream {
            // A later session has the present stream; this record was on its way when that one began.
            guard !sessions[(index + 1)...].contains(where: { $0.stream != nil }) else { return }
            // The skipped texts come after all.
            if reached < position.number { skipped = 0 }
        } else if reached <= position.number {
            return
        }
        skipped += max(reached, position.number) - position.number
        position = (announced.stream, reached)
        granted = reached + UInt64(SyncReceipt.roomLimit)
    }

    mutating func take(_ message: SyncMessage, in session: UInt64) {
        guard let index = index(of: session) else { return }
        guard let stream = sessions[index].stream else { return end(session, .unannounced) }
        guard !sessions[index].isHalted else { return }
        guard stream == position.stream, message.number > position.number else {
            _ = countDuplicate(at: index)
            return
        }
        guard message.number == position.number + 1 else { return end(session, .gap) }
        guard message.number <= granted, !isFull else { return end(session, .beyondRoom) }
        let arrival = Arrival(
            arrival: (pending.last?.arrival ?? state.incoming.arrivals) + 1, stream: stream, message: message,
            skipped: skipped)
        skipped = 0
        position.number = message.number
        pending.append(arrival)
        effects.append(.store(arrival))
    }

    /// Counts a record that brings nothing new; ends the session if there are too many.
    private mutating func countDuplicate(at index: Int) -> Bool {
        sessions[index].duplicates += 1
        guard sessions[index].duplicates > Self.duplicateLimit else { return true }
        end(sessions[index].id, .tooManyDuplicates)
        return false
    }

    mutating func stored(through arrival: UInt64) {
        guard let last = pending.last(where: { $0.arrival <= arrival }) else { return }
        let before = state.incoming.arrivals
        for text in pending where text.arrival <= arrival {
            state.incoming.byteCount += UInt64(text.message.text?.utf8.count ?? 0)
        }
        pending.removeAll { $0.arrival <= arrival }
        state.incoming.arrivals = last.arrival
        state.incoming.last = last.last
        sendReceipt()
        deliver(from: before, through: last.arrival)
    }

    mutating func notStored() {
        guard !pending.isEmpty else { return }
        pending = []
        skipped = 0
        position = (state.incoming.last?.stream, state.incoming.last?.number ?? 0)
        // Later texts in these sessions would leave a gap; the next session begins after the last text that is stored.
        for index in sessions.indices { sessions[index].isHalted = true }
    }

    mutating func taken(through arrival: UInt64, _ byteCount: UInt64) {
        guard arrival > state.incoming.taken, arrival <= state.incoming.arrivals else { return }
        state.incoming.taken = arrival
        state.incoming.byteCount -= min(state.incoming.byteCount, byteCount)
        // The other side waits for room.
        if saidRoom == 0, room > 0 { sendReceipt() }
    }

    mutating func deliver(from taken: UInt64, through arrival: UInt64) {
        if taken < arrival { effects.append(.deliver(taken + 1...arrival)) }
    }

    /// Whether nothing more is accepted, whatever the receipts allow: another stream begins with a room of its own.
    private var isFull: Bool {
        let incoming = state.incoming, allowed = UInt64(SyncReceipt.roomLimit)
        let waiting = incoming.arrivals - incoming.taken + UInt64(pending.count)
        return pending.count >= 2 * SyncReceipt.roomLimit || waiting >= Self.textLimit + allowed
            || incoming.byteCount >= Self.byteLimit + allowed * UInt64(SyncMessage.textLimit)
    }

    /// The number of texts that can be accepted now.
    private var room: UInt64 {
        let incoming = state.incoming
        let waiting = incoming.arrivals - incoming.taken + UInt64(pending.count)
        let pendingBytes = pending.count * SyncMessage.textLimit
        let bytes = Self.byteLimit - min(Self.byteLimit, incoming.byteCount + UInt64(pendingBytes))
        let transit = UInt64(SyncReceipt.roomLimit) - min(UInt64(SyncReceipt.roomLimit), UInt64(pending.count))
        return min(Self.textLimit - min(Self.textLimit, waiting), bytes / UInt64(SyncMessage.textLimit), transit)
    }

    /// Sends a receipt for the stored texts in the newest session.
    mutating func sendReceipt() {
        guard let session = sessions.last?.id else { return }
        granted = max(granted, position.number + room)
        saidRoom = min(granted - position.number + UInt64(pending.count), UInt64(SyncReceipt.roomLimit))
        effects.append(.send(.receipt(SyncReceipt(state.incoming.last, room: UInt16(saidRoom))), session: session))
    }
}
