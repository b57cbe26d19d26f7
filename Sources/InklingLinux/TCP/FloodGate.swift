#if Node
    internal import Glibc
    internal import InklingNode
    internal import NIOCore

    /// Resets links of a source that begins too many, before they are registered, which is most of what a link costs.
    final class FloodGate: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private var rate: ArrivalRate<Endpoint.Address>

        init(limits: TCPLimits) {
            rate = ArrivalRate(limit: limits.arrivalsPerSource, sourceLimit: limits.arrivalSources)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let accepted = unwrapInboundIn(data)
            // The other side can be gone already: then there is no address, and the link ends where it is let in.
            if let source = Self.source(of: accepted), !rate.admit(source, at: NIODeadline.now().uptimeNanoseconds) {
                accepted.resetOnClose(true)
                accepted.close(promise: nil)
            } else {
                context.fireChannelRead(data)
            }
        }

        // A channel knows its addresses once it is registered, and not before.
        private static func source(of channel: any Channel) -> Endpoint.Address? {
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

    extension Channel {
        /// Whether closing sends a reset, whatever is still unread.
        func resetOnClose(_ reset: Bool) {
            guard let options = self as? any SocketOptionProvider else { return }
            // `struct linger`: whether to linger, then for how many seconds; none of them means a reset. On the event
            // loop the option is set before the call returns, and a closed socket has nothing left to reset.
            _ = options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: (CInt(reset ? 1 : 0), CInt(0)))
        }
    }
#endif
