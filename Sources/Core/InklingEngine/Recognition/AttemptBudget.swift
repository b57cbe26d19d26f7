internal import InklingKeys

/// The budget of attempts over one technology, counted against the limits of a policy. By radio it also counts readings
/// of tags, which may lead to attempts.
///
/// One attempt of each limit is reserved for recently confirmed contacts, so that a crowd of devices that happen to
/// show contacts' minors cannot delay a contact who is probably near.
struct AttemptBudget: Sendable {
    private enum Purpose: Hashable, Sendable {
        case confirm(Attempt)
        case read(DeviceAddress)

        var attempt: Attempt? { if case .confirm(let attempt) = self { attempt } else { nil } }
        var contact: ContactID? { attempt?.prediction.contact }
    }

    private struct Running: Sendable {
        let purpose: Purpose
        let isReserved: Bool
        let isRepeat: Bool
        let end: Tick
    }

    private struct Start: Sendable {
        let at: Tick
        let isReserved: Bool
        let isRepeat: Bool
        let isReading: Bool
    }

    private static let minute: UInt64 = 60_000

    private var starts: [Start] = []
    private var running: [Running] = []

    /// Drops expired starts and attempts. Returns the contacts whose attempts timed out.
    mutating func advance(to now: Tick) -> [ContactID] {
        starts.removeAll { now.milliseconds(since: $0.at) >= Self.minute }
        let ended = running.filter { $0.end <= now }.compactMap(\.purpose.contact)
        running.removeAll { $0.end <= now }
        return ended
    }

    /// Whether an attempt could start now.
    func hasRoom(isRecent: Bool, isRepeat: Bool, under policy: RecognitionPolicy) -> Bool {
        guard starts.count < policy.attemptsPerMinute, running.count < policy.attemptsAtOnce else { return false }
        if isRepeat {
            guard starts.count(where: \.isRepeat) < policy.repeatsPerMinute,
                running.count(where: \.isRepeat) < policy.repeatsAtOnce
            else { return false }
        }
        return isRecent
            || starts.count(where: { !$0.isReserved }) < policy.attemptsPerMinute - 1
                && running.count(where: { !$0.isReserved }) < policy.attemptsAtOnce - 1
    }

    /// Counts an attempt; returns false, and counts nothing, if it has to wait.
    mutating func start(
        _ attempt: Attempt, isRecent: Bool, isRepeat: Bool, at now: Tick, under policy: RecognitionPolicy
    ) -> Bool {
        start(.confirm(attempt), isReserved: isRecent, isRepeat: isRepeat, at: now, under: policy)
    }

    /// Counts the reading of a tag; returns false, and counts nothing, if it has to wait.
    mutating func startReading(
        _ address: DeviceAddress, isRepeat: Bool, at now: Tick, under policy: RecognitionPolicy
    ) -> Bool {
        guard starts.count(where: \.isReading) < policy.readingsPerMinute else { return false }
        return start(.read(address), isReserved: false, isRepeat: isRepeat, at: now, under: policy)
    }

    /// Records that an attempt has ended; returns whether it was running.
    mutating func end(_ attempt: Attempt) -> Bool { end { $0.purpose == .confirm(attempt) } }

    /// Records that any running attempt to confirm this contact has ended.
    mutating func end(for contact: ContactID) { running.removeAll { $0.purpose.contact == contact } }

    /// Records that the reading of the tag at this address has ended; returns whether it was running.
    mutating func endReading(_ address: DeviceAddress) -> Bool { end { $0.purpose == .read(address) } }

    /// Returns the running attempt to confirm this contact; nil when none is running.
    func attempt(for contact: ContactID) -> Attempt? {
        running.lazy.compactMap(\.purpose.attempt).first { $0.prediction.contact == contact }
    }

    func isRunning(for contact: ContactID) -> Bool { running.contains { $0.purpose.contact == contact } }

    /// The moment when the next running attempt times out; nil when none is running.
    var nextEnd: Tick? { running.map(\.end).min() }

    /// The moment when time alone next makes room in the budget; nil when nothing is in use.
    var nextRelease: Tick? {
        (starts.map { $0.at.advanced(byMilliseconds: Self.minute) } + running.map(\.end)).min()
    }

    private mutating func end(where isMeant: (Running) -> Bool) -> Bool {
        let count = running.count
        running.removeAll(where: isMeant)
        return running.count < count
    }

    private mutating func start(
        _ purpose: Purpose, isReserved: Bool, isRepeat: Bool, at now: Tick, under policy: RecognitionPolicy
    ) -> Bool {
        guard hasRoom(isRecent: isReserved, isRepeat: isRepeat, under: policy) else { return false }
        let isReading = if case .read = purpose { true } else { false }
        starts.append(Start(at: now, isReserved: isReserved, isRepeat: isRepeat, isReading: isReading))
        let end = now.advanced(byMilliseconds: policy.attemptTimeout.wholeMilliseconds)
        running.append(Running(purpose: purpose, isReserved: isReserved, isRepeat: isRepeat, end: end))
        return true
    }
}
