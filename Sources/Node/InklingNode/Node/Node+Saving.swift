internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

/// The work that follows a save.
enum SaveFollowUp: Sendable {
    /// The contents have already changed; a failure is reported, and the node continues with the contents in memory.
    case changed
    /// A change that takes effect only once it has been stored.
    case change(ContentsChange, ChangeOutcome)
    /// An epoch that may be shown once it has been stored as the high-water mark.
    case highWater(Epoch, LinkTechnologyID)
    /// A grant of the peer in this session; a half-finished peer is told once it has been stored.
    case grantStored(SessionID, ofHalfFinished: Bool)
    /// A first message that may be answered once it has been stored as answered.
    case firstMessage(ResponseTerms, Reply<ResponseTerms?>)
}

/// The work that follows the success or failure of storing a change.
enum ChangeOutcome: Sendable {
    case done(Answer<Void>)
    /// Return the changed contact.
    case contact(UserID, Answer<ContactSummary>)
    /// Report to the first-contact machine of this user.
    case agreement(UserID)
    /// Return the cost of a removal.
    case removed(Removal, Answer<Removal>)
    /// Send a session's grants, or seal them, now that they have been recorded.
    case issued(UserID, SessionID, FirstContactMachine.Span)
    /// Return the effects of a revocation.
    case revoked(Revocation, Answer<Revocation>)
    /// Send the state to another device of the user in a session.
    case statePrepared(DeviceIndex, SessionID)
    /// Send the mark of the stored state in a session.
    case stateStored(UInt64, SessionID)
}

extension Node {
    /// Requests a save, which stores the contents as they are when it begins.
    func save(_ followUp: SaveFollowUp = .changed) {
        saving.want(followUp)
        if !saving.isUnderWay { spawn { await self.carryOutSaves() } }
    }

    /// Stores a change, and applies it once it has been stored.
    func store(_ change: ContentsChange, then outcome: ChangeOutcome) { save(.change(change, outcome)) }

    /// Handles the end of a save; `error` is nil if it succeeded.
    func saved(_ error: VaultError?) {
        let followUps = saving.end()
        saveFailure = error
        var isReported = false
        for followUp in followUps {
            switch followUp {
            case .change(let change, let outcome):
                if let error {
                    failed(outcome, .notSaved(error))
                } else {
                    if case .takeState = change {
                        let before = contents
                        contents.apply(change)
                        stateTaken(instead: before)
                    } else {
                        contents.apply(change)
                        changed(change)
                    }
                    succeeded(outcome)
                    stateChanged()
                }
                continue
            case .changed: break
            case .grantStored(let id, let wasHalfFinished):
                if error == nil { grantStored(in: id, ofHalfFinished: wasHalfFinished) }
            case .highWater(let epoch, let id): tell(.highWaterStored(epoch, error), to: id)
            case .firstMessage(let terms, let reply):
                // The contact may have been removed in the meantime.
                let isAnswered =
                    error == nil && terms.round == dialer.round(of: terms.technology)
                    && book.roster[terms.peer.user] != nil
                reply.send(isAnswered ? terms : nil)
            }
            guard let error, !isReported else { continue }
            isReported = true
            feeds.emit(.trouble(.notSaved(error)))
        }
    }

    /// Updates recognition, tables and sessions after a change has been applied.
    private func changed(_ change: ContentsChange) {
        switch change {
        case .rename, .keepReviewed, .noteIssued, .createAudience, .renameAudience: break
        case .setDelays(let user, _): delaysChanged(of: user)
        case .beginGenerations(let audiences, _):
            ownerForgotten()
            ownDevicesChanged()
            generationsBegan(of: audiences)
            contactsChanged()
        case .takeState: break
        case .prepareState, .noteHeld: contactsChanged()
        case .linkDevice:
            ownDevicesChanged()
            contactsChanged()
        case .renew(let audiences):
            generationsBegan(of: audiences)
            if !contents.own.devices.isEmpty { contactsChanged() }
        case .blind(let user, let audiences):
            withdraw(from: user)
            dismiss(user)
            generationsBegan(of: audiences)
            contactsChanged()
        case .revokeDevice(_, let user, let audiences):
            endSessions(with: user)
            indexDevices()
            generationsBegan(of: audiences)
            contactsChanged()
        case .listDevices(_, let audiences):
            ownDevicesChanged()
            if let audiences { generationsBegan(of: audiences) }
            contactsChanged()
        case .removeAudience(let id):
            withdraw(from: id)
            unannouncedChanged()
        case .assign(let user, _, let isMember): assigned(user, isMember: isMember)
        case .setLapsing(let user, let isLapsing):
            if contents.contact(user)?.isExcluded(in: clockPeriod) == true {
                dismiss(user)
                contactsChanged()
            } else if !isLapsing {
                admit(user)
                compareGrants(with: user)
            }
            unannouncedChanged()
        case .show(let choice): shown(choice)
        case .keepGrant: contactsChanged()
        case .remove(let user): forget(user)
        case .agree(let user, let agreement, let consents):
            if agreement.standing == .none {
                forget(user)
            } else if !consents.isEmpty {
                firstContacts.forget(consents, with: user)
                if let contact = contents.contact(user) { book.noteCard(contact.card, of: user) }
                // The contact may have been removed while this was being stored.
                if machine(of: user).agreement.standing != .none { admit(user) }
            }
        case .setBlocked(let user, true):
            withdraw(from: user)
            dismiss(user)
            contactsChanged()
        case .setBlocked(let user, false):
            if contents.contact(user)?.isExcluded(in: clockPeriod) == false { admit(user) }
        }
    }

    /// Starts to recognise a contact, or refreshes its keys if it is already recognised.
    func admit(_ user: UserID) {
        let now = ports.clock.read()
        let id = book.enroll(user)
        if recognition.state(of: id) == nil { feeds.begin(with: user, at: now) }
        recognise(.contactAdded(id, recognitionOptions(of: user)), at: now)
        indexDevices()
        contactsChanged()
        unannouncedChanged(adding: user)
    }

    /// Stops recognising a contact and ends its sessions.
    func dismiss(_ user: UserID) {
        endSessions(with: user)
        if let id = book.roster[user] { recognise(.contactRemoved(id), at: ports.clock.read()) }
        feeds.end(with: user)
        rooms[user] = nil
    }

    /// Drops everything derived from a removed contact.
    func forget(_ user: UserID) {
        withdraw(from: user)
        dismiss(user)
        dropMessages(of: user)
        dropFiles(of: user)
        book.remove(user)
        indexDevices()
        contactsChanged()
        unannouncedChanged()
    }

    private func succeeded(_ outcome: ChangeOutcome) {
        switch outcome {
        case .done(let answer): answer.send(.success(()))
        case .contact(let user, let answer):
            answer.send(contents.contact(user).map { .success(summary($0)) } ?? .failure(.unknownContact))
        case .agreement(let user): decide(.saved, with: user)
        case .removed(let removal, let answer): answer.send(.success(removal))
        case .issued(let user, let id, let span): grant(span, to: user, in: id)
        case .revoked(let revocation, let answer): answer.send(.success(revocation))
        case .statePrepared(let device, let id): statePrepared(for: device, in: id)
        case .stateStored(let mark, let id): stateStored(mark, in: id)
        }
    }

    private func failed(_ outcome: ChangeOutcome, _ error: NodeError) {
        switch outcome {
        case .done(let answer): answer.send(.failure(error))
        case .issued(_, let id, _): firstContacts.takeSealing(id)?.send(.failure(error))
        case .revoked(_, let answer): answer.send(.failure(error))
        case .statePrepared(_, let id): passing[id]?.isBusy = false
        // The primary device sends it again in the next session.
        case .stateStored: break
        case .contact(_, let answer): answer.send(.failure(error))
        case .agreement(let user):
            decide(.notSaved, with: user)
            firstContacts.keepConsents(with: user, for: machine(of: user).agreement)
        case .removed(let removal, let answer):
            if contents.contact(removal.user)?.isExcluded(in: clockPeriod) == false { admit(removal.user) }
            answer.send(.failure(error))
        }
    }
}
