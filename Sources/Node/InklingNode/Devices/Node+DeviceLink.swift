internal import InklingEngine
public import InklingKeys
public import InklingVault
internal import InklingWire

// The user's devices: the primary links new ones and removes them (`Specs/devices.md`).
extension Node {
    /// The time that the new device has to store the state it was sent.
    private static let storingDeadline = Duration.seconds(60)

    /// Returns the devices on the own card, including this one, in ascending order of their indices.
    public func devices() throws(NodeError) -> [DeviceCertificate] { try ownCard().certificates }

    /// The index of this device.
    public var ownDevice: DeviceIndex { contents.device }

    /// Opens a device link: a one-time invitation for another device of this user. `linkOutcome` waits for the result.
    ///
    /// - Parameters:
    ///   - life: 1 to 10 minutes, rounded up to whole minutes and clamped to that range.
    ///   - portChanged: as for `invite`.
    ///   - confirm: shows the fingerprint to the user, who compares it with the new device's, and returns whether the
    ///     user agrees. Nothing is sent before.
    /// - Returns: the invitation, and the TCP port on which the node accepts the new device at first.
    /// - Throws: as `invite`.
    public func linkDevice(
        lasting life: Duration, portChanged: @escaping @Sendable (UInt16) -> Void = { _ in },
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> (invitation: Invitation, port: UInt16) {
        try await ask { .invite(.deviceLink, lasting: life, portChanged: portChanged, confirm: confirm, $0) }
    }

    /// Waits until the new device has stored the state it was sent, and returns the device.
    ///
    /// - Throws: `NodeError.invitationEnded`, `.declined`, `.tooManyDevices`, `.keyOfAnother`, `.notSaved`,
    ///   `.firstContactFailed` if the new device did not confirm; it may be on the card then.
    public func linkOutcome() async throws(NodeError) -> ListedDevice { try await ask { .linkOutcome($0) } }

    /// Removes a device: signs a card without it, and begins a new generation of every audience. Contacts with the new
    /// card no longer answer the removed device, and no grant of the new generation identifies it.
    ///
    /// - Throws: `NodeError.notPrimary`, `.ownDevice`, `.unknownDevice`, `.clockNotAccepted`, `.ownCard`, `.notSaved`.
    public func removeDevice(_ index: DeviceIndex) async throws(NodeError) {
        try await ask { .removeDevice(index, $0) }
    }

    // MARK: The list

    func addDevice(
        _ key: Octets32, _ pairwiseKey: SecretBox<SecretBytes>, _ answer: Answer<Void>
    ) throws(NodeError) {
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard let now = currentPeriod else { throw .clockNotAccepted }
        let others = contents.otherDevices
        let own = ContactCard.keys(ofUnverified: contents.card.span)
        guard !own.contains(key), book.devices[key] == nil else { throw .keyOfAnother }
        let used = Set(others.map(\.index) + [contents.device])
        let indices = (0..<DeviceIndex.limit).lazy.compactMap { DeviceIndex($0) }
        guard let index = indices.first(where: { !used.contains($0) }) else { throw .tooManyDevices }
        let card = try signedCard(with: others + [ListedDevice(index: index, key: key)], now: now)
        let device = OwnDevices.Device(index: index, key: key, pairwiseKey: pairwiseKey, lastMet: nil)
        store(.linkDevice(card, device, contents.signedAhead(from: now)), then: .done(answer))
    }

    func removeDevice(_ index: DeviceIndex, _ answer: Answer<Void>) throws(NodeError) {
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard let now = currentPeriod else { throw .clockNotAccepted }
        guard index != contents.device else { throw .ownDevice }
        let others = contents.otherDevices
        guard others.contains(where: { $0.index == index }) else { throw .unknownDevice }
        let card = try signedCard(with: others.filter { $0.index != index }, now: now)
        store(.listDevices(card, try newGenerations(of: nil)), then: .done(answer))
    }

    private func signedCard(
        with others: [ListedDevice], now: Period
    ) throws(NodeError) -> ContentsChange.SignedCard {
        var renewed = contents
        do throws(CardError) { try renewed.signCard(now: now, with: others) } catch { throw .ownCard(error) }
        return ContentsChange.SignedCard(bytes: renewed.card, serial: renewed.cardSerial, device: renewed.device)
    }

    // MARK: The primary device

    /// Asks the user about a new device that has used the invitation, and sends it the user's state.
    func beginLink(
        _ session: Handover<EstablishedSession>, over link: any Link,
        confirm: @escaping @Sendable (Introduction) async -> Bool, for number: UInt64
    ) {
        firstContacts.deviceLinks.beginLinking()
        spawn {
            var outcome: Result<ListedDevice, NodeError>
            do throws(NodeError) {
                guard let session = session.take() else { throw .stopped }
                outcome = .success(try await self.sendState(in: session, over: link, confirm: confirm))
            } catch {
                outcome = .failure(error)
            }
            await link.close()
            await self.deliver(.handshake(.deviceLinked(number, outcome)))
        }
    }

    func deviceLinked(_ number: UInt64, _ outcome: Result<ListedDevice, NodeError>) {
        firstContacts.deviceLinks.end(outcome)
        perform(firstContacts.conclude(number, .failure(.invitationEnded)))
    }

    private nonisolated func sendState(
        in session: consuming EstablishedSession, over link: any Link,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) async throws(NodeError) -> ListedDevice {
        let key = session.peerKey
        await link.markAuthenticated()
        let introduction = Introduction(
            name: await contents.displayName, fingerprint: session.exporter.fingerprint(), isKnown: false)
        guard await confirm(introduction) else { throw .declined }
        // The device must be on the card before it can show anything.
        let pairwiseKey = SecretBox(session.exporter.pairwiseKey())
        let _: Void = try await ask { .addDevice(key: key, pairwiseKey, $0) }
        guard let (device, records) = await stateRecords(for: key) else { throw .unknownDevice }
        do {
            for record in records {
                let record = try record.value.withBytes { bytes throws(RecordError) in try Record(parsing: bytes) }
                try await link.send(try session.seal(record).bytes)
            }
            let packet = try await link.receive(upTo: Packet.byteLimit, within: Self.storingDeadline)
            guard try session.open(Packet(parsing: packet.span)).type == .hello else {
                throw SessionError.helloExpected
            }
        } catch {
            let refusal = error as? any Refusal
            throw .firstContactFailed(stage: refusal?.stage ?? "link", reason: refusal?.reason ?? "closed or silent")
        }
        return device
    }

    /// Returns what another device of this user is sent: HELLO, the card, STATE and CLOSE, as plaintexts; nil if the
    /// device is not on the card.
    private func stateRecords(for key: Octets32) -> (ListedDevice, [SecretBox<SecretBytes>])? {
        guard let now = currentPeriod, let (device, state) = passedState(for: key, now: now),
            let hello = try? Hello(ownSerial: contents.cardSerial, peerSerial: 0, grants: [])
        else { return nil }
        return (device, [SecretBox(hello.record.encoded())] + state + [SecretBox(Record.close.encoded())])
    }

    /// Returns a listed device's card and state as plaintexts, the mark last; nil without a certificate.
    func passedState(for key: Octets32, now: Period) -> (ListedDevice, [SecretBox<SecretBytes>])? {
        guard let card = try? contents.ownCard(now: now),
            let certificate = card.certificates.first(where: { $0.key == key }),
            let listed = try? Record(.card, copying: card.bytes.span)
        else { return nil }
        var records = [SecretBox(listed.encoded())]
        for state in contents.state(for: certificate, now: now) + [.mark(contents.stateMark)] {
            // Every part fits into a record; a tree that does not has ended.
            if let record = try? state.record() { records.append(SecretBox(record.encoded())) }
        }
        return (ListedDevice(index: certificate.index, key: key), records)
    }

    // MARK: Other devices

    /// Passes on the primary device's signed grants for a contact that its HELLO shows to be missing.
    func passOnGrants(to user: UserID, after hello: Hello, in id: SessionID) {
        guard contents.rootSeed == nil, let now = currentPeriod else { return }
        for grant in contents.linked.grants where grant.user == user {
            let isHeld = hello.grants.contains {
                $0.audience == grant.audience && $0.generation >= grant.generation
                    && Grant.counts($0.generation, now: now) && $0.to >= grant.to
            }
            guard !isHeld || hello.peerSerial < contents.cardSerial,
                let record = try? Record(.grant, body: grant.bytes.value)
            else { continue }
            say(record, in: id)
        }
    }
}
