#if Node
    internal import InklingKeys
    public import InklingNode
    internal import InklingWire
    internal import NIOCore

    /// A listener on one port, over IPv6 and IPv4, within the limits on unauthenticated links.
    public final class TCPListener: LinkListener {
        /// The port that contacts connect to.
        public let port: UInt16
        /// The accepted links, for a single consumer; ends after `close`. A link that closes before the consumer takes
        /// it is dropped and does not occupy the queue.
        public let links: AsyncStream<any Link>
        private let channel: any Channel
        private let admission: NIOLoopBound<Admission>

        init(port: UInt16, channel: any Channel, admission: NIOLoopBound<Admission>, links: AsyncStream<any Link>) {
            self.port = port
            self.channel = channel
            self.admission = admission
            self.links = links
        }

        /// Stops accepting links and aborts all unauthenticated links.
        public func close() async {
            try? await channel.close().get()
            let admission = admission
            try? await channel.eventLoop.submit { admission.value.close() }.get()
        }
    }

    /// The unauthenticated accepted links, and the consumer's queue. Used only on the event loop.
    final class Admission {
        private let limits: TCPLimits
        private let clock: any LinkClock
        private let loop: any EventLoop
        /// The links that the consumer has not taken yet, oldest first; all are unauthenticated.
        private var queue: [(id: ObjectIdentifier, link: TCPLink)] = []
        /// The promise of the waiting consumer, if any.
        private var consumer: EventLoopPromise<TCPLink?>?
        private let sources: LinkSources
        private var unauthenticated: UnauthenticatedLinks<ObjectIdentifier, LinkSource>
        private var handlers: [ObjectIdentifier: (handler: PacketHandler, end: LinkTimer)] = [:]
        private var isOpen = true

        init(limits: TCPLimits, clock: any LinkClock, loop: any EventLoop) {
            self.limits = limits
            self.clock = clock
            self.loop = loop
            sources = LinkSources()
            unauthenticated = UnauthenticatedLinks(limits: .init(limits))
        }

        /// Returns the handler that rate-limits each source, for the server's pipeline.
        func floodGate() -> FloodGate { FloodGate(limits: limits, clock: clock, sources: sources) }

        deinit { endNext() }

        /// Prepares an accepted channel; its link is admitted when the channel becomes active.
        func prepare(_ channel: any Channel) throws {
            let handler = PacketHandler(
                limits: limits, clock: clock,
                onActive: { [self] in admit($0, channel) },
                onComplete: { [self] in unauthenticated.completed(ObjectIdentifier($0)) },
                onGone: { [self] in forget(ObjectIdentifier($0)) })
            try channel.pipeline.syncOperations.addHandler(handler)
        }

        /// Returns the next link when there is one; `nil` after `close` or `endNext`.
        func next() -> EventLoopFuture<TCPLink?> {
            guard isOpen, queue.isEmpty else {
                return loop.makeSucceededFuture(queue.isEmpty ? nil : queue.removeFirst().link)
            }
            let promise = loop.makePromise(of: TCPLink?.self)
            endNext()
            consumer = promise
            return promise.futureResult
        }

        /// Makes a pending `next` return `nil`.
        func endNext() {
            consumer?.succeed(nil)
            consumer = nil
        }

        func close() {
            isOpen = false
            endNext()
            for id in unauthenticated.all { handlers[id]?.handler.abort() }
        }

        private func admit(_ handler: PacketHandler, _ channel: any Channel) {
            guard isOpen, let remote = channel.remoteAddress.flatMap(Endpoint.init) else { return handler.abort() }
            // An unauthenticated link always ends with a reset.
            handler.resetOnClose(true)
            let id = ObjectIdentifier(handler)
            let now = clock.now
            let source = sources.source(of: remote.address, at: now)
            switch unauthenticated.arrived(id, from: source, at: Tick(now)) {
            case .admitted(let replaced): if let replaced { handlers[replaced]?.handler.abort() }
            case .refused: return handler.abort()
            }
            let bound = NIOLoopBound(self, eventLoop: loop)
            let boundHandler = NIOLoopBound(handler, eventLoop: loop)
            let end = clock.schedule(in: TimeAmount(limits.unauthenticatedLifetime), on: loop) {
                boundHandler.value.abort()
            }
            handlers[id] = (handler, end)
            let link = TCPLink(
                remote: remote, loop: loop, handler: boundHandler,
                onGatePassed: { bound.value.passedGate(id) }, onAuthenticated: { bound.value.forget(id) })
            if let consumer {
                self.consumer = nil
                consumer.succeed(link)
            } else {
                queue.append((id, link))
            }
        }

        private func passedGate(_ id: ObjectIdentifier) {
            if let replaced = unauthenticated.passedGate(id) { handlers[replaced]?.handler.abort() }
        }

        private func forget(_ id: ObjectIdentifier) {
            unauthenticated.removed(id)
            queue.removeAll { $0.id == id }
            // A running timer would retain the link, and a flood leaves thousands of links per second.
            handlers.removeValue(forKey: id)?.end.cancel()
        }
    }

    extension UnauthenticatedLinks.Limits {
        fileprivate init(_ limits: TCPLimits) {
            self.init()
            strangers = limits.strangers
            strangersPerSource = limits.strangersPerSource
            passed = limits.passed
            passedPerSource = limits.passedPerSource
            grace = limits.grace.wholeMilliseconds
        }
    }

    extension Tick {
        fileprivate init(_ deadline: NIODeadline) { self.init(milliseconds: deadline.uptimeNanoseconds / 1_000_000) }
    }
#endif
