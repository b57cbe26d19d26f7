internal import InklingKeys

/// Counts attempts against the limits of a policy, and keeps one of each limit for recently confirmed contacts, so
/// that a crowd of lookalikes cannot keep a known contact waiting.
struct AttemptBudget: Sendable {
    private struct Running: Sendable {
        let attempt: Attempt
        let isReserved: Bool
        let end: Tick
    }

    private static let minute: UInt64 = 60_000

    private var starts: [(at: Tick, isReserved: Bool)] = []
    private var running: [Running] = []

    /// Forgets what no longer counts.
    mutating func advance(to now: Tick) {
        starts.removeAll { now.milliseconds(since: $0.at) >= Self.minute }
        running.removeAll { $0.end <= now }
    }

    /// Takes an attempt into account, or answers that it has to wait.
    mutating func start(_ attempt: Attempt, isRecent: Bool, at now: Tick, under policy: RecognitionPolicy) -> Bool {
        guard starts.count < policy.attemptsPerMinute, running.count < policy.attemptsAtOnce else { return false }
        if !isRecent {
            guard starts.count(where: { !$0.isReserved }) < policy.attemptsPerMinute - 1,
                running.count(where: { !$0.isReserved }) < policy.attemptsAtOnce - 1
            else { return false }
        }
        starts.append((now, isRecent))
        let end = now.advanced(byMilliseconds: policy.attemptTimeout)
        running.append(Running(attempt: attempt, isReserved: isRecent, end: end))
        return true
    }

    /// Notes that an attempt is over.
    mutating func end(_ attempt: Attempt) { running.removeAll { $0.attempt == attempt } }

    /// Notes that whatever attempt at this contact was running is over.
    mutating func end(for contact: ContactID) { running.removeAll { $0.attempt.prediction.contact == contact } }

    func isRunning(for contact: ContactID) -> Bool { running.contains { $0.attempt.prediction.contact == contact } }

    /// When the budget next frees something by itself; nil when nothing is in use.
    var nextRelease: Tick? {
        (starts.map { $0.at.advanced(byMilliseconds: Self.minute) } + running.map(\.end)).min()
    }
}
