public import InklingKeys

/// The machine of a first contact with one other user: it decides what is sent and stored, which pairwise key answers a
/// confirm handshake, and when something may be granted (`Specs/first-contact.md`).
///
/// Decisions are stored before they are sent: an effect `save` is followed by the event `saved` or `notSaved`, which
/// releases the effects that wait for it. One save is in progress at a time. After a restart the machine is created
/// from the agreement that was stored last.
public struct FirstContactMachine: Sendable {
    /// The time that two users may take to decide.
    public static let decisionTime: Duration = .seconds(300)
    /// The time that the exchange of grants may take before its state is reported.
    public static let exchangeTime: Duration = .seconds(10)
    /// The number of periods that a grant to a half-finished contact covers, the current one included.
    public static let firstSpan: UInt32 = 48

    /// A record that decides about a first contact.
    public enum Saying: String, Hashable, Sendable {
        /// This side's user accepts.
        case accept = "accept"
        /// This side's user does not accept, or has not answered in time.
        case decline = "decline"
        /// This side closes the link and keeps what it has stored.
        case close = "close"
        /// Both users have accepted, and the session begins.
        case hello = "hello"
    }

    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// Message 3 was sent or has authenticated.
        case began
        /// This user accepts the other.
        case agreed
        /// This user refuses the other.
        case refused
        /// ACCEPT, DECLINE or CLOSE has arrived on the link.
        case heard(Saying)
        /// Another record has arrived on the link before HELLO was sent.
        case heardOther
        /// The link is lost.
        case linkLost
        /// An epoch ends.
        case boundary
        /// The moment of the latest `wake` has come.
        case timerFired
        /// The save in progress has succeeded.
        case saved
        /// The save in progress has failed; nothing of it was stored.
        case notSaved
        /// A message 1 of the contact has authenticated and is about to be answered.
        case answering
        /// Message 2 of a session has opened under a key.
        case secondMessageOpened(session: UInt64, PairwiseKeyNumber)
        /// The first record of a session has opened under a key: as a responder, or HELLO on a link of first contact.
        case firstRecordOpened(session: UInt64, PairwiseKeyNumber)
        /// The HELLOs of a session were compared: whether the other names a grant of ours, whether we hold one of
        /// theirs, and whether a grant is missing or can be extended (INK-REC-005).
        case compared(session: UInt64, namesOurs: Bool, holdsTheirs: Bool, isLacking: Bool, now: Period)
        /// This user makes a sealed grant; `session` stands for it in the effects.
        case sealing(session: UInt64, now: Period)
        /// This user removes the contact.
        case removed
    }

    /// The duration of a grant.
    public enum Span: String, Hashable, Sendable {
        /// 48 periods.
        case first = "first"
        /// As long as grants may last.
        case full = "full"
    }

    /// The outcome of a first contact for this user.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// Another link of first contact with this user is open.
        case busy = "busy"
        /// Four keys are kept already.
        case full = "full"
        /// The other has declined.
        case declined = "declined"
        /// This user has refused.
        case refused = "refused"
        /// This user has not answered in time.
        case unanswered = "unanswered"
        /// The link ended before this user answered, or the contact was removed.
        case failed = "failed"
        /// This user has accepted, and the other has not said that it has.
        case waiting = "waiting"
        /// Both have accepted; not each is known to hold a grant.
        case halfFinished = "half-finished"
        /// Both are contacts.
        case complete = "complete"
        /// The agreement could not be stored.
        case notSaved = "not-saved"
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable {
        /// Ask this user.
        case ask
        /// Store the agreement durably, and report `saved` or `notSaved`.
        case save(Agreement)
        /// Send a record on the link.
        case send(Saying)
        /// Close the link.
        case close
        /// Report the outcome to this user.
        case outcome(Outcome)
        /// Answer with this key.
        case use(PairwiseKeyNumber)
        /// Continue a session that this side initiated: its first record may be sent.
        case proceed(session: UInt64)
        /// End a session.
        case drop(session: UInt64)
        /// Send a grant in a session.
        case grant(session: UInt64, Span)
        /// Report `timerFired` at this moment.
        case wake(at: Tick)
    }

    /// A step to take once the agreement is stored.
    enum Step: Hashable {
        case accept(link: UInt64)
        case open(link: UInt64)
        case report(link: UInt64)
        case proceed(session: UInt64)
        case grant(session: UInt64, Span)

        var session: UInt64? {
            switch self {
            case .proceed(let session), .grant(let session, _): session
            case .accept, .open, .report: nil
            }
        }

        var isGrant: Bool { if case .grant = self { true } else { false } }
    }

    struct Link: Hashable {
        enum Phase: Hashable {
            case undecided
            case storing(PairwiseKeyNumber)
            case accepted(PairwiseKeyNumber)
            case opening(PairwiseKeyNumber)
            case open(PairwiseKeyNumber, since: Tick)
        }

        let number: UInt64
        let began: Tick
        var phase = Phase.undecided
        var isAcceptedByOther = false
        var boundaries = 0
        /// Whether the other's HELLO has opened.
        var hasHeardHello = false
        var isReported = false

        /// Whether both have accepted.
        var isBeyondConsent: Bool {
            switch phase {
            case .undecided, .storing, .accepted: false
            case .opening, .open: true
            }
        }

        var key: PairwiseKeyNumber? {
            switch phase {
            case .undecided: nil
            case .storing(let key), .accepted(let key), .opening(let key), .open(let key, _): key
            }
        }
    }

    /// The agreement as it is decided; the stored one may be older while a save is in progress.
    public internal(set) var agreement: Agreement
    /// The agreement as it was stored last.
    public private(set) var stored: Agreement
    /// The save in progress, and the steps after it.
    var writing: (agreement: Agreement, steps: [Step])?
    /// The steps after the save that follows the one in progress.
    var steps: [Step] = []
    var link: Link?
    var linkCount: UInt64 = 0
    var effects: [Effect] = []
    private(set) var now = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// Creates a machine without a link from the agreement that was stored last.
    public init(_ stored: Agreement = Agreement()) {
        agreement = stored
        self.stored = stored
    }

    /// Whether nothing is in progress, so that the machine holds no more than the stored agreement.
    public var isIdle: Bool { link == nil && writing == nil }

    /// Whether a link of first contact with the user is open on which not both have accepted.
    public var isDeciding: Bool { link.map { !$0.isBeyondConsent } ?? false }

    /// Whether a link of first contact is open on which HELLO was not sent, so that another one must be refused.
    public var isBusy: Bool {
        guard let link else { return false }
        if case .open = link.phase { return false }
        return true
    }

    /// Whether a link of first contact, or the session that it became, is open.
    public var hasLink: Bool { link != nil }

    /// The key of the first contact in progress; nil before this user has agreed.
    public var linkKey: PairwiseKeyNumber? { link?.key }

    /// Processes one event and returns the effects to carry out now, in this order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        self.now = now
        apply(event)
        save()
        if let due, due != scheduled { effects.append(.wake(at: due)) }
        scheduled = due
        defer { effects = [] }
        return effects
    }

    /// Records that new generations of audiences have been stored, of which nothing has been granted; `remaining` is
    /// the last period of the longest grant sent for the other audiences. A save in progress that states a later end is
    /// followed by one that states this, unless a grant of the new generations waits for it.
    public mutating func generationsBegan(remaining: Period? = nil) {
        stored.grantedUntil = remaining
        let waiting = (writing?.steps ?? []) + steps
        if !waiting.contains(where: \.isGrant) { agreement.grantedUntil = remaining }
    }

    /// The highest number of a key that is kept, stored or being stored. While an earlier save is in progress, a number
    /// that it contains must not stand for another key.
    var highestKey: PairwiseKeyNumber? {
        [agreement, stored, writing?.agreement].compactMap { $0?.keys.last }.max()
    }

    /// The time at which `timerFired` is due; nil while nothing waits for time.
    public var due: Tick? {
        guard let link, !link.isReported else { return nil }
        switch link.phase {
        case .undecided, .storing, .accepted: return link.began.advanced(by: Self.decisionTime)
        case .opening: return nil
        case .open(_, let since): return since.advanced(by: Self.exchangeTime)
        }
    }

    private mutating func apply(_ event: Event) {
        switch event {
        case .began: begin()
        case .agreed: agree()
        case .refused:
            guard link?.phase == .undecided else { return }
            effects.append(.send(.decline))
            end(.refused)
        case .heard(.accept): otherAccepted()
        case .heard(.decline): otherDeclined()
        case .heard(.close), .linkLost: loseLink()
        // HELLO after both ACCEPTs is reported as a first record.
        case .heard(.hello), .heardOther: if isDeciding { loseLink() }
        case .boundary: boundary()
        case .timerFired: timerFired()
        case .saved: saved()
        case .notSaved: notSaved()
        case .answering: answer()
        case .secondMessageOpened(let session, let key):
            if succeed(key, in: session) { steps.append(.proceed(session: session)) }
        case .firstRecordOpened(let session, let key):
            guard succeed(key, in: session), let number = link?.number, link?.key == key, link?.isBeyondConsent == true
            else { return }
            link?.hasHeardHello = true
            steps.append(.report(link: number))
        case .compared(let session, let namesOurs, let holdsTheirs, let isLacking, let now):
            compare(session, namesOurs: namesOurs, holdsTheirs: holdsTheirs, isLacking: isLacking, now: now)
        case .sealing(let session, let now):
            if agreement.standing != .none { grant(.full, in: session, now: now) }
        case .removed: remove()
        }
    }
}

// MARK: Saving

extension FirstContactMachine {
    /// Begins a save if the agreement has changed, or carries out the steps that need none.
    private mutating func save() {
        while writing == nil {
            if agreement != stored {
                effects.append(.save(agreement))
                writing = (agreement, steps)
                steps = []
                return
            }
            guard !steps.isEmpty else { return }
            let due = steps
            steps = []
            for step in due { carryOut(step) }
        }
    }

    private mutating func carryOut(_ step: Step) {
        switch step {
        case .accept(let number):
            guard let link, link.number == number, let key = link.key else { return }
            effects.append(.send(.accept))
            if link.isAcceptedByOther { open(with: key) } else { self.link?.phase = .accepted(key) }
        case .open(let number):
            guard let link, link.number == number, let key = link.key else { return }
            effects.append(.send(.hello))
            self.link?.phase = .open(key, since: now)
            reportIfComplete()
        case .report(let number): if link?.number == number { reportIfComplete() }
        case .proceed(let session): effects.append(.proceed(session: session))
        case .grant(let session, let span): effects.append(.grant(session: session, span))
        }
    }

    private mutating func saved() {
        guard let done = writing else { return }
        stored = done.agreement
        writing = nil
        for step in done.steps { carryOut(step) }
        reportIfComplete()
    }

    private mutating func notSaved() {
        guard let failed = writing else { return }
        dropSessions(of: failed.steps + steps)
        agreement = stored
        writing = nil
        steps = []
        guard link != nil else { return }
        effects.append(.send(.close))
        end(.notSaved)
    }

    mutating func dropSessions(of steps: [Step]) {
        var dropped: Set<UInt64> = []
        for session in steps.compactMap(\.session) where dropped.insert(session).inserted {
            effects.append(.drop(session: session))
        }
    }
}
