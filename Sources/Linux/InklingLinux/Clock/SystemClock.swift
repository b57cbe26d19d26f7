internal import CLinux
public import InklingKeys
public import InklingNode
public import InklingVault

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The clocks of this machine, or a demonstration clock based on them.
public struct SystemClock: NodeClock {
    private let clock: VaultClock

    /// Creates the clock that a vault belongs to.
    public init(_ clock: VaultClock = .real) { self.clock = clock }

    public func read() -> ClockReading {
        let real = ClockTimers.milliseconds(CLOCK_REALTIME)
        // BOOTTIME includes sleep, so a timer that expires during sleep fires when the machine wakes up.
        let tick = ClockTimers.now
        let shown = clock.protocolMilliseconds(atReal: real)
        return switch clock {
        case .real: ClockReading(tick: tick, unixMilliseconds: shown)
        case .accelerated(let rate, _): ClockReading(tick: tick, unixMilliseconds: shown, rate: rate)
        }
    }

    public func suspendedMilliseconds() -> UInt64 {
        let running = ClockTimers.milliseconds(CLOCK_MONOTONIC)
        let all = ClockTimers.milliseconds(CLOCK_BOOTTIME)
        return all > running ? all - running : 0
    }

    public func sleep(until tick: Tick) async throws { try await ClockTimers.shared.wait(until: tick) }

    public func changes() -> AsyncStream<Void> { ClockTimers.shared.changes() }
}

/// Evidence about the system clock, from the kernel and the battery-backed clock.
public struct SystemTimeEvidence: TimeEvidence {
    /// Creates a source of evidence about this machine's clock.
    public init() {}

    public func evidence() -> ClockEvidence {
        var state = timex()
        // The kernel's maximum error grows to 16 s when nothing disciplines the clock.
        let isKnown = unsafe adjtimex(&state) >= 0 && state.maxerror >= 0
        return ClockEvidence(
            kernelMaximumError: isKnown ? UInt64(state.maxerror) : nil, batteryClock: Self.batteryClock())
    }

    private static func batteryClock() -> UInt64? {
        let file = unsafe open("/sys/class/rtc/rtc0/since_epoch", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var digits = [UInt8](repeating: 0, count: 32)
        let count = unsafe digits.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return UInt64(String(decoding: digits.prefix(count).prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
    }
}
