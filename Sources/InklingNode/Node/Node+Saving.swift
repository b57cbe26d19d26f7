internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// What to do when a save has ended.
enum SaveFollowUp: Sendable {
    /// The contents have changed already; a failure is reported, and the node continues with what is in memory.
    case changed
    /// A change that takes effect only when it has been stored.
    case change(ContentsChange, ChangeOutcome)
    /// An epoch that may be shown when it has been stored as the high-water mark.
    case highWater(Epoch, LinkTechnologyID)
    /// A first message that may be answered when it has been stored as answered.
    case firstMessage(ResponseTerms, Reply<ResponseTerms?>)
}

/// What to do when a change has been stored, or could not be.
enum ChangeOutcome: Sendable {
    case done(Answer<Void>)
    /// Return the changed contact.
    case contact(UserID, Answer<ContactSummary>)
    /// Begin the session of a first contact.
    case meeting(FirstContact, KnownDevice, FirstContacts.Meeting)
    /// Report that a first contact has failed; the change removed it again.
    case failed(Answer<ContactSummary>, NodeError)
}

extension Node {
    /// Requests a save. It stores the contents as they are when it begins.
    func save(_ followUp: SaveFollowUp = .changed) {
        saving.want(followUp)
        if !saving.isUnderWay { spawn { await self.carryOutSaves() } }
    }

    /// Stores a change, and applies it when it has been stored.
    func store(_ change: ContentsChange, then outcome: ChangeOutcome) { save(.change(change, outcome)) }

    /// Processes the end of a save; `error` is nil when it succeeded.
    func saved(_ error: VaultError?) {
        let followUps = saving.end()
        var isReported = false
        for followUp in followUps {
            switch followUp {
            case .change(let change, let outcome):
                if let error {
                    failed(outcome, .notSaved(error))
                } else {
                    contents.apply(change)
                    changed(change)
                    succeeded(outcome)
                }
                continue
            case .changed: break
            case .highWater(let epoch, let id): tell(.highWaterStored(epoch, error), to: id)
            case .firstMessage(let terms, let reply):
                reply.send(error == nil && terms.round == calls.round(of: terms.technology) ? terms : nil)
            }
            guard let error, !isReported else { continue }
            isReported = true
            feeds.emit(.trouble(.notSaved(error)))
        }
    }

    /// Updates recognition, tables and sessions after a change has been applied.
    private func changed(_ change: ContentsChange) {
        switch change {
        case .rename, .keepReviewed, .beginGenerations: break
        case .keepGrant: contactsChanged()
        case .remove(let user): forget(user)
        case .withdraw(let user, _):
            if let contact = contents.contact(user) {
                book.noteCard(contact.card, of: user)
                indexDevices()
                contactsChanged()
            } else {
                forget(user)
            }
        case .store(let user, let card, _, _, _):
            book.noteCard(card, of: user)
            admit(user)
        case .setBlocked(let user, true):
            dismiss(user)
            contactsChanged()
        case .setBlocked(let user, false): admit(user)
        }
    }

    /// Starts to recognise a contact, or refreshes its keys if it is recognised already.
    private func admit(_ user: UserID) {
        let now = ports.clock.read()
        let id = book.enroll(user)
        if recognition.state(of: id) == nil { feeds.begin(with: user, at: now) }
        recognise(.contactAdded(id, contactOptions), at: now)
        indexDevices()
        contactsChanged()
    }

    /// Stops recognising a contact and ends its sessions.
    private func dismiss(_ user: UserID) {
        endSessions(with: user)
        if let id = book.roster[user] { recognise(.contactRemoved(id), at: ports.clock.read()) }
        feeds.end(with: user)
    }

    /// Drops everything derived from a removed contact.
    private func forget(_ user: UserID) {
        dismiss(user)
        book.remove(user)
        indexDevices()
        contactsChanged()
    }

    private func succeeded(_ outcome: ChangeOutcome) {
        switch outcome {
        case .done(let answer): answer.send(.success(()))
        case .contact(let user, let answer):
            answer.send(contents.contact(user).map { .success(summary($0)) } ?? .failure(.unknownContact))
        case .meeting(let contact, let device, let meeting): begin(meeting, of: contact, with: device)
        case .failed(let answer, let error): answer.send(.failure(error))
        }
    }

    private func failed(_ outcome: ChangeOutcome, _ error: NodeError) {
        switch outcome {
        case .done(let answer): answer.send(.failure(error))
        case .contact(_, let answer): answer.send(.failure(error))
        case .meeting(let contact, _, let meeting):
            spawnClosing { await contact.link.close() }
            meeting.answer.send(.failure(error))
        case .failed(let answer, let error): answer.send(.failure(error))
        }
    }
}
