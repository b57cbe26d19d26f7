#if Node
    // `fcntl` belongs to whichever C module declared it first.
    internal import CLinux
    internal import Glibc
    package import NIOCore

    extension ChannelPipeline.SynchronousOperations {
        /// Sets close-on-exec on the socket, which swift-nio does not do. Otherwise a child process would keep the
        /// socket open, and the kernel would retry its connection requests, for as long as the child runs.
        package func closeOnExecution() throws {
            try withUnsafeTransportIfAvailable { (descriptor: NIOBSDSocket.Handle) in
                guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                    throw IOError(errnoCode: errno, reason: "fcntl")
                }
            }
        }
    }
#endif
