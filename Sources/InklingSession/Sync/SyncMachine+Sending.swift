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

    mutating func withdrawn(through number: UInt64, _ id: TextID) {
        guard number > state.outgoing.base, number <= queuedThrough, saving == nil,
            active == nil || cursor == state.outgoing.base + 1
        else { return }
        state.outgoing.base = number
        state.outgoing.baseID = id
        transit = transit.filter { $0.key > number }
        effects.append(.forget(through: number, id))
        if let active { begin(in: active) }
    }
}

// MARK: Receipts

extension SyncMachine {
    mutating func take(_ receipt: SyncReceipt, in session: UInt64) {
        guard let index = index(of: session) else { return }
        guard sessions[index].isConsidered else {
            sessions[index].receipt = receipt
            return
        }
        guard saving == nil else { return }
        let base = state.outgoing.base
        // Before it has stored one of the announced texts, a device still names an earlier one, of any stream.
        var start = base == announced ? base : 0
        if let last = receipt.last, last.stream == state.outgoing.stream {
            guard last.number <= max(queuedThrough, base) else { return end(session, .notQueued) }
            if last.number > base {
                guard let sent = transit[last.number] else {
                    // It was sent before a crash of this side, and has been stored since the first receipt.
                    sessions[index].receipt = receipt
                    sessions[index].isConsidered = false
                    return
                }
                guard sent.id == last.id else { return end(session, .wrongID) }
                acknowledge(through: last.number, last.id)
            }
            start = max(start, last.number)
        }
        if start > 0 || base == announced { limit = max(limit, start + UInt64(receipt.room)) }
    }

    private mutating func acknowledge(through number: UInt64, _ id: TextID?) {
        state.outgoing.base = number
        state.outgoing.baseID = id
        transit = transit.filter { $0.key > number }
        cursor = max(cursor, number + 1)
        effects.append(.drop(through: number, id))
    }

    /// Considers the first receipt of the newest session that has one, and sends there.
    mutating func considerReceipts() {
        // A load in progress belongs to what was begun before.
        guard saving == nil, loading == nil, let session = sessions.last(where: { $0.receipt != nil }),
            let receipt = session.receipt
        else { return }
        if session.isConsidered {
            if active == nil { begin(in: session.id) }
            return
        }
        guard takeReplay() else { return }
        let queue = state.outgoing
        switch receipt.last {
        case let last? where last.stream == queue.stream && last.number >= queue.base:
            if last.number == queue.base {
                if last.id == queue.baseID { begin(in: session.id, receipt) } else { restart(in: session.id) }
            } else if last.number <= queuedThrough {
                loading = .comparing(session: session.id, last)
                effects.append(.load(last.number...last.number))
            } else {
                restart(in: session.id)
            }
        case let last? where last.stream != queue.stream:
            if let ancestor = queue.ancestors.first(where: { $0.stream == last.stream }) {
                // The texts below the limit have the same numbers in both streams.
                let number = min(last.number, ancestor.limit - 1)
                if number > queue.base { acknowledge(through: number, number == last.number ? last.id : nil) }
            }
            begin(in: session.id, receipt)
        // The other device has received nothing, or less than it had acknowledged.
        default: begin(in: session.id, receipt)
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

    /// When `timerFired` is due; nil while nothing waits for time.
    var due: Tick? {
        guard saving == nil, loading == nil, let newest = sessions.last(where: { $0.receipt != nil }),
            !newest.isConsidered
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
        effects.append(.send(.stream(SyncStream(state.outgoing.stream, first: cursor)), session: session))
    }

    /// The other device has texts in this stream that this queue does not know: it is an old copy. Its texts continue in
    /// a stream of their own.
    private mutating func restart(in session: UInt64) {
        guard let index = index(of: session) else { return }
        saving = (state.outgoing, session)
        active = nil
        state.outgoing.restart(as: sessions[index].spare)
        effects.append(.save(state.outgoing.stream, state.outgoing.ancestors))
    }

    mutating func saved() {
        guard let saving else { return }
        self.saving = nil
        transit = [:]
        guard let index = index(of: saving.session) else { return }
        begin(in: saving.session, sessions[index].receipt)
    }

    mutating func notSaved() {
        guard let saving else { return }
        self.saving = nil
        var before = saving.before
        before.base = state.outgoing.base
        before.baseID = state.outgoing.baseID
        before.next = state.outgoing.next
        before.byteCount = state.outgoing.byteCount
        state.outgoing = before
        // Nothing is sent in it; the next session tries again.
        guard let index = index(of: saving.session) else { return }
        sessions[index].receipt = nil
    }

    private var transitByteCount: Int {
        transit.reduce(0) { $0 + ($1.key < cursor ? $1.value.byteCount : 0) }
    }

    /// Requests the next texts to send.
    mutating func pump() {
        guard active != nil, saving == nil, loading == nil, !isStalled else { return }
        let base = state.outgoing.base
        let last = min(queuedThrough, limit, base + Self.transitLimit, cursor + Self.loadLimit - 1)
        guard cursor <= last, transitByteCount < Self.transitByteLimit else { return }
        loading = .sending(round: round)
        effects.append(.load(cursor...last))
    }

    mutating func loaded(_ texts: [SyncMessage]) {
        let purpose = loading
        loading = nil
        switch purpose {
        case nil: return
        case .comparing(let session, let last):
            guard let index = index(of: session), !sessions[index].isConsidered, saving == nil else { return }
            // Meanwhile the text may have been acknowledged in another session, or withdrawn.
            let base = state.outgoing.base
            let found = texts.first.flatMap { $0.number == last.number ? $0.id : nil }
            let id = last.number > base ? found : last.number == base ? state.outgoing.baseID : last.id
            guard id == last.id else { return restart(in: session) }
            if last.number > base { acknowledge(through: last.number, last.id) }
            begin(in: session, sessions[index].receipt)
        case .sending(let round):
            guard round == self.round, let active, saving == nil else { return }
            guard texts.first.map({ $0.number <= cursor }) == true else { return isStalled = true }
            for text in texts where text.number == cursor && transitByteCount < Self.transitByteLimit {
                transit[cursor] = Sent(id: text.id, byteCount: text.text?.utf8.count ?? 0)
                cursor += 1
                effects.append(.send(.message(text), session: active))
            }
        }
    }
}
