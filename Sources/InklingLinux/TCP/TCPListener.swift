#if Node
    public import InklingNode
    internal import NIOCore

    /// Accepts links on one port, over IPv6 and IPv4, within the limits on strangers.
    public final class TCPListener: LinkListener {
        /// The port that contacts connect to.
        public let port: UInt16
        /// Accepted links, to a single consumer; ends after `close`. Those that wait for it are the strangers who are in:
        /// links that are gone already do not crowd out others.
        public let links: AsyncStream<any Link>
        private let channel: any Channel
        private let admission: NIOLoopBound<Admission>

        init(port: UInt16, channel: any Channel, admission: NIOLoopBound<Admission>, links: AsyncStream<any Link>) {
            self.port = port
            self.channel = channel
            self.admission = admission
            self.links = links
        }

        /// Stops accepting and aborts every link that has not authenticated.
        public func close() async {
            try? await channel.close().get()
            let admission = admission
            try? await channel.eventLoop.submit { admission.value.close() }.get()
        }
    }

    /// Who was accepted and has not authenticated. Lives on the event loop.
    final class Admission {
        private let limits: TCPLimits
        private let loop: any EventLoop
        /// Links that nobody has taken yet, oldest first; at most as many as there are strangers.
        private var untaken: [(id: ObjectIdentifier, link: TCPLink)] = []
        private var taker: EventLoopPromise<TCPLink?>?
        private var strangers: StrangerTable<ObjectIdentifier, Endpoint.Address>
        private var handlers: [ObjectIdentifier: (handler: PacketHandler, end: Scheduled<Void>)] = [:]
        private var isOpen = true

        init(limits: TCPLimits, loop: any EventLoop) {
            self.limits = limits
            self.loop = loop
            strangers = StrangerTable(limit: limits.strangers, limitPerSource: limits.strangersPerSource)
        }

        deinit { stopTaking() }

        /// Prepares a channel that was accepted; it is let in once it is active.
        func prepare(_ channel: any Channel) throws {
            let handler = PacketHandler(
                limits: limits,
                onActive: { [self] in admit($0, channel) },
                onGone: { [self] in forget(ObjectIdentifier($0)) })
            try channel.pipeline.syncOperations.addHandler(handler)
        }

        /// The next link, once there is one; nil after `close` or `stopTaking`.
        func next() -> EventLoopFuture<TCPLink?> {
            guard isOpen, untaken.isEmpty else {
                return loop.makeSucceededFuture(untaken.isEmpty ? nil : untaken.removeFirst().link)
            }
            let promise = loop.makePromise(of: TCPLink?.self)
            stopTaking()
            taker = promise
            return promise.futureResult
        }

        /// Tells whoever waits for a link that none will come.
        func stopTaking() {
            taker?.succeed(nil)
            taker = nil
        }

        func close() {
            isOpen = false
            stopTaking()
            for id in strangers.all { handlers[id]?.handler.abort() }
        }

        private func admit(_ handler: PacketHandler, _ channel: any Channel) {
            guard isOpen, let remote = channel.remoteAddress.flatMap(Endpoint.init) else { return handler.abort() }
            // Until it authenticates, every way for this link to end is a reset.
            handler.resetOnClose(true)
            let id = ObjectIdentifier(handler)
            for leaving in strangers.admit(id, from: remote.address) {
                handlers[leaving]?.handler.abort()
            }
            let bound = NIOLoopBound(self, eventLoop: loop)
            let boundHandler = NIOLoopBound(handler, eventLoop: loop)
            let end = loop.scheduleTask(in: TimeAmount(limits.strangerLifetime)) { boundHandler.value.abort() }
            handlers[id] = (handler, end)
            let link = TCPLink(
                remote: remote, loop: loop, handler: boundHandler,
                onAuthenticated: { bound.value.forget(id) })
            if let taker {
                self.taker = nil
                taker.succeed(link)
            } else {
                untaken.append((id, link))
            }
        }

        private func forget(_ id: ObjectIdentifier) {
            strangers.remove(id)
            untaken.removeAll { $0.id == id }
            // A timer that ran on would keep the link's memory: a flood leaves thousands of links behind each second.
            handlers.removeValue(forKey: id)?.end.cancel()
        }
    }
#endif
