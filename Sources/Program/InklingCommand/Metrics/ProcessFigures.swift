import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The resources that this process uses, under the names that Prometheus has for every process.
struct ProcessFigures: Sendable {
    let residentBytes: Double
    let processorSeconds: Double
    let openDescriptors: Double

    /// The current figures, from /proc and the CPU clock of the process.
    static var now: ProcessFigures {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let pages = (try? readFile("/proc/self/statm", limit: 4096))
            .map { String(decoding: $0, as: UTF8.self).split(separator: " ") }
            .flatMap { $0.count > 1 ? Double($0[1]) : nil }
        return ProcessFigures(
            residentBytes: (pages ?? 0) * Double(sysconf(CInt(_SC_PAGESIZE))),
            processorSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, openDescriptors: descriptorCount())
    }

    private static func descriptorCount() -> Double {
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        var count = 0.0
        while unsafe readdir(folder) != nil { count += 1 }
        // Do not count the folder itself, `.` and `..`.
        return max(0, count - 3)
    }

    /// Adds the figures.
    func add(to metrics: inout Metrics) {
        metrics.add("process_resident_memory_bytes", .gauge, "Memory of the process.", residentBytes)
        metrics.add(
            "process_cpu_seconds_total", .counter, "Processor time of the process, in seconds.", processorSeconds)
        metrics.add("process_open_fds", .gauge, "Open file descriptors.", openDescriptors)
    }
}
