internal import InklingEngine
internal import InklingKeys
internal import InklingSession

// Recognising contacts and starting handshakes with them.
extension Node {
    /// Gives an event to the engine and carries out what it answers.
    func recognise(_ event: RecognitionEngine.Event, at now: ClockReading) {
        for effect in recognition.handle(event, at: now, using: &randomness) {
            switch effect {
            case .outsideWindow(let predictions):
                for contact in Set(predictions.map(\.contact)) {
                    if let user = roster[contact] { emit.yield(.outsideWindow(user)) }
                }
            case .contested:
                // Minors come from a radio, and this node has none yet to hear them with.
                break
            case .stateChanged(let contact, _, let state):
                if let user = roster[contact] {
                    emit.yield(.presence(user, state))
                    if state == .gone { endSessions(with: user) }
                }
            case .arrived(let contact):
                if let user = roster[contact] { emit.yield(.arrived(user)) }
            case .left(let contact):
                if let user = roster[contact] { emit.yield(.left(user)) }
            case .confirm(let attempt):
                spawn { [weak self] in await self?.attempt(attempt) }
            case .readTag(let address):
                recognise(.tagRead(nil, address, observed: ObservedTime(at: now)), at: now)
            case .wake(let tick):
                recognitionWake = tick
                schedule()
            }
        }
    }

    /// What the tables are made of: every contact that is not blocked, with the grants we hold of it.
    func predictedContacts() -> [PredictedContact] {
        contents.contacts.compactMap { contact in
            guard !contact.isBlocked, let id = roster[contact.user] else { return nil }
            return PredictedContact(
                id,
                grants: contact.grants.map { grant in
                    HeldGrant(
                        audience: .granted(grant.audience), deviceBitmap: grant.devices, tree: grant.tree)
                })
        }
    }

    /// Makes the tables anew because a contact or a grant has changed.
    func contactsChanged() {
        let now = ports.clock.read()
        guard let epoch = Epoch(containing: now.unixSeconds) else { return }
        (table, periodKeys) = TablePreparation(of: predictedContacts(), around: epoch).table()
        for prepared in preparedTables.keys { prepareTable(prepared) }
        recognise(.tableReplaced(table), at: now)
    }
}
