#if Node
    // Parts of the socket interface belong to whichever C module declared them first.
    internal import CLinux
    internal import Glibc
    internal import InklingNode
    internal import NIOCore
    internal import InklingSession

    /// Resets the links of a source that begins too many. It does so before they are registered with the event loop,
    /// which is most of the cost of a link.
    final class FloodGate: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private var rate: ArrivalRate<LinkSource>
        private let sources: LinkSources

        init(limits: TCPLimits, sources: LinkSources) {
            self.sources = sources
            rate = ArrivalRate(limit: limits.arrivalsPerSource, sourceLimit: limits.arrivalSources)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let accepted = unwrapInboundIn(data)
            // There is no address if the peer has disconnected already; `Admission` then aborts the link.
            let now = NIODeadline.now()
            if let address = Self.address(of: accepted),
                !rate.admit(sources.source(of: address, at: now), at: now.uptimeNanoseconds)
            {
                accepted.resetOnClose(true)
                accepted.close(promise: nil)
            } else {
                context.fireChannelRead(data)
            }
        }

        // From the socket, because a channel has no addresses before it is registered.
        private static func address(of channel: any Channel) -> Endpoint.Address? {
            let operations = channel.pipeline.syncOperations
            let endpoint = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                socket -> Endpoint? in
                var storage = sockaddr_storage()
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return unsafe withUnsafeMutablePointer(to: &storage) { storage in
                    let address = UnsafeMutableRawPointer(storage)
                    let result = unsafe getpeername(
                        socket, address.assumingMemoryBound(to: sockaddr.self), &length)
                    return result == 0 ? unsafe Endpoint(socketAddress: UnsafeRawPointer(address)) : nil
                }
            }
            return endpoint??.address
        }
    }

    /// For whom links count, on one event loop.
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
            // `struct linger`: whether to linger, and for how many seconds; 0 seconds means a reset. The result is
            // ignored: on the event loop the option is set before the call returns, and it fails only on a closed
            // socket.
            _ = options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: (CInt(reset ? 1 : 0), CInt(0)))
        }
    }
#endif
