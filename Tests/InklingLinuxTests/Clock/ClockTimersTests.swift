import CLinux
import InklingKeys
import InklingTesting
import Testing

@testable import InklingLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.hangDetector) struct ClockTimersTests {
    @Test func `a sleeper is not woken before its time, however long others sleep`() async throws {
        let timers = ClockTimers(settings: -1)
        let start = ClockTimers.now
        let last = Task { try await timers.wait(until: start.advanced(byMilliseconds: 3_600_000)) }
        for delay: UInt64 in [40, 20, 30, 10] {
            let due = ClockTimers.now.advanced(byMilliseconds: delay)
            try await timers.wait(until: due)
            #expect(ClockTimers.now >= due)
        }
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
    }

    @Test func `those whose moment has come are woken in the order of their moments, and only they`() {
        var sleepers = Sleepers<String>()
        for (number, due) in [30, 10, 40, 20].enumerated() {
            sleepers.add(UInt64(number), until: Tick(milliseconds: UInt64(due)), "until \(due)")
        }
        #expect(sleepers.next == Tick(milliseconds: 10))
        #expect(sleepers.removeDue(at: Tick(milliseconds: 9)) == [])
        #expect(sleepers.removeDue(at: Tick(milliseconds: 30)) == ["until 10", "until 20", "until 30"])
        #expect(sleepers.next == Tick(milliseconds: 40))
        #expect(sleepers.remove(2) == "until 40")
        #expect(sleepers.next == nil)
    }

    @Test func `a sleeper that is cancelled ends at once`() async throws {
        let timers = ClockTimers(settings: -1)
        let task = Task { try await timers.wait(until: ClockTimers.now.advanced(byMilliseconds: 3_600_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// The descriptor stands for the timer that the kernel cancels when the clock is set.
    ///
    /// Covers INK-ROT-048.
    @Test func `every listener hears of each setting of the clock`() async throws {
        var ends: [CInt] = [-1, -1]
        let status = unsafe pipe(&ends)
        try #require(status == 0)
        let timers = ClockTimers(settings: ends[0])
        var listeners = [timers.changes().makeAsyncIterator(), timers.changes().makeAsyncIterator()]
        for _ in 0..<3 {
            var one: UInt64 = 1
            unsafe write(ends[1], &one, 8)
            for index in listeners.indices { #expect(await listeners[index].next() != nil) }
        }
    }

    /// Sets the clock to the time that it shows, which the kernel reports as it reports any other setting.
    ///
    /// Covers INK-ROT-048.
    @Test(.enabled("needs the right to set the clock") { maySetClock() })
    func `the kernel reports that the clock was set`() async throws {
        let clock = SystemClock()
        var changes = clock.changes().makeAsyncIterator()
        // The thread has set its timer before it wakes anyone.
        try await clock.sleep(until: clock.tick.advanced(byMilliseconds: 1))
        for _ in 0..<3 {
            #expect(maySetClock())
            #expect(await changes.next() != nil)
        }
    }
}

/// Sets the clock to the time that it shows, and returns whether this process may.
private func maySetClock() -> Bool {
    var discipline = timex()
    var time = timespec()
    guard unsafe adjtimex(&discipline) >= 0, unsafe clock_gettime(CLOCK_REALTIME, &time) == 0,
        unsafe clock_settime(CLOCK_REALTIME, &time) == 0
    else { return false }
    // The kernel considers a clock that was set unsynchronised.
    discipline.modes = UInt32(ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR)
    return unsafe adjtimex(&discipline) >= 0
}
