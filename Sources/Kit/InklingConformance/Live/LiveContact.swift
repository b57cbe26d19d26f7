public import InklingKeys
internal import InklingNode
public import InklingVault
internal import InklingWire

/// The keys with which a live run acts as a contact of the user whose node is under test.
public struct LiveContact {
    /// A device of the contact in one epoch.
    struct Device {
        let index: DeviceIndex
        /// The static key in its certificate.
        let key: Octets32
        let epoch: Epoch
        let name: String
        let host: String
        let context: ConfirmContext
        fileprivate let gateKey: SecretBox<SecretBytes>
    }

    /// The name on the contact's card.
    public let person: String
    private let contact: StoredContact
    private let deviceKey: SecretBox<NoiseKeyPair>
    private let ownSerial: UInt32
    private let card: ContactCard

    /// Creates the contact from the contents of a vault.
    ///
    /// - Parameters:
    ///   - contents: the contents of the vault.
    ///   - name: the petname or the name on the card; `nil` for the only contact.
    ///   - now: the current period; contacts with expired cards are ignored.
    /// - Throws: `LiveError.contacts` unless exactly one contact matches, `noGrant` if the contact has granted nothing,
    ///   `noDeviceKey`.
    public init(_ contents: VaultContents, named name: String?, now: Period) throws(LiveError) {
        var known: [(StoredContact, ContactCard)] = []
        for contact in contents.contacts {
            if let card = try? ContactCard(parsing: contact.card.span, now: now) { known.append((contact, card)) }
        }
        if let name { known = known.filter { $0.0.petname == name || $0.1.name == name } }
        guard let (contact, card) = known.first, known.count == 1 else { throw .contacts(known.count, named: name) }
        guard !contact.grants.isEmpty else { throw .noGrant(card.name) }
        guard let deviceKey = NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()) else { throw .noDeviceKey }
        self.contact = contact
        self.card = card
        person = card.name
        self.deviceKey = SecretBox(deviceKey)
        ownSerial = max(1, contents.cardSerial)
    }

    /// Returns the devices that the grants cover in an epoch.
    func devices(in epoch: Epoch) -> [Device] {
        contact.grants.flatMap { grant -> [Device] in
            guard let period = grant.tree.value.periodKey(epoch.period) else { return [] }
            return card.certificates.compactMap { certificate in
                guard certificate.isValid(in: epoch.period), grant.devices & 1 << certificate.index.number != 0 else {
                    return nil
                }
                let keys = period.deviceKeys(certificate.index)
                return Device(
                    index: certificate.index, key: certificate.key, epoch: epoch,
                    name: keys.mdns.serviceName(epoch).description, host: keys.mdns.hostName(epoch).description,
                    context: ConfirmContext(keys, device: certificate.index, epoch: epoch, transport: .tcp),
                    gateKey: SecretBox(keys.confirm.gateKey(epoch)))
            }
        }
    }

    /// Creates the first message of a handshake with a device; `nil` if its key is invalid.
    func call(_ device: Device, at unixMilliseconds: UInt64) -> ConfirmInitiator? {
        try? initiator(device, as: deviceKey.value, to: device.key, at: unixMilliseconds)
    }

    /// Completes a handshake with message 2.
    ///
    /// - Throws: `PacketError` or `HandshakeError`.
    func finish(_ call: consuming ConfirmInitiator, with reply: [UInt8]) throws -> EstablishedSession {
        var index = 0
        return try call.receive(
            Packet(parsing: reply.span), pairwiseKeys: contact.pairwiseKeys.map(\.key), opened: &index)
    }

    /// Creates HELLO, the first record of a session; `nil` if it cannot be encoded.
    func hello() -> Record? {
        let grants = contact.grants.prefix(Hello.grantLimit).map {
            Hello.GrantReport(audience: $0.audience, generation: $0.generation, to: $0.to)
        }
        return (try? Hello(ownSerial: ownSerial, peerSerial: card.serial, grants: Array(grants)))?.record
    }

    /// Creates messages with a correct gate that the device must refuse, each with its check's id.
    func refusedMessages(
        to device: Device, next: Device?, at unixMilliseconds: UInt64
    ) -> [(check: String, bytes: [UInt8])] {
        var generator = SystemRandomNumberGenerator()
        let stranger = NoiseKeyPair(from: &generator)
        let other = NoiseKeyPair(from: &generator).publicKey
        var messages: [(String, [UInt8])] = []
        if let call = try? initiator(device, as: deviceKey.value, to: other, at: unixMilliseconds) {
            messages.append(("live-silence-static-key", call.packet.framed))
        }
        if let call = try? initiator(device, as: stranger, to: device.key, at: unixMilliseconds) {
            messages.append(("live-silence-unknown", call.packet.framed))
        }
        if let call = call(device, at: unixMilliseconds) {
            let message = Array(call.packet.body.dropFirst(Gate.byteCount))
            let lowOrder = [UInt8](repeating: 0, count: 32) + message.dropFirst(32)
            messages.append(("live-silence-low-order", gated(lowOrder, for: device)))
            let changed = message.dropLast() + message.suffix(1).map { $0 ^ 1 }
            messages.append(("live-silence-payload", gated(Array(changed), for: device)))
        }
        if let next, let call = call(next, at: unixMilliseconds) {
            messages.append(("live-silence-next-epoch", call.packet.framed))
        }
        return messages
    }

    private func gated(_ message: [UInt8], for device: Device) -> [UInt8] {
        var body: [UInt8] = []
        body.append(Gate.value(key: device.gateKey.value, transport: .tcp, message: message.span))
        return (try? Packet(.confirmFirst, body: body + message))?.framed ?? []
    }

    private func initiator(
        _ device: Device, as key: borrowing NoiseKeyPair, to responder: Octets32, at unixMilliseconds: UInt64
    ) throws(HandshakeError) -> ConfirmInitiator {
        var generator = SystemRandomNumberGenerator()
        return try ConfirmInitiator(
            device.context, deviceKey: key, responder: responder,
            payload: ConfirmPayload(
                transports: .tcp, generation: contact.grants.map(\.generation).max() ?? 0,
                unixMilliseconds: unixMilliseconds), using: &generator)
    }
}

extension Packet {
    /// The packet, preceded by its length.
    var framed: [UInt8] {
        var bytes: [UInt8] = []
        appendFrame(to: &bytes)
        return bytes
    }
}

/// An open session of a live run with the node under test.
final class LiveSession {
    let connection: Int
    var channel: EstablishedSession
    var decoder = FrameDecoder()

    init(_ channel: consuming EstablishedSession, over connection: Int) {
        self.channel = channel
        self.connection = connection
    }
}
