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

@Suite struct ClockTimersTests {
    @Test(.timeLimit(.minutes(1)))
    func `sleepers are woken in order, and not before their time, however long others sleep`() async throws {
        let timers = ClockTimers(settings: -1)
        let start = ClockTimers.now
        let last = Task { try await timers.wait(until: start.advanced(byMilliseconds: 3_600_000)) }
        // Tasks that share threads with the other tests go on in any order after they were woken.
        let order = try await OneThreadExecutor.run {
            await withTaskGroup(of: UInt64.self) { group in
                // So far apart that a busy machine starts all of them before the first is due.
                for delay: UInt64 in [2000, 1000, 1500, 500] {
                    group.addTask {
                        try? await timers.wait(until: start.advanced(byMilliseconds: delay))
                        return ClockTimers.now >= start.advanced(byMilliseconds: delay) ? delay : .max
                    }
                }
                var order: [UInt64] = []
                for await delay in group { order.append(delay) }
                return order
            }
        }
        #expect(order == [500, 1000, 1500, 2000])
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
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
    @Test(.timeLimit(.minutes(1)))
    func `every listener hears of each setting of the clock`() async throws {
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
    @Test(.enabled("needs the right to set the clock") { maySetClock() }, .timeLimit(.minutes(1)))
    func `the kernel reports that the clock was set`() async throws {
        var changes = SystemClock().changes().makeAsyncIterator()
        // The thread may not have set its timer yet, so the clock is set until the first report.
        let settings = Task {
            var count = 0
            while !Task.isCancelled {
                _ = maySetClock()
                count += 1
                try? await ClockTimers.shared.wait(until: ClockTimers.now.advanced(byMilliseconds: 100))
            }
            return count
        }
        #expect(await changes.next() != nil)
        settings.cancel()
        // Within a second; on a busy machine both tasks wait for a thread.
        #expect(await settings.value <= 10)
    }
}

/// Sets the clock to the time that it shows, and returns whether this process may.
private func maySetClock() -> Bool {
    var discipline = timex()
    var time = timespec()
    guard unsafe adjtimex(&discipline) >= 0, unsafe clock_gettime(CLOCK_REALTIME, &time) == 0,
        unsafe clock_settime(CLOCK_REALTIME, &time) == 0
    else { return false }
    // The kernel takes a clock that was set for unsynchronised.
    discipline.modes = UInt32(ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR)
    return unsafe adjtimex(&discipline) >= 0
}
