public import InklingKeys

/// The machine by which two devices deliver every text once and in order (`Specs/sync.md`).
///
/// One machine serves one device of one contact, over all sessions with it. The store is the caller's: the machine
/// requests the texts that it sends by number, and acknowledges only what the caller has reported as stored. After a
/// restart the machine is created from the stored state, in a new stream.
public struct SyncMachine: Sendable {
    /// The largest number of texts kept for the other device, and of texts that the application has not taken.
    public static let textLimit: UInt64 = 10_000
    /// The largest total length of either, in bytes.
    public static let byteLimit: UInt64 = 16_777_216
    /// The most texts that may be sent and not acknowledged.
    public static let transitLimit: UInt64 = 64
    /// The total length of texts, in bytes, from which on no further one is sent before an acknowledgement.
    public static let transitByteLimit = 65_536
    /// The most texts that are requested at once.
    public static let loadLimit: UInt64 = 16
    /// The most sessions of the two devices that count.
    public static let sessionLimit = 4
    /// The most texts that are already here that one session may bring, and the most STREAMs.
    public static let duplicateLimit = 1_024
    /// The most sessions in a row that begin to replay at once.
    public static let replayBurst = 8
    /// The time until one more session may.
    public static let replayInterval: Duration = .seconds(15)

    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// The machine has been created, and nothing was reported to it before.
        case started
        /// The other side's HELLO has opened in a session.
        case opened(session: UInt64)
        /// A session has ended.
        case closed(session: UInt64)
        /// A record has opened in a session.
        case heard(SyncRecord, session: UInt64)
        /// The application queues a text of a length in bytes; `TextID` has been drawn for it.
        case queued(TextID, byteCount: Int)
        /// Texts up to this number are durably queued.
        case enqueued(through: UInt64)
        /// The texts from this number on could not be queued.
        case notEnqueued(from: UInt64)
        /// The texts that `load` named, in order; fewer if some are missing.
        case loaded([SyncMessage])
        /// Texts that `drop` or `forget` named, or that were withdrawn, are gone; they had this total length in bytes.
        case dropped(byteCount: UInt64)
        /// The texts at the head of the queue, up to this number, have been withdrawn.
        case withdrawn(through: UInt64)
        /// Received texts up to this arrival are durably stored.
        case stored(through: UInt64)
        /// The received texts that were not reported as stored could not be stored.
        case notStored
        /// The application has taken the texts up to this arrival, which is durably stored; they have this total length.
        case taken(through: UInt64, byteCount: UInt64)
        /// The moment of the latest `wake` has come.
        case timerFired
    }

    /// The reason a text is not queued.
    public enum QueueError: String, Hashable, Sendable {
        /// It is empty or too long.
        case wrongLength = "wrong-length"
        /// Too many texts wait for the device.
        case tooManyTexts = "too-many-texts"
        /// The texts that wait for the device are too long together.
        case tooManyBytes = "too-many-bytes"
        /// No number is left.
        case noNumber = "no-number"
        /// It could not be stored.
        case notStored = "not-stored"
    }

    /// The reason a session ends.
    public enum Violation: String, Hashable, Sendable {
        /// A text before the STREAM of its session.
        case unannounced = "unannounced"
        /// The number of a text is not the next one.
        case gap = "gap"
        /// A text that the receipts did not allow.
        case beyondRoom = "beyond-room"
        /// Too many texts that are already here, or too many STREAMs.
        case tooManyDuplicates = "too-many-duplicates"
        /// A receipt for a text that was not sent.
        case notSent = "not-sent"
        /// A receipt whose identifier is not that of the text with this number.
        case wrongID = "wrong-id"
        /// A newer session takes its place.
        case tooManySessions = "too-many-sessions"
    }

    /// A text to be stored.
    public struct Arrival: Hashable, Sendable {
        /// Its place among all texts that arrived from the device, from 1.
        public let arrival: UInt64
        /// The stream; the message has the number in it.
        public let stream: StreamID
        /// The text. Of a withdrawn one, only the arrival, the number and the identifier are stored.
        public let message: SyncMessage
        /// The number of texts missing before it: the sender has withdrawn them, or an earlier state of this device had
        /// received them.
        public let skipped: UInt64

        /// Its name in receipts.
        var last: SyncReceipt.Last? { SyncReceipt.Last(stream: stream, number: message.number, id: message.id) }
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable {
        /// Send a record in a session.
        case send(SyncRecord, session: UInt64)
        /// End a session, without a reply.
        case end(session: UInt64, Violation)
        /// Store a text of the application with this number durably, and the number after it as the next one; report
        /// `enqueued` or `notEnqueued`.
        case enqueue(number: UInt64, TextID)
        /// Tell the application that a text is not queued.
        case refuse(TextID, QueueError)
        /// Report the queued texts with these numbers with `loaded`.
        case load(ClosedRange<UInt64>)
        /// The other device has the texts up to this number: drop them, store the number as the base, tell the
        /// application, and report `dropped`.
        case drop(through: UInt64)
        /// Drop withdrawn texts up to this number, as with `drop`; they have not been delivered.
        case forget(through: UInt64)
        /// Store a received text durably, together with its arrival and its name as the last one, after all that was to
        /// be stored before; report `stored` or `notStored`. A text whose identifier is stored already is not stored
        /// again.
        case store(Arrival)
        /// The application may have the stored texts with these arrivals, in order.
        case deliver(ClosedRange<UInt64>)
        /// Report `timerFired` at this moment.
        case wake(at: Tick)
    }

    struct Session: Hashable {
        let id: UInt64
        /// The last receipt of the other side before its texts were considered.
        var receipt: SyncReceipt?
        /// Whether the receipt has been considered.
        var isConsidered = false
        /// The stream of the texts in this session.
        var stream: StreamID?
        var duplicates = 0
        /// Whether texts in it are ignored because one could not be stored.
        var isHalted = false
    }

    /// The purpose of a `load` in progress.
    enum Loading: Hashable {
        /// To be sent, in the round of sending with this number, through the text with that number.
        case sending(round: UInt64, through: UInt64)
        /// To compare the identifier with that of a receipt.
        case comparing(session: UInt64, SyncReceipt.Last)
    }

    /// A text that was sent.
    struct Sent: Hashable {
        let id: TextID
        let byteCount: Int
    }

    /// The stored state, as far as the caller has reported.
    public internal(set) var state: SyncState
    /// The sessions in the order in which they were opened.
    var sessions: [Session] = []

    // Sending.
    /// The stream of the texts that this machine sends.
    public let stream: StreamID
    /// The session in which texts are sent.
    var active: UInt64?
    /// Counts the beginnings of sending.
    var round: UInt64 = 0
    /// The number of the next text to send.
    var cursor: UInt64 = 1
    /// The base at the latest beginning.
    var announced: UInt64 = 0
    /// The highest number that the other side has room for.
    var limit: UInt64 = 0
    /// The texts that were sent and not acknowledged, by number.
    var transit: [UInt64: Sent] = [:]
    /// Texts whose storing is in progress, in the order of their numbers.
    var enqueuing: [(number: UInt64, id: TextID, byteCount: Int)] = []
    var loading: Loading?
    /// Whether the store did not have the texts that it should; nothing is sent before the next beginning.
    var isStalled = false
    var replays = replayBurst
    var replaysSince = Tick(milliseconds: 0)

    // Receiving.
    /// The stream and the number of the last text that was accepted, stored or not.
    var position: (stream: StreamID?, number: UInt64)
    /// The number of texts before the next one that will not come.
    var skipped: UInt64 = 0
    /// The highest number that receipts allow.
    var granted: UInt64
    /// The room of the latest receipt.
    var saidRoom: UInt64 = 0
    /// Texts that are being stored.
    var pending: [Arrival] = []

    var effects: [Effect] = []
    private var scheduled: Tick?
    var now = Tick(milliseconds: 0)

    /// Creates the machine from what is stored, with a stream that the caller has drawn for it alone.
    public init(_ state: SyncState, stream: StreamID) {
        self.state = state
        self.stream = stream
        position = (state.incoming.last?.stream, state.incoming.last?.number ?? 0)
        granted = position.number
    }

    /// Processes one event and returns the effects to carry out now, in this order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        self.now = now
        apply(event)
        considerReceipts()
        pump()
        if let due, due != scheduled { effects.append(.wake(at: due)) }
        scheduled = due
        defer { effects = [] }
        return effects
    }

    private mutating func apply(_ event: Event) {
        switch event {
        case .started: deliver(from: state.incoming.taken, through: state.incoming.arrivals)
        case .opened(let session): open(session)
        case .closed(let session): close(session)
        case .heard(.message(let message), let session): take(message, in: session)
        case .heard(.stream(let stream), let session): take(stream, in: session)
        case .heard(.receipt(let receipt), let session): take(receipt, in: session)
        case .queued(let id, let byteCount): enqueue(id, byteCount)
        case .enqueued(let number): enqueuing.removeAll { $0.number <= number }
        case .notEnqueued(let number): notEnqueued(from: number)
        case .loaded(let texts): loaded(texts)
        case .dropped(let byteCount): state.outgoing.byteCount -= min(state.outgoing.byteCount, byteCount)
        case .withdrawn(let number): withdrawn(through: number)
        case .stored(let arrival): stored(through: arrival)
        case .notStored: notStored()
        case .taken(let arrival, let byteCount): taken(through: arrival, byteCount)
        case .timerFired: break
        }
    }

    // MARK: Sessions

    func index(of session: UInt64) -> Int? { sessions.firstIndex { $0.id == session } }

    private mutating func open(_ session: UInt64) {
        guard index(of: session) == nil else { return }
        if sessions.count >= Self.sessionLimit, let oldest = sessions.first { end(oldest.id, .tooManySessions) }
        sessions.append(Session(id: session))
        sendReceipt()
    }

    private mutating func close(_ session: UInt64) {
        let wasNewest = sessions.last?.id == session
        sessions.removeAll { $0.id == session }
        if active == session { active = nil }
        // A receipt that was on its way in that session may be lost, and nothing might follow it.
        if wasNewest { sendReceipt() }
    }

    mutating func end(_ session: UInt64, _ violation: Violation) {
        effects.append(.end(session: session, violation))
        close(session)
    }
}
