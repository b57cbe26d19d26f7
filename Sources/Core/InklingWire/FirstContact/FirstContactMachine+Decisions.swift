public import InklingKeys

// MARK: The link

extension FirstContactMachine {
    mutating func begin() {
        guard link == nil else { return effects.append(.outcome(.busy)) }
        guard !agreement.isFull else {
            effects += [.close, .outcome(.full)]
            return
        }
        linkCount += 1
        link = Link(number: linkCount, began: now)
        effects.append(.ask)
    }

    mutating func agree() {
        guard let link, link.phase == .undecided, let key = agreement.consent(after: highestKey)
        else { return }
        self.link?.phase = .storing(key)
        if link.isAcceptedByOther { agreement.share(key) }
        steps.append(.accept(link: link.number))
    }

    mutating func otherAccepted() {
        guard let link, !link.isAcceptedByOther else { return }
        self.link?.isAcceptedByOther = true
        switch link.phase {
        case .storing(let key): agreement.share(key)
        case .accepted(let key):
            agreement.share(key)
            open(with: key)
        case .undecided, .opening, .open: break
        }
    }

    /// Opens the session after both have accepted: HELLO is sent when this has been stored.
    mutating func open(with key: PairwiseKeyNumber) {
        guard let number = link?.number else { return }
        link?.phase = .opening(key)
        agreement.bothAccepted()
        steps.append(.open(link: number))
    }

    mutating func otherDeclined() {
        guard let link, !link.isBeyondConsent else { return }
        guard let key = link.key else { return end(.declined) }
        // The other side has said that it keeps this key.
        if let shared = agreement.shared, shared >= key { return end(.waiting) }
        agreement.drop(key)
        end(.declined)
    }

    mutating func loseLink() {
        guard let link else { return }
        switch link.phase {
        case .undecided: end(.failed)
        case .storing, .accepted: end(.waiting)
        case .opening, .open: end(stored.standing == .complete ? .complete : .halfFinished)
        }
    }

    mutating func boundary() {
        guard let link else { return }
        guard !link.isBeyondConsent else { return loseLink() }
        self.link?.boundaries += 1
        guard self.link?.boundaries == 2 else { return }
        effects.append(.send(.close))
        loseLink()
    }

    mutating func timerFired() {
        guard let link, let due, due <= now else { return }
        switch link.phase {
        case .undecided:
            effects.append(.send(.decline))
            end(.unanswered)
        case .storing, .accepted:
            effects.append(.send(.close))
            end(.waiting)
        case .opening: break
        case .open: report(stored.standing == .complete ? .complete : .halfFinished)
        }
    }

    mutating func remove() {
        agreement = Agreement()
        dropSessions(of: ((writing?.steps ?? []) + steps).sorted { ($0.session ?? 0) < ($1.session ?? 0) })
        writing?.steps = []
        steps = []
        guard link != nil else { return }
        effects.append(.send(.close))
        end(.failed)
    }

    /// Closes the link, and reports the outcome unless one was reported.
    mutating func end(_ outcome: Outcome) {
        effects.append(.close)
        report(outcome)
        link = nil
    }

    mutating func report(_ outcome: Outcome) {
        guard let link, !link.isReported else { return }
        self.link?.isReported = true
        effects.append(.outcome(outcome))
    }

    mutating func reportIfComplete() {
        guard let link, case .open = link.phase, link.hasHeardHello, stored.standing == .complete else { return }
        report(.complete)
    }
}

// MARK: Sessions

extension FirstContactMachine {
    mutating func answer() {
        let candidates = agreement.candidates
        guard !candidates.isEmpty else { return }
        let turn = Int(agreement.turn) % candidates.count
        effects.append(.use(candidates[turn]))
        agreement.turn = UInt8((turn + 1) % candidates.count)
    }

    /// Records the success of a key, or ends the session and returns false when the key is not kept.
    mutating func succeed(_ key: PairwiseKeyNumber, in session: UInt64) -> Bool {
        guard agreement.keys.contains(key) else {
            effects.append(.drop(session: session))
            return false
        }
        agreement.succeed(key)
        return true
    }

    mutating func compare(
        _ session: UInt64, namesOurs: Bool, holdsTheirs: Bool, isLacking: Bool, now: Period
    ) {
        switch agreement.standing {
        case .halfFinished where namesOurs && holdsTheirs:
            agreement.standing = .complete
            grant(.full, in: session, now: now)
        case .halfFinished where !namesOurs: grant(.first, in: session, now: now)
        case .complete where isLacking: grant(.full, in: session, now: now)
        case .none, .waiting, .halfFinished, .complete: break
        }
    }

    mutating func grant(_ span: Span, in session: UInt64, now: Period) {
        agreement.granting(until: span.end(from: now))
        steps.append(.grant(session: session, span))
    }
}

extension FirstContactMachine.Span {
    /// Returns the last period of a grant of this span that begins with a period.
    public func end(from now: Period) -> Period {
        let count = self == .first ? FirstContactMachine.firstSpan : Grant.longestSpan
        return Period(now.number + count - 1) ?? .last
    }
}
