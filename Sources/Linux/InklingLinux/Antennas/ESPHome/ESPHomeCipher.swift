internal import InklingKeys
internal import InklingWire

/// The encryption of a connection to an ESPHome device: Noise with a pre-shared key only.
///
/// The device's name is sent before the handshake and is not authenticated. Anyone with the key can read all traffic of
/// all clients of the device.
struct ESPHomeCipher: ~Copyable, Sendable {
    /// The Noise protocol name.
    static let protocolText = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
    /// `NoiseAPIInit`, and the length of the first frame's contents, which are empty.
    static let prologue = Array("NoiseAPIInit".utf8) + [0, 0]

    private var handshake: HandshakeState?
    private var sending: CipherState?
    private var receiving: CipherState?
    private let key: SecretBox<SecretBytes>

    /// Creates a cipher with a key of 32 bytes and a fresh ephemeral key.
    ///
    /// - Throws: `ESPHomeError.wrongKey` for a key of another length.
    init(key: SecretBox<SecretBytes>, ephemeral: consuming NoiseKeyPair) throws(ESPHomeError) {
        let state = try Self.begin(key, ephemeral)
        self.key = key
        handshake = consume state
        sending = nil
        receiving = nil
    }

    private static func begin(
        _ key: SecretBox<SecretBytes>, _ ephemeral: consuming NoiseKeyPair
    ) throws(ESPHomeError) -> HandshakeState {
        guard key.value.count == ESPHomeKey.byteCount, let name = NoiseProtocolName(protocolText) else {
            throw .wrongKey
        }
        do {
            return try HandshakeState(name, role: .initiator, prologue: prologue.span, ephemeral: ephemeral)
        } catch {
            throw .wrongKey
        }
    }

    /// Returns the first handshake message.
    mutating func first() throws(ESPHomeError) -> [UInt8] {
        guard let state = handshake.take() else { throw .badMessage }
        var message: [UInt8] = []
        let key = key
        do {
            handshake = try state.write(Span(), appendingTo: &message) { _, _ in key.value.duplicate() }
        } catch {
            throw .badMessage
        }
        return message
    }

    /// Reads the device's reply; then messages can be sent.
    ///
    /// - Throws: `ESPHomeError.wrongKey` if it does not authenticate.
    mutating func finish(_ reply: Span<UInt8>) throws(ESPHomeError) {
        guard let state = handshake.take() else { throw .badMessage }
        var payload = SecretBytes(copying: Span())
        do {
            let keys = try state.read(reply, into: &payload).finish()
            sending = keys.sending(as: .initiator)
            receiving = keys.receiving(as: .initiator)
        } catch {
            throw .wrongKey
        }
    }

    /// Encrypts a message.
    mutating func seal(_ message: ESPHomeMessage) throws(ESPHomeError) -> [UInt8] {
        let (type, body) = message.encoded
        guard var cipher = sending.take(), body.count <= Int(UInt16.max) else { throw .badMessage }
        var plain = [UInt8(truncatingIfNeeded: type >> 8), UInt8(truncatingIfNeeded: type)]
        plain += [UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
        var sealed: [UInt8] = []
        do { try cipher.encrypt(plain.span, associatedData: Span(), appendingTo: &sealed) } catch { throw .badMessage }
        sending = consume cipher
        return sealed
    }

    /// Decrypts a message.
    ///
    /// - Throws: `ESPHomeError.badMessage`; the connection is then over.
    mutating func open(_ sealed: Span<UInt8>) throws(ESPHomeError) -> (type: UInt16, body: [UInt8]) {
        guard var cipher = receiving.take() else { throw .badMessage }
        let plain: SecretBytes
        do { plain = try cipher.decrypt(sealed, associatedData: Span()) } catch { throw .badMessage }
        receiving = consume cipher
        var bytes: [UInt8] = []
        plain.withBytes { bytes.append($0) }
        guard bytes.count >= 4 else { throw .badMessage }
        // The inner length covers the body; some devices pad after it.
        let length = Int(bytes[2]) << 8 | Int(bytes[3])
        guard length <= bytes.count - 4 else { throw .badMessage }
        return (UInt16(bytes[0]) << 8 | UInt16(bytes[1]), Array(bytes[4..<4 + length]))
    }
}
