public import InklingKeys
public import InklingVault
public import InklingWire

// The new device of a device link (`Specs/devices.md`).
extension Node {
    /// The time that the user of the primary device has to compare the fingerprints.
    private static let decisionDeadline = Duration.seconds(300)

    /// Creates the contents with which a new device can join: only its device key.
    public static func contentsOfNewDevice(using generator: inout some RandomNumberGenerator) -> VaultContents {
        VaultContents(
            displayName: "", rootSeed: nil, device: .first,
            noiseKey: SecretBox(SecretBytes(count: keyByteCount, from: &generator)), card: [])
    }

    /// Joins the devices of the user who shows a device link.
    ///
    /// - Parameters:
    ///   - invitation: that of the primary device.
    ///   - hint: the endpoint of the primary device, for networks without multicast.
    ///   - confirm: shows name and fingerprint to the user, and returns whether the user agrees.
    ///   - store: stores the contents of the new device durably, and returns whether it did. Only then does the primary
    ///     device learn that the link is complete.
    /// - Throws: as `accept`.
    public func joinDevice(
        _ invitation: Invitation, at hint: Endpoint? = nil, confirm: @escaping @Sendable (Introduction) async -> Bool,
        store: @escaping @Sendable (VaultContents) async -> Bool
    ) async throws(NodeError) {
        let terms: JoinTerms = try await ask { .join(invitation, .deviceLink, .tcp, $0) }
        let isBegun = Reply<Void>()
        deliver(.request(.beginSearch(isBegun)))
        await isBegun.value()
        let outcome: Result<Void, NodeError>
        do throws(NodeError) {
            let (session, card, link, _) = try await meet(invitation, terms, at: hint)
            do throws(NodeError) {
                guard let session = session.take() else { throw .stopped }
                try await receiveState(of: card, in: session, over: link, confirm: confirm, store: store)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await link.close()
        } catch {
            outcome = .failure(error)
        }
        deliver(.request(.endSearch))
        try outcome.get()
    }

    private nonisolated func receiveState(
        of card: ContactCard, in session: consuming EstablishedSession, over link: any Link,
        confirm: @escaping @Sendable (Introduction) async -> Bool,
        store: @escaping @Sendable (VaultContents) async -> Bool
    ) async throws(NodeError) {
        await link.markAuthenticated()
        let introduction = Introduction(
            name: card.name, fingerprint: session.exporter.fingerprint(), isKnown: false)
        guard await confirm(introduction) else { throw .declined }
        let (noiseKey, now) = try await ownKey()
        var linked = LinkedContents(card, noiseKey: noiseKey, now: now)
        do {
            var isComplete = false
            while !isComplete {
                let packet = try await link.receive(upTo: Packet.byteLimit, within: Self.decisionDeadline)
                let record = try session.open(Packet(parsing: packet.span))
                isComplete = record.type == .close
                try linked.take(record)
            }
            guard let primary = card.certificates.first(where: { $0.key == session.peerKey }), primary.isPrimary else {
                throw CardError.invalidSignature
            }
            let contents = try linked.contents(
                linkedWith: OwnDevices.Device(
                    index: primary.index, key: primary.key, pairwiseKey: SecretBox(session.exporter.pairwiseKey()),
                    lastMet: nil))
            guard await store(contents) else { throw NodeError.stopped }
            let hello = try Hello(ownSerial: contents.cardSerial, peerSerial: contents.cardSerial, grants: [])
            try await link.send(try session.seal(hello.record).bytes)
        } catch {
            if let error = error as? NodeError { throw error }
            let refusal = error as? any Refusal
            throw .firstContactFailed(stage: refusal?.stage ?? "link", reason: refusal?.reason ?? "closed or silent")
        }
    }

    private func ownKey() throws(NodeError) -> (SecretBox<SecretBytes>, Period) {
        guard let now = currentPeriod else { throw .clockNotAccepted }
        return (contents.noiseKey, now)
    }
}
