#if Node
    internal import CLinux
    internal import Glibc
    internal import InklingKeys
    internal import Synchronization

    /// An MQTT 3.1.1 client with its own thread, which reconnects whenever a connection is lost.
    ///
    /// No call waits for the broker. If the broker takes messages too slowly, the connection ends; publishers start
    /// over on the next connection.
    public final class MQTTClient: Sendable {
        /// An event of the client; events arrive in order.
        public enum Event: Hashable, Sendable {
            /// The broker has accepted the connection with this number; nothing is subscribed yet.
            case connected(Int)
            /// The connection was lost or could not be made; the client retries by itself.
            case disconnected(MQTTFault)
            /// The broker has delivered a message.
            case received(MQTTMessage)
        }

        private enum Request {
            case publish(MQTTMessage)
            case subscribe(String, MQTTQuality)
            case unsubscribe(String)

            /// The approximate size in bytes.
            var size: Int {
                switch self {
                case .publish(let message): 64 + message.topic.utf8.count + message.payload.count
                case .subscribe(let filter, _), .unsubscribe(let filter): 64 + filter.utf8.count
                }
            }
        }

        private struct State {
            var requests: [Request] = []
            /// The index of the first unsent request.
            var start = 0
            var bytes = 0
            var connection = 0
            var isConnected = false
            var hasOverflowed = false
            var isStopped = false
            var hasEnded = false
            var atEnd: [CheckedContinuation<Void, Never>] = []

            mutating func drop() { (requests, start, bytes) = ([], 0, 0) }
        }

        /// The largest numbers of messages and bytes that wait for the broker.
        static let messageLimit = 8_192, byteLimit = 16 << 20
        /// The number of unacknowledged messages at which sending pauses.
        private static let window = 20

        /// The client's timeouts, in milliseconds unless noted.
        struct Times: Sendable {
            /// The longest wait for a broker to accept a connection.
            var acceptance: UInt64 = 15_000
            /// The longest wait of `stop` for unsent messages.
            var farewell: UInt64 = 2_000
            /// The pause before reconnecting: at first, and at most.
            var pauses: ClosedRange<UInt64> = 1_000...60_000
            /// The keep-alive interval of a silent connection, in seconds.
            var keepAlive: CInt = 30
        }

        /// The events, for one consumer. Those it has not taken wait, up to a limit; further messages are dropped.
        public let events: Events
        private let deliveries = MQTTDeliveries()
        private let continuation: AsyncStream<Event>.Continuation
        private let broker: MQTTBroker
        private let name: String
        private let times: Times
        private let will: MQTTMessage?
        private let state = Mutex(State())
        /// An eventfd that becomes readable when there is work.
        private let wake: CInt

        /// Starts a client; `nil` if the system gives no thread.
        ///
        /// - Parameters:
        ///   - broker: the broker.
        ///   - name: the client's name at the broker, which ends an older connection of the same name.
        ///   - will: the message that the broker publishes when the connection is lost; `nil` for none.
        public convenience init?(_ broker: MQTTBroker, name: String, will: MQTTMessage?) {
            self.init(broker, name: name, will: will, times: Times())
        }

        init?(_ broker: MQTTBroker, name: String, will: MQTTMessage?, times: Times) {
            self.times = times
            self.broker = broker
            self.name = name
            self.will = will
            let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
            events = Events(stream: stream, deliveries: deliveries)
            self.continuation = continuation
            wake = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
            guard wake >= 0, startThread(named: "mqtt", { [self] in run() }) else { return nil }
        }

        deinit { if wake >= 0 { Glibc.close(wake) } }

        /// Publishes a message if the connection with this number still exists.
        public func publish(_ message: MQTTMessage, in connection: Int) { add(.publish(message), connection) }

        /// The number of messages dropped since the start: too many waited for the consumer, or they exceeded 1 MiB.
        public var dropped: UInt64 { deliveries.dropped }

        /// Subscribes to topics if the connection with this number still exists.
        public func subscribe(_ filter: String, _ quality: MQTTQuality = .atLeastOnce, in connection: Int) {
            add(.subscribe(filter, quality), connection)
        }

        /// Ends a subscription if the connection with this number still exists.
        public func unsubscribe(_ filter: String, in connection: Int) { add(.unsubscribe(filter), connection) }

        /// Sends waiting messages for at most two seconds and ends the connection. A thread that waits for the network
        /// is left behind and ends later.
        public func stop() async {
            let deadline = Task {
                try? await Task.sleep(for: .milliseconds(Int64(times.farewell)))
                self.finish()
            }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    state.isStopped = true
                    if !state.hasEnded { state.atEnd.append(continuation) }
                    return state.hasEnded
                }
                if isOver { continuation.resume() } else { wakeThread() }
            }
            deadline.cancel()
        }

        private func add(_ request: Request, _ connection: Int) {
            state.withLock { state in
                guard state.isConnected, state.connection == connection, !state.isStopped else { return }
                guard state.requests.count - state.start < Self.messageLimit,
                    state.bytes + request.size <= Self.byteLimit
                else {
                    state.hasOverflowed = true
                    return state.drop()
                }
                state.requests.append(request)
                state.bytes += request.size
            }
            wakeThread()
        }

        private func wakeThread() {
            var one: UInt64 = 1
            unsafe write(wake, &one, 8)
        }

        private func finish() {
            let waiting = state.withLock { state in
                defer { state.atEnd = [] }
                state.hasEnded = true
                return state.atEnd
            }
            continuation.finish()
            for one in waiting { one.resume() }
        }
    }

    extension MQTTClient {
        /// The sequence of the client's events.
        public struct Events: AsyncSequence, Sendable {
            let stream: AsyncStream<Event>
            let deliveries: MQTTDeliveries

            public func makeAsyncIterator() -> Iterator {
                Iterator(inner: stream.makeAsyncIterator(), deliveries: deliveries)
            }

            /// An iterator that also frees room for further messages.
            public struct Iterator: AsyncIteratorProtocol {
                var inner: AsyncStream<Event>.Iterator
                let deliveries: MQTTDeliveries

                public mutating func next() async -> Event? {
                    let event = await inner.next()
                    if case .received(let message) = event { deliveries.take(byteCount: message.byteCount) }
                    return event
                }
            }
        }
    }

    // MARK: The thread

    extension MQTTClient {
        private func run() {
            // Writing to a connection that the broker has closed must not end the process.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            var wait = times.pauses.lowerBound
            while !isStopped {
                var wasAccepted = false
                do throws(MQTTFault) {
                    try serve(wasAccepted: &wasAccepted)
                } catch {
                    state.withLock { state in
                        state.isConnected = false
                        state.drop()
                    }
                    continuation.yield(.disconnected(error))
                }
                if wasAccepted { wait = times.pauses.lowerBound }
                pause(wait - UInt64.random(in: 0...wait / 5))
                wait = min(wait * 2, times.pauses.upperBound)
            }
            finish()
        }

        private var isStopped: Bool { state.withLock { $0.isStopped } }

        /// Waits for the given time, or until the client is stopped.
        private func pause(_ milliseconds: UInt64) {
            let end = Self.now + milliseconds
            while !isStopped, Self.now < end { sleep(until: end, on: nil) }
        }

        /// Serves one connection until it is lost or the client is stopped.
        private func serve(wasAccepted: inout Bool) throws(MQTTFault) {
            let connection = try MQTTConnection(to: broker, client: name, will: will, deliveries)
            let begin = Self.now
            try connection.open(broker.address, keepAlive: times.keepAlive)
            var stoppedAt: UInt64?
            while true {
                var fault: MQTTFault?
                do throws(MQTTFault) { try connection.turn() } catch { fault = error }
                if connection.isAccepted, !wasAccepted {
                    wasAccepted = true
                    begun()
                }
                for message in connection.takeDelivered() { continuation.yield(.received(message)) }
                // Deliver messages received before the connection was lost.
                if let fault { throw fault }
                let isEmpty = try send(over: connection)
                let now = Self.now
                if isStopped {
                    let since = stoppedAt ?? now
                    stoppedAt = since
                    if !wasAccepted || isEmpty && connection.outstanding == 0 || now - since >= times.farewell {
                        return connection.close()
                    }
                }
                guard wasAccepted || now - begin < times.acceptance else { throw .timedOut }
                guard let socket = connection.socket else {
                    throw connection.refusal.map { MQTTFault(refusal: $0) } ?? .closed
                }
                let mayWait = isEmpty || connection.outstanding >= Self.window || !wasAccepted
                if mayWait { sleep(until: now + 500, on: (socket, connection.wantsToWrite)) }
            }
        }

        private func begun() {
            let number = state.withLock { state in
                state.isConnected = true
                state.hasOverflowed = false
                state.connection += 1
                state.drop()
                return state.connection
            }
            continuation.yield(.connected(number))
        }

        /// Sends waiting requests as far as the window allows; returns whether none are left.
        private func send(over connection: MQTTConnection) throws(MQTTFault) -> Bool {
            guard connection.isAccepted else { return true }
            while connection.outstanding < Self.window {
                let (next, hasOverflowed) = state.withLock { state -> (Request?, Bool) in
                    guard state.start < state.requests.count else {
                        state.drop()
                        return (nil, state.hasOverflowed)
                    }
                    let request = state.requests[state.start]
                    state.start += 1
                    state.bytes -= request.size
                    return (request, state.hasOverflowed)
                }
                if hasOverflowed { throw .tooSlow }
                switch next {
                case .publish(let message): try connection.publish(message)
                case .subscribe(let filter, let quality): try connection.subscribe(filter, quality)
                case .unsubscribe(let filter): try connection.unsubscribe(filter)
                case nil: return true
                }
            }
            if state.withLock({ $0.hasOverflowed }) { throw .tooSlow }
            return state.withLock { $0.start == $0.requests.count }
        }

        /// Waits until there is work, the socket is readable (or writable if wanted), or `end` is reached.
        private func sleep(until end: UInt64, on socket: (number: CInt, wantsToWrite: Bool)?) {
            let now = Self.now
            guard now < end else { return }
            var places = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            if let socket {
                let events = POLLIN | (socket.wantsToWrite ? POLLOUT : 0)
                places.append(pollfd(fd: socket.number, events: Int16(events), revents: 0))
            }
            _ = unsafe poll(&places, nfds_t(places.count), CInt(clamping: end - now))
            var count: UInt64 = 0
            _ = unsafe read(wake, &count, 8)
        }

        private static var now: UInt64 { ClockTimers.milliseconds(CLOCK_MONOTONIC) }
    }
#endif
