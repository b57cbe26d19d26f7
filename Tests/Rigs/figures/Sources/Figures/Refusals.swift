import Glibc
import InklingKeys

@testable import InklingWire

extension ReplyTimes {
    /// Prints the port and every message, and then refuses the first message of each TCP connection by a reset, at once: a node
    /// waits until 5 s have passed since the link began, which hides the time that is measured here.
    func serve() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw RigFault(step: "listening") }
        print("port \(UInt16(bigEndian: address.sin_port))")
        for sender in Sender.allCases {
            for packet in inputs[sender.rawValue] {
                var frame: [UInt8] = []
                packet.appendFrame(to: &frame)
                let digits = frame.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                print("message \(sender) \(digits)")
            }
        }
        print("ready")
        fflush(nil)
        while true {
            let link = accept(listener, nil, nil)
            guard link >= 0 else { throw RigFault(step: "accepting") }
            try refuse(link)
        }
    }

    private func refuse(_ link: Int32) throws {
        var decoder = FrameDecoder()
        var buffer = [UInt8](repeating: 0, count: 512)
        // Each connection meets a responder that has received nothing: no budget and no memory of replays may refuse it.
        var responder = ConfirmResponder()
        var generator = Draws(1)
        while true {
            let count = recv(link, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            decoder.append(buffer.span.extracting(..<count))
            guard let bytes = try decoder.next() else { continue }
            do {
                _ = try responder.receive(
                    Packet(parsing: bytes.span), contexts: contexts, deviceKey: device.value, at: 0, using: &generator
                ) { _ in nil }
                throw RigFault(step: "a first message that must be refused")
            } catch is HandshakeError {
                break
            }
        }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(link, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(link)
    }
}
