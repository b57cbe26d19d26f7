internal import InklingKeys
internal import InklingSession

/// The texts between this device and one other, over all their sessions: those that wait for a receipt, and the numbers
/// of those that were passed on (`Specs/hand-over.md`).
struct TextTraffic: Sendable {
    /// How many numbers of texts that were passed on are remembered.
    static let memory = 256

    /// A text without a receipt.
    struct Waiting: Sendable {
        let message: TextMessage
        let answer: Answer<Void>
        let until: Tick
        /// The session in which it was sent; nil until it is sent, and when that session has ended.
        var session: SessionID?
        /// How many texts were sent to the device before this one was; a text that is sent again counts anew.
        var place: UInt64 = 0
        /// Whether the other side has answered a text that was sent later in the same session, so that it has seen this one
        /// and did not take it.
        var isPassedOver = false
    }

    /// In the order in which the user sent them.
    private(set) var waiting: [Waiting] = []
    private var passedOn: [UInt64] = []
    private var sentCount: UInt64 = 0

    /// Whether a text waits to be sent.
    var hasUnsent: Bool { waiting.contains { $0.session == nil && !$0.isPassedOver } }

    /// When the first text has waited long enough.
    var due: Tick? { waiting.map(\.until).min() }

    mutating func append(_ message: TextMessage, _ answer: Answer<Void>, until: Tick) {
        waiting.append(Waiting(message: message, answer: answer, until: until))
    }

    /// Returns the texts to be sent in a session, in order: those that were not sent, or whose session has ended.
    mutating func takeUnsent(for session: SessionID) -> [TextMessage] {
        var messages: [TextMessage] = []
        for index in waiting.indices where waiting[index].session == nil && !waiting[index].isPassedOver {
            waiting[index].session = session
            waiting[index].place = sentCount
            sentCount += 1
            messages.append(waiting[index].message)
        }
        return messages
    }

    /// Notes that a session has ended: what was sent in it may not have arrived.
    mutating func ended(_ session: SessionID) {
        for index in waiting.indices where waiting[index].session == session { waiting[index].session = nil }
    }

    /// Takes the receipt of a text that came in a session; returns the answer of the user who waits for it.
    mutating func receipt(_ number: UInt64, in session: SessionID) -> Answer<Void>? {
        guard let index = waiting.firstIndex(where: { $0.message.number == number }) else { return nil }
        let answered = waiting.remove(at: index)
        // Receipts come in order in one session; that of an earlier text may have been lost in another one.
        for index in waiting.indices where waiting[index].session == session && waiting[index].place < answered.place {
            waiting[index].isPassedOver = true
        }
        return answered.answer
    }

    /// Whether a text that was sent in a session waits for its receipt there.
    func isWaiting(in session: SessionID) -> Bool {
        waiting.contains { $0.session == session && !$0.isPassedOver }
    }

    /// Removes the texts that have waited until this moment, or all of them; returns their answers.
    mutating func giveUp(at now: Tick? = nil) -> [Answer<Void>] {
        let over = waiting.filter { text in now.map { text.until <= $0 } ?? true }
        waiting.removeAll { text in now.map { text.until <= $0 } ?? true }
        return over.map(\.answer)
    }

    /// Whether a text was passed on to the application before.
    func hasPassedOn(_ number: UInt64) -> Bool { passedOn.contains(number) }

    /// Notes that a text was passed on to the application.
    mutating func notePassedOn(_ number: UInt64) {
        if passedOn.count >= Self.memory { passedOn.removeFirst() }
        passedOn.append(number)
    }
}
