#if Node
    import Glibc
    import InklingNode
    import InklingTesting
    import Testing

    @testable import InklingLinux

    @Suite(.hangDetector) struct LogindSleepTests {
        /// Covers INK-ROT-017.
        @Test func `sleep is announced, and waits until the node is silent`() async throws {
            let daemon = try PrivateBus()
            let logind = try await daemon.open()
            let (inhibitions, inhibit) = AsyncStream.makeStream(of: CInt.self)
            logind.export(
                BusObject(path: LogindSleep.path, interfaces: [LogindSleep.interface: [:]]) { call in
                    guard call.member == "Inhibit", call.arguments.last == .string("delay") else {
                        return call.refuse(BusErrorName.unknownMethod)
                    }
                    var ends: [CInt] = [-1, -1]
                    unsafe pipe(&ends)
                    inhibit.yield(ends[0])
                    call.reply([.descriptor(BusDescriptor(owning: ends[1]))])
                })
            try await logind.requestName(LogindSleep.service)
            var announcements = LogindSleep(busAddress: daemon.address, limit: PrivateBus.patience)
                .announcements().makeAsyncIterator()
            var inhibited = inhibitions.makeAsyncIterator()
            let first = try #require(await inhibited.next())
            logind.emit(LogindSleep.path, LogindSleep.interface, "PrepareForSleep", [.bool(true)])
            guard case .near(let isSilent)? = await announcements.next() else {
                Issue.record("sleep was not announced")
                return
            }
            #expect(!hasEnded(first))
            await isSilent()
            #expect(await onOwnThread { hasEnded(first, within: -1) })
            logind.emit(LogindSleep.path, LogindSleep.interface, "PrepareForSleep", [.bool(false)])
            guard case .over? = await announcements.next() else {
                Issue.record("waking was not announced")
                return
            }
            // Sleep waits the next time too.
            let second = try #require(await inhibited.next())
            #expect(!hasEnded(second))
            for end in [first, second] { close(end) }
        }
    }

    /// Returns whether the other end of a pipe is closed within this many milliseconds; -1 for no limit.
    private func hasEnded(_ end: CInt, within limit: CInt = 0) -> Bool {
        var poll = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        return unsafe Glibc.poll(&poll, 1, limit) == 1 && poll.revents & Int16(POLLHUP) != 0
    }
#endif
