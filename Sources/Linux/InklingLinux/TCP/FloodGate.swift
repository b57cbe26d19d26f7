#if Node
    // Parts of the socket interface belong to whichever C module declared them first.
    internal import CLinux
    internal import Glibc
    internal import InklingKeys
    internal import InklingNode
    internal import NIOCore
    internal import InklingWire

    /// Resets the links of rate-limited sources before they are registered with the event loop, which is most of a
    /// link's cost. The kernel then drops the packets of a neighbour before a link exists.
    final class FloodGate: ChannelInboundHandler {
        typealias InboundIn = any Channel

        /// The shortest time between two updates of the kernel's filter: a flood comes from many neighbours at once.
        private static let interval = TimeAmount.milliseconds(250)

        private var rate: ArrivalRate<LinkSource>
        private let sources: LinkSources
        /// The Ethernet addresses of neighbours whose packets the kernel drops, or will drop after the next update.
        private var ignored: [(address: [UInt8], until: NIODeadline)] = []
        /// Whether the kernel has all of `ignored`, and when it was last updated.
        private var isTold = true
        private var told = NIODeadline.uptimeNanoseconds(0)
        private var telling: LinkTimer?
        private let clock: any LinkClock

        init(limits: TCPLimits, clock: any LinkClock, sources: LinkSources) {
            self.clock = clock
            self.sources = sources
            rate = ArrivalRate(limits: .init(limits))
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let accepted = unwrapInboundIn(data)
            guard let address = Self.address(of: accepted) else { return context.fireChannelRead(data) }
            let now = clock.now
            let source = sources.source(of: address, at: now)
            switch rate.admit(source, at: now.uptimeNanoseconds) {
            case .admitted: context.fireChannelRead(data)
            case .refused(let until, let isFirst):
                accepted.resetOnClose(true)
                accepted.close(promise: nil)
                if isFirst { ignore(source, until: .uptimeNanoseconds(until), at: now, on: context.channel) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            telling?.cancel()
            context.fireChannelInactive()
        }

        private func ignore(_ source: LinkSource, until: NIODeadline, at now: NIODeadline, on listener: any Channel) {
            guard case .neighbour(let address) = source, address.count == 6,
                ignored.count < Int(INKLING_IGNORED_NEIGHBOURS)
            else { return }
            ignored.append((address, until))
            isTold = false
            tellNext(at: now, on: listener)
        }

        /// Schedules the next update of the kernel: pending additions, or the next expiry.
        private func tellNext(at now: NIODeadline, on listener: any Channel) {
            telling?.cancel()
            telling = nil
            guard let first = ignored.map(\.until).min() else { return }
            let bound = NIOLoopBound(self, eventLoop: listener.eventLoop)
            let boundListener = NIOLoopBound(listener, eventLoop: listener.eventLoop)
            let moment = max(isTold ? first : now, told + Self.interval)
            telling = clock.schedule(at: moment, on: listener.eventLoop) { bound.value.tell(boundListener.value) }
        }

        // If the kernel rejects the filter, links of neighbours are accepted and reset like those of other sources.
        private func tell(_ listener: any Channel) {
            let now = clock.now
            ignored.removeAll { $0.until <= now }
            let addresses = ignored.flatMap(\.address)
            _ = try? listener.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                socket in
                unsafe addresses.withUnsafeBufferPointer {
                    unsafe inkling_ignore_neighbours(socket, $0.baseAddress, $0.count / 6)
                }
            }
            isTold = true
            told = now
            tellNext(at: now, on: listener)
        }

        // Read from the socket, because a channel has no addresses before it is registered. `SO_PEERNAME` works even
        // after the peer has reset the link, when `getpeername` fails.
        private static func address(of channel: any Channel) -> Endpoint.Address? {
            let operations = channel.pipeline.syncOperations
            let endpoint = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                // The kernel requires the exact length.
                peer(of: socket, length: MemoryLayout<sockaddr_in6>.size)
                    ?? peer(of: socket, length: MemoryLayout<sockaddr_in>.size)
            }
            return endpoint??.address
        }

        private static func peer(of socket: NIOBSDSocket.Handle, length: Int) -> Endpoint? {
            var storage = sockaddr_storage()
            var length = socklen_t(length)
            return unsafe withUnsafeMutableBytes(of: &storage) { storage in
                guard let address = storage.baseAddress,
                    unsafe getsockopt(socket, SOL_SOCKET, SO_PEERNAME, address, &length) == 0
                else { return nil }
                return unsafe Endpoint(socketAddress: UnsafeRawPointer(address))
            }
        }
    }

    extension ArrivalRate.Limits {
        fileprivate init(_ limits: TCPLimits) {
            func nanoseconds(_ duration: Duration) -> UInt64 { UInt64(clamping: TimeAmount(duration).nanoseconds) }
            let first = nanoseconds(limits.refusal)
            self.init(
                links: limits.arrivalsPerSource, sources: limits.arrivalSources,
                counting: nanoseconds(limits.arrivalTime),
                refusing: first...max(first, nanoseconds(limits.longestRefusal)))
        }
    }

    /// The sources that links are charged to, on one event loop.
    final class LinkSources {
        private var neighbours = Neighbours()

        func source(of address: Endpoint.Address, at now: NIODeadline) -> LinkSource {
            neighbours.source(of: address, at: now.uptimeNanoseconds)
        }
    }

    extension Channel {
        /// Sets whether closing sends a reset, regardless of unread data.
        func resetOnClose(_ reset: Bool) {
            guard let options = self as? any SocketOptionProvider else { return }
            // `struct linger`: on or off, and the seconds; 0 seconds means a reset. The result is ignored: on the event
            // loop the option is set before the call returns, and it fails only on a closed socket.
            _ = options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: (CInt(reset ? 1 : 0), CInt(0)))
        }

        /// Limits for how long the system repeats what the peer has not acknowledged, also after the socket is closed.
        func limitRepeats(to time: Duration) {
            guard let options = self as? any SocketOptionProvider else { return }
            // As above, the result is ignored.
            _ = options.unsafeSetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT),
                value: CUnsignedInt(TimeAmount(time).nanoseconds / 1_000_000))
        }
    }
#endif
