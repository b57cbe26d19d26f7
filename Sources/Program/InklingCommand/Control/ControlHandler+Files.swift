import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

/// A user's decision about a transfer.
enum TransferChange: String, Codable, Sendable {
    case accept, refuse, cancel
}

// Requests about files.
extension ControlHandler {
    /// Sends a file and reports its transfer until it is over or, without `waits`, until it is queued. A command that
    /// ends earlier pauses the transfer.
    func sendFile(
        at path: String, to name: String, staysInEpoch: Bool, waits: Bool, _ peer: some ControlPeer
    ) async throws(Failure) {
        let contact = try await contact(name)
        // Subscribe first, so that no change is missed.
        let transfers = node.transfers
        let id = try await nodeFailure { () async throws(NodeError) in
            try await node.sendFile(at: path, to: contact.user, staysInEpoch: staysInEpoch)
        }
        let known = await node.fileTransfers().first { $0.id == id.description }
        if let known { await peer.take(.transfer(TransferFact(known, contact: contact.name))) }
        guard waits else { return }
        let last = await withTaskCancellationHandler { () -> TransferFact? in
            for await transfer in transfers where transfer.id == id.description {
                let fact = TransferFact(transfer, contact: contact.name)
                await peer.take(.transfer(fact))
                if transfer.state.isLast { return fact }
            }
            return nil
        } onCancel: {
            Task { try? await node.pauseFile(id) }
        }
        guard let last else {
            throw Failure(.unavailable, "the node has stopped; the transfer resumes when the node runs again")
        }
        if let failure = last.failure { throw failure }
    }

    /// Reports every transfer.
    func files(_ peer: some ControlPeer) async {
        let names = Dictionary(uniqueKeysWithValues: await node.contacts().map { ($0.user, $0.name) })
        for transfer in await node.fileTransfers() {
            await peer.take(.transfer(TransferFact(transfer, contact: names[transfer.contact] ?? "")))
        }
    }

    /// Changes the transfer with this id, or whose id begins with these at least 8 characters.
    func change(_ wanted: String, _ change: TransferChange, _ peer: some ControlPeer) async throws(Failure) {
        let matches = await node.fileTransfers().filter {
            $0.id == wanted || wanted.utf8.count >= 8 && $0.id.hasPrefix(wanted)
        }
        guard matches.count == 1, let octets = matches.first.flatMap({ Octets16($0.id) }) else {
            throw Failure(
                .badData, "there is no transfer '\(printable(wanted))'",
                remedy: .command("List them with", "files list"))
        }
        let id = TransferID(octets)
        try await nodeFailure { () async throws(NodeError) in
            switch change {
            case .accept: try await node.acceptFile(id)
            case .refuse: try await node.refuseFile(id)
            case .cancel: try await node.cancelFile(id)
            }
        }
        let names = Dictionary(uniqueKeysWithValues: await node.contacts().map { ($0.user, $0.name) })
        for transfer in await node.fileTransfers() where transfer.id == id.description {
            await peer.take(.transfer(TransferFact(transfer, contact: names[transfer.contact] ?? "")))
        }
    }
}
