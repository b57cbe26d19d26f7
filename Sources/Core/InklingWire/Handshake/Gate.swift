package import InklingKeys

/// The sixteen bytes before a first message, which show that its sender knows a current secret of the receiver
/// (`Specs/handshake.md`). A responder checks them before any more expensive computation.
package enum Gate {
    /// The length of a gate in bytes.
    package static let byteCount = 16
    /// The length in bytes of the Noise message after the gate.
    package static let messageByteCount = 112

    /// Returns the gate of a first message.
    package static func value(
        key: borrowing SecretBytes, transport: Transport, message: Span<UInt8>
    ) -> Octets16 {
        var code = InlineArray<32, UInt8>(repeating: 0)
        key.withBytes { key in
            var output = code.mutableSpan
            hmacSHA256(key: key, into: &output) { input in
                input.append(u8: transport.rawValue)
                input.append(message)
            }
        }
        let view = code.span
        return Octets16(high: view.bigEndian(at: 0, count: 8), low: view.bigEndian(at: 8, count: 8))
    }

    /// Returns the body of the packet with a first message: the gate, then the message.
    static func body(key: borrowing SecretBytes, transport: Transport, message: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        body.append(value(key: key, transport: transport, message: message.span))
        body.append(message.span)
        return body
    }

    /// Returns whether the gate at the beginning of `body` is that of the message after it, in constant time.
    static func opens(_ body: Span<UInt8>, key: borrowing SecretBytes, transport: Transport) -> Bool {
        guard body.count == byteCount + messageByteCount else { return false }
        var expected: [UInt8] = []
        expected.append(value(key: key, transport: transport, message: body.extracting(byteCount...)))
        return constantTimeEquals(expected.span, body.extracting(..<byteCount))
    }
}
