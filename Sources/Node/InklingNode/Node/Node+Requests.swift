internal import InklingEngine
internal import InklingKeys
internal import InklingVault
internal import InklingWire

// Handles the user's requests.
extension Node {
    func handle(_ request: Request) {
        switch request {
        case .rename(let user, let name, let answer):
            guard contents.index(of: user) != nil else { return answer.send(.failure(.unknownContact)) }
            guard ContactCard.isFitName(name) else { return answer.send(.failure(.badName)) }
            store(.rename(user, to: name), then: .done(answer))
        case .setBlocked(let user, let isBlocked, let answer):
            guard let contact = contents.contact(user) else { return answer.send(.failure(.unknownContact)) }
            guard contact.isBlocked != isBlocked else { return answer.send(.success(())) }
            store(.setBlocked(user, isBlocked), then: .done(answer))
        case .setDelays(let user, let delays, let answer):
            guard let contact = contents.contact(user) else { return answer.send(.failure(.unknownContact)) }
            guard contact.delays != delays else { return answer.send(.success(())) }
            store(.setDelays(user, delays), then: .done(answer))
        case .becomeVisible(let choice, let answer):
            do throws(NodeError) { try becomeVisible(to: choice, answer) } catch { answer.send(.failure(error)) }
        case .remove(let user, let answer):
            do throws(NodeError) { try remove(user, answer) } catch { answer.send(.failure(error)) }
        case .sealGrants(let user, let answer):
            do throws(NodeError) { try sealGrants(for: user, answer) } catch { answer.send(.failure(error)) }
        case .renewAudiences(let audiences, let answer):
            do throws(NodeError) {
                store(.renew(try newGenerations(of: audiences)), then: .done(answer))
            } catch {
                answer.send(.failure(error))
            }
        case .audience(let request, let answer):
            do throws(NodeError) { store(try change(request), then: .done(answer)) } catch {
                answer.send(.failure(error))
            }
        case .revoke(let user, let level, let device, let answer):
            do throws(NodeError) { try revoke(user, level, device, answer) } catch { answer.send(.failure(error)) }
        case .setLapsing(let user, let isLapsing, let answer):
            guard let contact = contents.contact(user) else { return answer.send(.failure(.unknownContact)) }
            guard contact.isLapsing != isLapsing else { return answer.send(.success(())) }
            store(.setLapsing(user, isLapsing), then: .done(answer))
        case .checkInviter(let card, let key, let answer):
            do throws(NodeError) {
                try checkFirstContact(with: card, proven: key)
                answer.send(.success(()))
            } catch {
                answer.send(.failure(error))
            }
        case .keepReviewed(let user, let answer):
            guard contents.index(of: user) != nil else { return answer.send(.failure(.unknownContact)) }
            store(.keepReviewed(user), then: .contact(user, answer))
        case .add(let card, let answer):
            do throws(NodeError) { try add(card, answer) } catch { answer.send(.failure(error)) }
        case .acceptSealedGrant(let sealed, let answer):
            do throws(NodeError) { try accept(sealed, answer) } catch { answer.send(.failure(error)) }
        case .beginNewGenerations(let answer): beginNewGenerations(answer)
        case .send, .queue, .awaitDelivery, .acknowledge, .nextIncoming, .removeMessage: takeMessages(request)
        case .sendFile(let file, let answer):
            do throws(NodeError) { answer.send(.success(try queue(file))) } catch { answer.send(.failure(error)) }
        case .changeFile(let id, let change, let answer):
            do throws(NodeError) {
                try changeFile(id, change)
                answer.send(.success(()))
            } catch {
                answer.send(.failure(error))
            }
        case .files(let reply): reply.send(files.list(contents))
        case .invite(let use, let life, let portChanged, let confirm, let answer):
            do throws(NodeError) {
                try invite(for: use, lasting: life, portChanged: portChanged, confirm: confirm, answer)
            } catch {
                answer.send(.failure(error))
            }
        case .outcome(let answer):
            guard let effects = firstContacts.withInvitation({ $0.awaitOutcome(answer) }) else {
                return answer.send(.failure(.invitationEnded))
            }
            perform(effects)
        case .withdrawInvitation: perform(firstContacts.end(.invitationEnded))
        case .join(let invitation, let use, let transport, let answer):
            do throws(NodeError) { answer.send(.success(try joinTerms(invitation, for: use, transport))) } catch {
                answer.send(.failure(error))
            }
        case .addDevice(let key, let pairwiseKey, let answer):
            do throws(NodeError) { try addDevice(key, pairwiseKey, answer) } catch { answer.send(.failure(error)) }
        case .removeDevice(let index, let answer):
            do throws(NodeError) { try removeDevice(index, answer) } catch { answer.send(.failure(error)) }
        case .linkOutcome(let answer): firstContacts.deviceLinks.await(answer)
        case .beginSearch(let reply):
            firstContacts.beginSearch()
            firstContactNeedsChanged()
            reply.send(())
        case .prepareSearch(let mayWait, let reply):
            guard life == .running else { return reply.send(.unavailable) }
            tell(.prepareSearch(reply, mayWait: mayWait), to: .searched)
        case .endSearch:
            firstContacts.endSearch()
            firstContactNeedsChanged()
        }
    }

    // MARK: Contacts

    /// Removes a contact: closes its links and stops answering it at once, before anything is stored.
    private func remove(_ user: UserID, _ answer: Answer<Removal>) throws(NodeError) {
        guard let contact = contents.contact(user) else { throw .unknownContact }
        guard contents.formerContacts.count < VaultContents.contactLimit else { throw .tooManyFormerContacts }
        let held = usableAudiences(of: contact)
        let price = price(ofRenewing: held, without: user)
        let removal = Removal(
            user: user, recognisesUsUntil: contact.agreement.grantedUntil, audiences: held,
            holdersOfGrants: price.holders, holdersWhomWeRecognise: price.recognised)
        withdraw(from: user)
        dismiss(user)
        book.remove(user)
        dropFiles(of: user)
        indexDevices()
        decide(.removed, with: user)
        store(.remove(user), then: .removed(removal, answer))
    }

    private func sealGrants(for user: UserID, _ answer: Answer<[[UInt8]]>) throws(NodeError) {
        guard let contact = contents.contact(user) else { throw .unknownContact }
        guard !contact.isBlocked else { throw .blocked }
        guard !contact.isLapsing else { throw .lapsing }
        guard contents.restored == nil, !contact.needsReview else { throw .needsReview }
        guard contents.rootSeed != nil else { throw .notPrimary }
        guard let now = currentPeriod else { throw .clockNotAccepted }
        guard contact.agreement.standing > .waiting || contact.pairwiseKeys.contains(where: { $0.origin == .cards })
        else { throw .notAccepted }
        do throws(CardError) { _ = try book.card(of: contact, now: now) } catch { throw .card(error) }
        let id = sessions.reserve()
        firstContacts.beginSealing(for: user, answer, as: id)
        decide(.sealing(session: id.number, now: now), with: user)
    }

    private func add(_ card: ContactCard, _ answer: Answer<ContactSummary>) throws(NodeError) {
        let user = card.userID
        let now = try period()
        let contents = pendingContents
        guard contents.index(of: user) == nil else { throw .knownContact }
        guard let rootSeed = contents.rootSeed else { throw .notPrimary }
        let presence = rootSeed.value.presenceKey(generation: contents.identityGeneration)
        let pairwise: SecretBytes
        do throws(KeyAgreementError) {
            pairwise = try PairAudience.staticPairwiseKey(own: presence, peer: card.presence)
        } catch {
            throw .card(.lowOrderPresence)
        }
        try check(card)
        let first = PairwiseKeyNumber(rawValue: 1)
        var agreement = Agreement()
        agreement.standing = .waiting
        agreement.keys = [first]
        store(
            .agree(
                user, agreement,
                [
                    ContentsChange.Consent(
                        card: card.bytes,
                        key: StoredPairwiseKey(number: first, origin: .cards, key: SecretBox(pairwise)),
                        added: now)
                ]),
            then: .contact(user, answer))
    }

    /// The contents including every change still being saved; new changes are checked against these.
    var pendingContents: VaultContents {
        var contents = contents
        for followUp in saving.open {
            if case .change(let change, _) = followUp { contents.apply(change) }
        }
        return contents
    }

    /// Rejects a card that cannot become a contact. `proven` is the key that a session has just proven, if any.
    ///
    /// - Throws: `NodeError.keyOfAnother`, `.tooManyContacts`.
    func check(_ card: ContactCard, proven: Octets32? = nil) throws(NodeError) {
        let contents = pendingContents
        // Cards being saved are not in the book yet.
        var book = book
        for followUp in saving.open {
            if case .change(.agree(let user, _, _), _) = followUp, let contact = contents.contact(user) {
                book.noteCard(contact.card, of: user)
            }
        }
        try book.checkKeys(of: card, proven: proven, in: contents)
        guard contents.index(of: card.userID) != nil || contents.contacts.count < VaultContents.contactLimit else {
            throw .tooManyContacts
        }
    }

    private func accept(_ sealed: [UInt8], _ answer: Answer<ContactSummary>) throws(NodeError) {
        guard let now = currentPeriod else { throw .clockNotAccepted }
        for contact in contents.contacts {
            guard let card = try? book.card(of: contact, now: now) else { continue }
            for certificate in card.certificates where certificate.isValid(in: now) {
                guard let bytes = open(sealed, from: certificate.key, of: contact) else { continue }
                guard !contact.isBlocked else { throw .blocked }
                guard !contact.isRevoked(certificate) else { throw .unknownDevice }
                let grant: ReceivedGrant
                do throws(GrantError) {
                    grant = try bytes.value.withBytes { bytes throws(GrantError) in
                        try parseGrant(bytes, from: contact, card: card, now: now)
                    }
                } catch {
                    throw .grant(error)
                }
                return store(.keepGrant(grant, of: contact.user), then: .contact(contact.user, answer))
            }
        }
        throw .sealedGrantForAnother
    }

    /// Opens a sealed grant of a contact's device with the kept pairwise keys; nil if none fits.
    private func open(
        _ sealed: [UInt8], from sender: Octets32, of contact: StoredContact
    ) -> SecretBox<SecretBytes>? {
        for kept in contact.pairwiseKeys {
            do {
                let bytes = try SealedGrant.open(
                    sealed.span, deviceKey: deviceKey.value, sender: sender, pairwiseKey: kept.key.value)
                return SecretBox(bytes)
            } catch {
                continue
            }
        }
        return nil
    }

    /// Parses and verifies a grant that a contact issued to this user.
    ///
    /// - Throws: `GrantError`.
    func parseGrant(
        _ bytes: Span<UInt8>, from contact: StoredContact, card: ContactCard, now: Period
    ) throws(GrantError) -> ReceivedGrant {
        guard let own = try? contents.ownCard(now: now) else { throw .unknownIssuer }
        return try contents.parseGrant(bytes, from: contact, card: card, grantee: own.userID, now: now)
    }

    private func beginNewGenerations(_ answer: Answer<Void>) {
        // A generation is at least the number of the period, so contacts would refuse one from a clock that is years
        // ahead for years.
        let isFit = clock.mayBeginGenerations(
            ports.timeEvidence.evidence(), at: ports.clock.read(), slept: ports.clock.suspendedMilliseconds())
        guard isFit, let now = clockPeriod else { return answer.send(.failure(.clockNotAccepted)) }
        var card: ContentsChange.SignedCard?
        var lead: UInt32 = 0
        if contents.restored != nil {
            do throws(CardError) {
                let restored = try contents.restoredCard(now: now, using: &randomness)
                card = restored
            } catch {
                return answer.send(.failure(.ownCard(error)))
            }
            lead = RestoredCopy.generationLead(using: &randomness)
        }
        let generations = contents.audiences.map { $0.renewed(from: now, ahead: lead, using: &randomness) }
        store(.beginGenerations(generations, card), then: .done(answer))
    }
}
