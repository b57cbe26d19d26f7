internal import CLinux
internal import Glibc
internal import InklingKeys
internal import Synchronization

/// The thread that waits for this machine's clocks: for moments of boot time, which includes sleep, and for clock
/// changes.
///
/// Both use `timerfd_create(2)`. A timer on boot time that expires during sleep fires when the machine wakes. A timer
/// on real time with `TFD_TIMER_CANCEL_ON_SET` is cancelled when the clock is set and when the machine wakes, so no
/// polling is needed.
final class ClockTimers: Sendable {
    /// The timers of this process.
    static let shared = ClockTimers(
        settings: timerfd_create(CLOCK_REALTIME, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC)))

    private struct State {
        var sleepers = Sleepers<CheckedContinuation<Void, any Error>>()
        /// Sleepers cancelled before they were added.
        var cancelled: Set<UInt64> = []
        var count: UInt64 = 0
        var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var hasThread = false
    }

    private let state = Mutex(State())
    /// A descriptor that becomes readable when the clock is set.
    private let settings: CInt
    private let moments = timerfd_create(CLOCK_BOOTTIME, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC))
    /// An eventfd that wakes the thread.
    private let alarm = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))

    /// Creates timers; `settings` is the descriptor that becomes readable when the clock is set.
    init(settings: CInt) { self.settings = settings }

    /// The boot time, in milliseconds.
    static var now: Tick { Tick(milliseconds: milliseconds(CLOCK_BOOTTIME)) }

    /// Reads a clock, in milliseconds; 0 for a time before 1970.
    static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0, time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Waits until a moment of boot time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func wait(until due: Tick) async throws {
        guard startIfNeeded() else {
            // `Task.sleep` does not count time asleep, so it waits in steps.
            while Self.now < due {
                try await Task.sleep(for: .milliseconds(min(due.milliseconds(since: Self.now), 60_000)))
            }
            return
        }
        let number = nextNumber()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers.add(number, until: due, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) } else { wakeThread() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.remove(number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// Returns a stream with an element each time the clock is set or the machine wakes.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = nextNumber()
        state.withLock { $0.listeners[number] = continuation }
        continuation.onTermination = { [self] _ in state.withLock { $0.listeners[number] = nil } }
        _ = startIfNeeded()
        return stream
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    private func wakeThread() {
        var one: UInt64 = 1
        unsafe write(alarm, &one, 8)
    }

    // MARK: The thread

    private func startIfNeeded() -> Bool {
        state.withLock { state in
            if !state.hasThread {
                state.hasThread = moments >= 0 && alarm >= 0 && startThread(named: "clock") { self.run() }
            }
            return state.hasThread
        }
    }

    private func run() {
        awaitSetting()
        while true {
            arm()
            var ready = [settings, moments, alarm].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&ready, nfds_t(ready.count), -1) >= 0 || errno == EINTR else { continue }
            var count: UInt64 = 0
            // A cancelled timer reads as ECANCELED and is set anew.
            for place in ready where place.revents != 0 { unsafe read(place.fd, &count, 8) }
            if ready[0].revents != 0 {
                awaitSetting()
                for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
            }
            wakeSleepers()
        }
    }

    private func wakeSleepers() {
        let now = Self.now
        for sleeper in state.withLock({ $0.sleepers.removeDue(at: now) }) { sleeper.resume() }
    }

    /// Sets the timer for the next sleeper.
    private func arm() {
        guard let next = state.withLock({ $0.sleepers.next }) else { return }
        // A time of zero would disarm the timer.
        let moment = max(next.milliseconds, 1)
        var setting = itimerspec()
        setting.it_value.tv_sec = time_t(clamping: moment / 1000)
        setting.it_value.tv_nsec = Int(moment % 1000) * 1_000_000
        unsafe timerfd_settime(moments, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }

    /// Arms a timer in the far future, which setting the clock cancels.
    private func awaitSetting() {
        var setting = itimerspec()
        setting.it_value.tv_sec = Self.farFuture
        unsafe timerfd_settime(settings, CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET), &setting, nil)
    }

    /// The last second that the kernel's clocks can represent, in the year 2262.
    private static let farFuture = Int(Int64.max / 1_000_000_000)
}
