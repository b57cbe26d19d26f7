#if Node
    public import InklingNode
    internal import NIOCore
    internal import InklingSession

    /// Accepts links on one port, over IPv6 and IPv4, within the limits on unauthenticated links.
    public final class TCPListener: LinkListener {
        /// The port that contacts connect to.
        public let port: UInt16
        /// Accepted links, for a single consumer; ends after `close`. A link that is closed before the consumer takes
        /// it is dropped, so that it takes no place in the queue.
        public let links: AsyncStream<any Link>
        private let channel: any Channel
        private let admission: NIOLoopBound<Admission>

        init(port: UInt16, channel: any Channel, admission: NIOLoopBound<Admission>, links: AsyncStream<any Link>) {
            self.port = port
            self.channel = channel
            self.admission = admission
            self.links = links
        }

        /// Stops accepting links and aborts every unauthenticated link.
        public func close() async {
            try? await channel.close().get()
            let admission = admission
            try? await channel.eventLoop.submit { admission.value.close() }.get()
        }
    }

    /// The accepted links that are unauthenticated, and the queue for the consumer. Used only on the event loop.
    final class Admission {
        private let limits: TCPLimits
        private let loop: any EventLoop
        /// The links that the consumer has not taken yet, oldest first; all of them are unauthenticated.
        private var queue: [(id: ObjectIdentifier, link: TCPLink)] = []
        /// The promise of the consumer, while it waits for a link.
        private var consumer: EventLoopPromise<TCPLink?>?
        private var unauthenticated: UnauthenticatedLinks<ObjectIdentifier, Endpoint.Address>
        private var handlers: [ObjectIdentifier: (handler: PacketHandler, end: Scheduled<Void>)] = [:]
        private var isOpen = true

        init(limits: TCPLimits, loop: any EventLoop) {
            self.limits = limits
            self.loop = loop
            unauthenticated = UnauthenticatedLinks(
                limit: limits.unauthenticated, limitPerSource: limits.unauthenticatedPerSource)
        }

        deinit { endNext() }

        /// Prepares an accepted channel; its link is admitted when the channel becomes active.
        func prepare(_ channel: any Channel) throws {
            let handler = PacketHandler(
                limits: limits,
                onActive: { [self] in admit($0, channel) },
                onGone: { [self] in forget(ObjectIdentifier($0)) })
            try channel.pipeline.syncOperations.addHandler(handler)
        }

        /// Returns the next link, once there is one; nil after `close` or `endNext`.
        func next() -> EventLoopFuture<TCPLink?> {
            guard isOpen, queue.isEmpty else {
                return loop.makeSucceededFuture(queue.isEmpty ? nil : queue.removeFirst().link)
            }
            let promise = loop.makePromise(of: TCPLink?.self)
            endNext()
            consumer = promise
            return promise.futureResult
        }

        /// Makes a pending `next` return nil.
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
            for leaving in unauthenticated.admit(id, from: remote.address) {
                handlers[leaving]?.handler.abort()
            }
            let bound = NIOLoopBound(self, eventLoop: loop)
            let boundHandler = NIOLoopBound(handler, eventLoop: loop)
            let end = loop.scheduleTask(in: TimeAmount(limits.unauthenticatedLifetime)) { boundHandler.value.abort() }
            handlers[id] = (handler, end)
            let link = TCPLink(
                remote: remote, loop: loop, handler: boundHandler,
                onAuthenticated: { bound.value.forget(id) })
            if let consumer {
                self.consumer = nil
                consumer.succeed(link)
            } else {
                queue.append((id, link))
            }
        }

        private func forget(_ id: ObjectIdentifier) {
            unauthenticated.remove(id)
            queue.removeAll { $0.id == id }
            // A running timer would retain the link, and a flood leaves thousands of links per second.
            handlers.removeValue(forKey: id)?.end.cancel()
        }
    }
#endif
