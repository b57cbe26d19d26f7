#if Node
    internal import Glibc

    /// The settings in force on a controller, which the kernel reports to anyone over its management socket.
    /// `bluetoothd` does not report whether addresses are private, and its file may be newer than what it has read.
    enum ControllerSettings {
        private static let family: UInt16 = 31, protocolHCI: CInt = 1, noDevice: UInt16 = 0xffff, control: UInt16 = 3
        private static let readInformation: UInt16 = 4, commandComplete: UInt16 = 1
        /// The time in which the kernel must reply, in milliseconds.
        private static let patience: CInt = 1_000
        /// The offset of the current settings in the reply, and the bit for private addresses.
        private static let settingsPlace = 22, privacyBit: UInt32 = 1 << 13

        /// Returns whether links over an adapter such as `hci0` have private addresses; `nil` if that is unknown.
        static func hasPrivateAddresses(_ adapter: Substring) -> Bool? {
            guard adapter.hasPrefix("hci"), let index = UInt16(adapter.dropFirst(3)) else { return nil }
            let socket = Glibc.socket(CInt(family), CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), protocolHCI)
            guard socket >= 0 else { return nil }
            defer { Glibc.close(socket) }
            let address = [family, noDevice, control]
            let isBound = unsafe address.withUnsafeBytes {
                unsafe bind(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            guard isBound == 0 else { return nil }
            let request = [readInformation, index, 0].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            guard unsafe write(socket, request, request.count) == request.count else { return nil }
            // Other events can arrive before the reply.
            for _ in 0..<16 {
                var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&ready, 1, patience) > 0 else { return nil }
                var reply = [UInt8](repeating: 0, count: 512)
                let count = unsafe read(socket, &reply, reply.count)
                guard count > 0 else { return nil }
                if let settings = settings(in: reply[..<count], of: index) { return settings & privacyBit != 0 }
            }
            return nil
        }

        /// Returns the current settings in a reply to the request; `nil` for any other event.
        static func settings(in event: ArraySlice<UInt8>, of index: UInt16) -> UInt32? {
            let bytes = Array(event)
            func number(at place: Int) -> UInt16 { UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 }
            guard bytes.count >= settingsPlace + 4, number(at: 0) == commandComplete, number(at: 2) == index,
                number(at: 6) == readInformation, bytes[8] == 0
            else { return nil }
            return bytes[settingsPlace..<settingsPlace + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
#endif
