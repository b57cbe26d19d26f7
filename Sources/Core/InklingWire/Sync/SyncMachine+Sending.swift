internal import InklingKeys

// MARK: Queueing

extension SyncMachine {
    /// The number of the last text that is durably queued.
    private var queuedThrough: UInt64 { (enqueuing.first?.number ?? state.outgoing.next) - 1 }

    mutating func enqueue(_ id: TextID, _ byteCount: Int) {
        let queue = state.outgoing
        let refusal: QueueError? =
            if !(1...SyncMessage.textLimit).contains(byteCount) {
                .wrongLength
            } else if queue.count >= Self.textLimit {
                .tooManyTexts
            } else if queue.byteCount > Self.byteLimit - UInt64(byteCount) {
                .tooManyBytes
            } else if queue.next >= largestTextNumber {
                .noNumber
            } else {
                nil
            }
        if let refusal { return effects.append(.refuse(id, refusal)) }
        enqueuing.append((queue.next, id, byteCount))
        effects.append(.enqueue(number: queue.next, id))
        state.outgoing.next += 1
        state.outgoing.byteCount += UInt64(byteCount)
    }

    mutating func notEnqueued(from number: UInt64) {
        // Numbers that were not stored were not sent either, and may stand for other texts.
        for text in enqueuing where text.number >= number {
            effects.append(.refuse(text.id, .notStored))
            state.outgoing.byteCount -= min(state.outgoing.byteCount, UInt64(text.byteCount))
            state.outgoing.next = min(state.outgoing.next, text.number)
        }
        enqueuing.removeAll { $0.number >= number }
    }

    mutating func withdrawn(through number: UInt64) {
        guard number > state.outgoing.base, number <= queuedThrough,
            active == nil || cursor == state.outgoing.base + 1
        else { return }
        state.outgoing.base = number
        transit = transit.filter { $0.key > number }
        effects.append(.forget(through: number))
        if let active { begin(in: active) }
    }
}

// MARK: Receipts

extension SyncMachine {
    mutating func take(_ receipt: SyncReceipt, in session: UInt64) {
        guard let index = index(of: session) else { return }
        let base = state.outgoing.base
        // Before it has stored one of the announced texts, a device still names an earlier one, of any stream.
        var start = base == announced ? base : 0
        if let last = receipt.last, last.stream == stream {
            if last.number > base {
                guard let sent = transit[last.number] else { return end(session, .notSent) }
                guard sent.id == last.id else { return end(session, .wrongID) }
                acknowledge(through: last.number)
            }
            start = max(start, last.number)
        }
        if !sessions[index].isConsidered {
            sessions[index].receipt = receipt
        } else if start > 0 || base == announced {
            limit = max(limit, start + UInt64(receipt.room))
        }
    }

    private mutating func acknowledge(through number: UInt64) {
        state.outgoing.base = number
        transit = transit.filter { $0.key > number }
        cursor = max(cursor, number + 1)
        effects.append(.drop(through: number))
    }

    /// Considers the first receipt of the newest session that has one, and sends there.
    mutating func considerReceipts() {
        // A load in progress belongs to an earlier beginning.
        guard loading == nil, let session = sessions.last(where: { $0.receipt != nil }), let receipt = session.receipt
        else { return }
        if session.isConsidered {
            if active == nil { begin(in: session.id) }
            return
        }
        guard takeReplay() else { return }
        // An earlier process of this device, or another copy of it, has sent the text. If this text is the same, the
        // texts before it are too.
        if let last = receipt.last, last.stream != stream, last.number > state.outgoing.base,
            last.number <= queuedThrough
        {
            loading = .comparing(session: session.id, last)
            effects.append(.load(last.number...last.number))
        } else {
            begin(in: session.id, receipt)
        }
    }

    /// Spends one of the replays that the interval allows.
    private mutating func takeReplay() -> Bool {
        let interval = Self.replayInterval.wholeMilliseconds
        let gained = now.milliseconds(since: replaysSince) / interval
        if UInt64(replays) + min(gained, UInt64(Self.replayBurst)) >= UInt64(Self.replayBurst) {
            replays = Self.replayBurst
            replaysSince = now
        } else {
            replays += Int(gained)
            replaysSince = replaysSince.advanced(byMilliseconds: gained * interval)
        }
        guard replays > 0 else { return false }
        replays -= 1
        return true
    }

    /// The time at which `timerFired` is due; nil while nothing waits for time.
    var due: Tick? {
        guard loading == nil, let newest = sessions.last(where: { $0.receipt != nil }), !newest.isConsidered
        else { return nil }
        return replaysSince.advanced(by: Self.replayInterval)
    }
}

// MARK: Sending

extension SyncMachine {
    /// Begins to send in a session, from the first text that is kept.
    private mutating func begin(in session: UInt64, _ receipt: SyncReceipt? = nil) {
        guard let index = index(of: session) else { return }
        sessions[index].isConsidered = true
        active = session
        round += 1
        isStalled = false
        let base = state.outgoing.base
        cursor = base + 1
        announced = base
        if let receipt { limit = base + UInt64(receipt.room) }
        effects.append(.send(.stream(SyncStream(stream, first: cursor)), session: session))
    }

    private var transitByteCount: Int {
        transit.reduce(0) { $0 + ($1.key < cursor ? $1.value.byteCount : 0) }
    }

    /// Requests the next texts to send.
    mutating func pump() {
        guard active != nil, loading == nil, !isStalled else { return }
        let base = state.outgoing.base
        let last = min(queuedThrough, limit, base + Self.transitLimit, cursor + Self.loadLimit - 1)
        guard cursor <= last, transitByteCount < Self.transitByteLimit else { return }
        loading = .sending(round: round, through: last)
        effects.append(.load(cursor...last))
    }

    mutating func loaded(_ texts: [SyncMessage]) {
        let purpose = loading
        loading = nil
        switch purpose {
        case nil: return
        case .comparing(let session, let last):
            guard let index = index(of: session), !sessions[index].isConsidered else { return }
            // Meanwhile the text may have been acknowledged in another session, or withdrawn.
            let isSame = texts.first.map { $0.number == last.number && $0.id == last.id } ?? false
            if isSame, last.number > state.outgoing.base { acknowledge(through: last.number) }
            begin(in: session, sessions[index].receipt)
        case .sending(let round, let last):
            guard round == self.round, let active else { return }
            guard texts.first.map({ $0.number <= cursor }) == true else { return isStalled = true }
            for text in texts
            where text.number == cursor && cursor <= last && transitByteCount < Self.transitByteLimit {
                transit[cursor] = Sent(id: text.id, byteCount: text.text?.utf8.count ?? 0)
                cursor += 1
                effects.append(.send(.message(text), session: active))
            }
        }
    }
}
