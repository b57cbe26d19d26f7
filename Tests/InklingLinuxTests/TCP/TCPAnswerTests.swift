import InklingTesting
import Testing

@testable import InklingLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if Node
    import NIOCore
    import NIOPosix

    @Suite(.hangDetector) struct TCPAnswerTests {
        @Test func `a transport answers, but not while its thread is stuck`() async throws {
            let transport = TCPTransport()
            await transport.answer()
            // The thread reads from an empty pipe, as one that never returns from a call.
            var ends: [Int32] = [0, 0]
            try #require(unsafe pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            let isStuck = Watched(false)
            transport.group.next().execute {
                isStuck.withLock { $0 = true }
                var byte: UInt8 = 0
                _ = unsafe read(reading, &byte, 1)
                isStuck.withLock { $0 = false }
            }
            let answer = Task {
                await transport.answer()
                return isStuck.withLock { $0 }
            }
            // Only now does the read end, however long that takes: an answer before it would have found the thread stuck.
            await isStuck.wait { $0 }
            _ = unsafe write(writing, [1], 1)
            #expect(await answer.value == false)
            for end in [reading, writing] { close(end) }
            await transport.shutDown()
        }
    }
#endif
