internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// What follows from the outcome of a save.
enum SaveFollowUp: Sendable {
    /// The contents have changed; a failure is reported, and the node goes on with what it has in memory.
    case changed
    /// A change that is made only when it is stored.
    case change(ContentsChange, ChangeOutcome)
    /// An epoch that may be shown when it is stored that it was.
    case highWater(Epoch, LinkTechnologyID)
    /// A first message that may be answered when it is stored that it was.
    case firstMessage(ResponseTerms, Reply<ResponseTerms?>)
}

/// What follows when a change was stored, or could not be.
enum ChangeOutcome: Sendable {
    case done(Answer<Void>)
    /// The answer is the contact that was changed.
    case contact(UserID, Answer<ContactSummary>)
    /// The session of a first contact begins.
    case meeting(FirstContact, KnownDevice, FirstContacts.Meeting)
    /// A first contact has failed and was taken back.
    case failed(Answer<ContactSummary>, NodeError)
}

extension Node {
    /// Wants the contents to be saved as they are when it is their turn.
    func save(_ followUp: SaveFollowUp = .changed) {
        saving.want(followUp)
        if !saving.isUnderWay { spawn { await self.carryOutSaves() } }
    }

    /// Stores a change, and makes it when it is stored.
    func store(_ change: ContentsChange, then outcome: ChangeOutcome) { save(.change(change, outcome)) }

    /// Takes the outcome of the save that was under way.
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

    /// Draws the consequences of a change that was made.
    private func changed(_ change: ContentsChange) {
        switch change {
        case .rename, .keepReviewed, .beginGenerations: break
        case .keepGrant: contactsChanged()
        case .remove(let user): forget(user)
        case .withdraw(let user, _):
            if contents.index(of: user) == nil {
                forget(user)
            } else {
                indexDevices()
                contactsChanged()
            }
        case .store(let user, _, _, _, _): admit(user)
        case .setBlocked(let user, true):
            dismiss(user)
            contactsChanged()
        case .setBlocked(let user, false): admit(user)
        }
    }

    /// A contact is to be recognised from now on; for one that is already, nothing changes.
    private func admit(_ user: UserID) {
        let now = ports.clock.read()
        let id = book.enroll(user)
        if recognition.state(of: id) == nil { feeds.begin(with: user, at: now) }
        recognise(.contactAdded(id, contactOptions), at: now)
        indexDevices()
        contactsChanged()
    }

    /// A contact is not to be recognised any more, and nothing stays open with it.
    private func dismiss(_ user: UserID) {
        endSessions(with: user)
        if let id = book.roster[user] { recognise(.contactRemoved(id), at: ports.clock.read()) }
        feeds.end(with: user)
    }

    /// A contact was removed.
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
