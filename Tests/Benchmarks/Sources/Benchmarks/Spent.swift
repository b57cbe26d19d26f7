import Glibc

/// Seconds of processor time of all threads, and seconds that pass.
struct Spent {
    var processor = 0.0
    var wall = 0.0

    static var now: Spent {
        Spent(processor: seconds(CLOCK_PROCESS_CPUTIME_ID), wall: seconds(CLOCK_MONOTONIC))
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    static func - (left: Spent, right: Spent) -> Spent {
        Spent(processor: left.processor - right.processor, wall: left.wall - right.wall)
    }

    static func += (left: inout Spent, right: Spent) {
        left = Spent(processor: left.processor + right.processor, wall: left.wall + right.wall)
    }

    /// What a piece of work takes.
    static func measuring(_ work: () async throws -> Void) async rethrows -> Spent {
        let before = Spent.now
        try await work()
        return Spent.now - before
    }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
