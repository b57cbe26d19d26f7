import InklingKeys
import InklingNode
import InklingTerminal
import InklingVault

// The requests about the user's own devices.
extension ControlHandler {
    /// Opens a device link, and reports the new device once it has stored what it was sent.
    func addDevice(_ minutes: UInt64, _ peer: some ControlPeer) async throws(Failure) {
        let port = InvitationPort()
        let opened = try await nodeFailure { () async throws(NodeError) in
            try await node.linkDevice(lasting: .seconds(minutes * 60), portChanged: { port.change(to: $0) }) {
                introduction in await peer.ask(IntroductionFact(introduction))
            }
        }
        await peer.take(
            .invitation(
                InvitationFact(port: opened.port, expires: UInt64(opened.invitation.expiryMinute) * 60),
                text: SecretBox(try ObjectText.encode(opened.invitation, as: .deviceLink))))
        let moves = tell(peer, port)
        defer { moves.cancel() }
        // Withdraw the invitation when the command stops waiting.
        let outcome = await withTaskCancellationHandler { () -> Result<ListedDevice, NodeError> in
            do throws(NodeError) { return .success(try await node.linkOutcome()) } catch { return .failure(error) }
        } onCancel: {
            Task { await node.withdrawInvitation() }
        }
        if case .failure(.invitationEnded) = outcome {
            throw Failure(
                .unavailable, "the device link expired unused", remedy: .command("Create a new one with", "device add"))
        }
        let device = try await nodeFailure { () throws(NodeError) in try outcome.get() }
        for fact in try await devices() where fact.device == device.index.number { await peer.take(.device(fact)) }
    }

    /// Removes a device from the card, and reports its former entry.
    func removeDevice(_ index: DeviceIndex, _ peer: some ControlPeer) async throws(Failure) {
        let listed = try await devices().first { $0.device == index.number }
        try await nodeFailure { () async throws(NodeError) in try await node.removeDevice(index) }
        if let listed { await peer.take(.device(listed)) }
    }

    /// Returns the devices on the user's card.
    func devices() async throws(Failure) -> [DeviceFact] {
        let own = await node.ownDevice
        let met = await node.devicesLastMet()
        return try await nodeFailure { () async throws(NodeError) in try await node.devices() }.map {
            DeviceFact(
                device: $0.index.number, primary: $0.isPrimary, own: $0.index == own,
                certifiedUntil: timestamp(endOf: $0.to), lastMet: met[$0.index].map { timestamp($0) })
        }
    }
}
