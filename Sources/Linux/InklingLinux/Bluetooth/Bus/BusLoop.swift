#if Node
    internal import CLinux
    internal import CSystemd
    internal import Glibc
    internal import InklingKeys
    internal import Synchronization

    /// The thread of a connection: sd-bus is used only from it.
    ///
    /// Unchecked, because the compiler cannot see that all but `inbox` and `wake` is touched by the thread only.
    @safe final class BusLoop: @unchecked Sendable {
        /// The error number for a connection without a thread or a descriptor.
        static let noResources = EAGAIN
        /// The error number for a connection that has ended.
        static let noConnection = ENOTCONN
        /// The number of messages processed before posted work gets its turn.
        private static let turn = 64

        private struct Inbox {
            var work: [(run: @Sendable (BusLoop) -> Void, discard: @Sendable () -> Void)] = []
            var isStopped = false
            var isEnded = false
            var atEnd: [@Sendable () -> Void] = []
            var count: UInt64 = 0
        }

        private let inbox = Mutex(Inbox())
        /// An eventfd that becomes readable when there is work.
        private let wake: CInt

        private(set) var bus: OpaquePointer?
        var calls = BusCalls()
        var subscriptions = BusSubscriptions()
        var objects = BusObjects()

        init?() {
            wake = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
            guard wake >= 0 else { return nil }
        }

        deinit { Glibc.close(wake) }

        /// Connects on its own thread, then runs until `stop`. `opened` is called once, with its unique name or error.
        func start(
            _ address: String?, within limit: Duration?, opened: @escaping @Sendable (Result<String, BusError>) -> Void
        ) {
            let hasThread = startThread(named: "message-bus") { [self] in
                do throws(BusError) {
                    opened(.success(try connect(address, within: limit)))
                    while take() {}
                } catch {
                    opened(.failure(error))
                }
                end()
            }
            if !hasThread { opened(.failure(.unreachable(code: Self.noResources))) }
        }

        /// Runs `work` on the thread, in order; calls `discard` instead if the connection has ended.
        func post(_ work: @escaping @Sendable (BusLoop) -> Void, discard: @escaping @Sendable () -> Void = {}) {
            let isEnded = inbox.withLock { inbox in
                if !inbox.isStopped { inbox.work.append((work, discard)) }
                return inbox.isStopped
            }
            if isEnded { discard() } else { wakeThread() }
        }

        /// Ends the connection; `ended` is called once it is closed.
        func stop(_ ended: @escaping @Sendable () -> Void = {}) {
            let isEnded = inbox.withLock { inbox in
                inbox.isStopped = true
                if !inbox.isEnded { inbox.atEnd.append(ended) }
                return inbox.isEnded
            }
            if isEnded { ended() } else { wakeThread() }
        }

        /// Whether work is still accepted.
        var isOpen: Bool { inbox.withLock { !$0.isStopped } }

        func nextNumber() -> UInt64 {
            inbox.withLock { inbox in
                inbox.count += 1
                return inbox.count
            }
        }

        private func wakeThread() {
            var one: UInt64 = 1
            unsafe write(wake, &one, 8)
        }
    }

    // MARK: The thread

    extension BusLoop {
        private func connect(_ address: String?, within limit: Duration?) throws(BusError) -> String {
            var opened: OpaquePointer?
            if let address {
                try require(unsafe sd_bus_new(&opened))
                unsafe bus = opened
                try require(unsafe sd_bus_set_address(opened, address))
                try require(unsafe sd_bus_set_bus_client(opened, 1))
                try require(unsafe sd_bus_negotiate_fds(opened, 1))
                try require(unsafe sd_bus_start(opened))
            } else {
                try require(unsafe sd_bus_open_system(&opened))
                unsafe bus = opened
            }
            // This filter sees every message that is not a reply.
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            try require(unsafe sd_bus_add_filter(bus, nil, busFilter, context))
            let end = limit.map { ClockTimers.milliseconds(CLOCK_MONOTONIC) + $0.wholeMilliseconds } ?? .max
            while unsafe sd_bus_is_ready(bus) == 0 {
                try require(unsafe sd_bus_process(bus, nil))
                let now = ClockTimers.milliseconds(CLOCK_MONOTONIC)
                guard now < end else { throw .unreachable(code: ETIMEDOUT) }
                if unsafe sd_bus_is_ready(bus) == 0 { wait(atMost: CInt(clamping: end - now)) }
            }
            var name: UnsafePointer<CChar>?
            try require(unsafe sd_bus_get_unique_name(bus, &name))
            return unsafe name.map { unsafe String(cString: $0) } ?? ""
        }

        private func require(_ result: CInt) throws(BusError) { if result < 0 { throw .unreachable(code: -result) } }

        /// Runs one iteration; returns false if the connection has ended or is to end.
        private func take() -> Bool {
            guard work() else { return false }
            for _ in 0..<Self.turn {
                let result = unsafe sd_bus_process(bus, nil)
                guard result >= 0, unsafe sd_bus_is_open(bus) > 0 else { return false }
                if result == 0 { break }
            }
            wait(atMost: -1)
            return true
        }

        /// Runs the posted work; returns false if the connection is to end. A separate function, so that sent values
        /// such as descriptors are released before the thread waits.
        private func work() -> Bool {
            let (work, isStopped) = inbox.withLock { inbox in
                defer { inbox.work = [] }
                return (inbox.work, inbox.isStopped)
            }
            // Work posted before `stop` still runs, as far as it can be sent at once.
            for item in work { item.run(self) }
            return !isStopped
        }

        /// Waits for the bus or for work.
        private func wait(atMost limit: CInt) {
            var due: UInt64 = .max
            _ = unsafe sd_bus_get_timeout(bus, &due)
            var milliseconds = limit
            if due != .max {
                let now = ClockTimers.milliseconds(CLOCK_MONOTONIC) * 1_000
                // Rounded up, or the loop would spin in the last millisecond.
                let rest = CInt(clamping: due > now ? (due - now + 999) / 1_000 : 0)
                milliseconds = limit < 0 ? rest : min(limit, rest)
            }
            let events = unsafe sd_bus_get_events(bus)
            var ready = [
                pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(clamping: max(events, 0)), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&ready, nfds_t(ready.count), milliseconds) > 0, ready[1].revents != 0 else { return }
            var count: UInt64 = 0
            unsafe read(wake, &count, 8)
        }

        private func end() {
            let left = inbox.withLock { inbox in
                defer { inbox.work = [] }
                inbox.isStopped = true
                return inbox.work
            }
            for item in left { item.discard() }
            calls.endAll()
            subscriptions.endAll()
            objects.endAll()
            if let open = unsafe bus {
                unsafe sd_bus_close(open)
                unsafe sd_bus_unref(open)
                unsafe bus = nil
            }
            let atEnd = inbox.withLock { inbox in
                defer { inbox.atEnd = [] }
                inbox.isEnded = true
                return inbox.atEnd
            }
            for item in atEnd { item() }
        }
    }

    /// Handles a message that is not a reply; returns 1 if it needs no further handling.
    private func busFilter(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> CInt {
        guard let message = unsafe message, let context = unsafe context else { return 0 }
        let loop = unsafe Unmanaged<BusLoop>.fromOpaque(context).takeUnretainedValue()
        var type: UInt8 = 0
        guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return 0 }
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_SIGNAL):
            unsafe loop.received(signal: message)
            return 0
        case Int(SD_BUS_MESSAGE_METHOD_CALL): return unsafe loop.received(call: message) ? 1 : 0
        default: return 0
        }
    }
#endif
