#if Node
    import Glibc
    import Testing

    @testable import InklingLinux

    /// A broker on the loopback interface that handles each connection as a test prescribes, on a thread of its own.
    final class ScriptedBroker: Sendable {
        /// One connection of a client.
        struct Connection {
            let descriptor: CInt

            /// Reads one packet; returns nil at the end of the connection.
            func packet() -> (kind: UInt8, body: [UInt8])? {
                guard let kind = bytes(1)?.first else { return nil }
                var length = 0
                for shift in [0, 7, 14, 21] {
                    guard let byte = bytes(1)?.first else { return nil }
                    length |= Int(byte & 0x7f) << shift
                    if byte < 0x80 { break }
                }
                return bytes(length).map { (kind >> 4, $0) }
            }

            /// Reads the first packet, and answers it with this code.
            func answer(_ code: UInt8) {
                _ = packet()
                send([0x20, 2, 0, code])
            }

            func send(_ bytes: [UInt8]) { _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }

            /// Waits until the client has closed the connection.
            func awaitEnd() { while bytes(1) != nil {} }

            private func bytes(_ count: Int) -> [UInt8]? {
                var content = [UInt8](repeating: 0, count: count)
                var filled = 0
                while filled < count {
                    let got = unsafe content.withUnsafeMutableBytes {
                        unsafe recv(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, 0)
                    }
                    guard got > 0 else { return nil }
                    filled += got
                }
                return content
            }
        }

        let port: UInt16
        private let listener: CInt

        init(_ serve: @escaping @Sendable (Connection, Int) -> Void) throws {
            (listener, port) = try Self.listen()
            let started = startThread(named: "scripted-broker") { [listener] in
                // The thread closes what it accepts from: while it serves a connection, the number could become that of
                // another broker's socket.
                defer { close(listener) }
                var number = 0
                while true {
                    let accepted = accept(listener, nil, nil)
                    guard accepted >= 0, fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0 else { return }
                    number += 1
                    serve(Connection(descriptor: accepted), number)
                    close(accepted)
                }
            }
            try #require(started)
        }

        private static func listen() throws -> (CInt, UInt16) {
            let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, length) == 0 && Glibc.listen(listener, 8) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            try #require(isBound)
            return (listener, UInt16(bigEndian: address.sin_port))
        }

        deinit { shutdown(listener, CInt(SHUT_RDWR)) }
    }
#endif
