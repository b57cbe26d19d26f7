#if Node
    // `fcntl` belongs to whichever C module declared it first.
    internal import CLinux
    internal import Glibc
    package import NIOCore

    extension ChannelPipeline.SynchronousOperations {
        /// Sets that a program which the process starts does not inherit the socket. swift-nio does not, and the system
        /// would keep the socket open, and repeat its requests, for as long as that program runs.
        package func closeOnExecution() throws {
            try withUnsafeTransportIfAvailable { (descriptor: NIOBSDSocket.Handle) in
                guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                    throw IOError(errnoCode: errno, reason: "fcntl")
                }
            }
        }
    }
#endif
