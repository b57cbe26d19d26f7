public import InklingKeys
internal import InklingVault
public import InklingWire

// Messages that are queued, delivered and received (`Specs/sync.md`, `Specs/message-store.md`).
extension Node {
    /// The default time for which a message waits for the contact.
    public static let defaultExpiry = Duration.seconds(30 * 86_400)
    /// The time for which `send` waits for the acknowledgement, in milliseconds.
    static let receiptDeadline: UInt64 = 5000

    // MARK: Sending

    /// Queues a text for a contact, which need not be near. On return the text survives a crash and a power cut; the
    /// node delivers it as soon as it meets a device of the contact.
    ///
    /// - Parameters:
    ///   - text: 1 to 8,192 bytes of UTF-8.
    ///   - user: the contact. Every device on the contact's card gets the text.
    ///   - expiry: how long the text waits for the contact, 1 s to 365 days; an expired text is withdrawn.
    /// - Returns: the identifier of the text.
    /// - Throws: `NodeError.unknownContact`, `.blocked`, `.badText`, `.badExpiry`, `.queueFull`; `.messages` if the
    ///   text could not be stored.
    public func queue(
        _ text: String, for user: UserID, expiringAfter expiry: Duration = defaultExpiry
    ) async throws(NodeError) -> TextID {
        await loadMessages()
        return try await ask { .queue(text, for: user, expiry, $0) }
    }

    /// Queues a text for a contact that is near, and waits until a device of the contact has stored it.
    ///
    /// - Throws: as `queue`; `.notReachable` without a session, in which case nothing is queued; `.notAcknowledged`
    ///   after 5 s, in which case the text stays queued.
    public func send(_ text: String, to user: UserID) async throws(NodeError) {
        await loadMessages()
        try await ask { .send(text, to: user, $0) }
    }

    /// Waits until a device of the contact has stored a text.
    ///
    /// - Throws: `NodeError.unknownMessage`; `.notAcknowledged` after `time`, `.expired`, or `.stopped`.
    public func awaitDelivery(of id: TextID, within time: Duration) async throws(NodeError) {
        await loadMessages()
        try await ask { .awaitDelivery(id, time, $0) }
    }

    // MARK: Receiving

    /// The messages that no application has acknowledged, followed by those that arrive later.
    public nonisolated var incoming: IncomingMessages { IncomingMessages(node: self) }

    /// Acknowledges that the application has processed a message of a contact and every earlier one of the same device;
    /// on return this survives a power cut.
    ///
    /// - Throws: `NodeError.unknownMessage`; `.messages` if it could not be stored.
    public func acknowledge(_ id: TextID, from user: UserID) async throws(NodeError) {
        await loadMessages()
        try await ask { .acknowledge(id, from: user, $0) }
    }

    func nextIncoming(after position: IncomingPosition) async -> (MessagePlace, IncomingMessage?)? {
        await loadMessages()
        let reply = Reply<(MessagePlace, MessageRow)?>()
        let next = await withTaskCancellationHandler {
            deliver(.request(.nextIncoming(position, reply)))
            return await reply.value()
        } onCancel: {
            reply.send(nil)
        }
        guard let (place, row) = next else { return nil }
        guard let text = try? await ports.messages.body(at: place).flatMap(MessageRow.text(of:)) else {
            return (place, nil)
        }
        return (
            place,
            IncomingMessage(
                id: row.id, contact: place.contact, device: place.device, writtenAt: row.writtenAt,
                receivedAt: row.time, text: text)
        )
    }

    // MARK: The list

    /// Returns the stored messages with all contacts, or with one, oldest first.
    ///
    /// - Throws: `NodeError.messages` if the store cannot be used.
    public func storedMessages(with user: UserID? = nil) async throws(NodeError) -> [StoredMessage] {
        await loadMessages()
        if case .failed(let error) = mailboxes.phase { throw .messages(error) }
        var all: [(time: UInt64, number: UInt64, message: StoredMessage)] = []
        for (peer, messages) in mailboxes.devices.sorted(by: { $0.key < $1.key }) where user == nil || peer.user == user
        {
            func add(_ rows: [UInt64: MessageRow], _ state: (UInt64) -> StoredMessage.State) {
                for (number, row) in rows.sorted(by: { $0.key < $1.key }) {
                    all.append(
                        (
                            row.writtenAt, number,
                            StoredMessage(
                                id: row.id, contact: peer.user, device: peer.device, state: state(number),
                                writtenAt: row.writtenAt, time: row.time, byteCount: row.textByteCount)
                        ))
                }
            }
            add(messages.queued.filter { $0.value.textByteCount > 0 }) { _ in .queued }
            add(messages.delivered) { _ in .delivered }
            let taken = messages.stored.taken
            add(messages.received) { $0 > taken ? .unread : .read }
        }
        return all.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.message)
    }

    /// Returns the text of a stored message; nil if the identifier is unknown or the text is no longer kept.
    ///
    /// - Throws: `NodeError.messages` if it cannot be read.
    public func text(of id: TextID) async throws(NodeError) -> String? {
        await loadMessages()
        for messages in mailboxes.devices.values {
            var places: [MessagePlace] = []
            if let arrival = messages.arrival(of: id) { places.append(messages.place(.received, arrival)) }
            if let (number, _) = messages.queued.first(where: { $0.value.id == id }) {
                places.append(messages.place(.queued, number))
            }
            for place in places {
                do throws(MessageStoreError) {
                    if let text = try await ports.messages.body(at: place).flatMap(MessageRow.text(of:)) { return text }
                } catch {
                    throw .messages(error)
                }
            }
        }
        return nil
    }

    /// Removes a message: withdraws a queued one unless it is delivered first, and otherwise removes its entry in the
    /// list. An unacknowledged message counts as acknowledged, with every earlier one of the same device.
    ///
    /// - Throws: `NodeError.unknownMessage`; `.messages` if the removal could not be stored.
    public func removeMessage(_ id: TextID) async throws(NodeError) {
        await loadMessages()
        try await ask { .removeMessage(id, $0) }
    }
}
