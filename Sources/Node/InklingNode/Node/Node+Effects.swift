internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingVault
internal import InklingWire

// Carries out the effects that the state machines return, in order.
extension Node {
    // MARK: Link technologies

    /// Sends an event to every link technology.
    func tell(_ event: LinkTechnologyEvent) {
        for technology in technologies { tell(event, to: technology.id) }
    }

    /// Sends an event to one link technology and carries out the effects.
    func tell(_ event: LinkTechnologyEvent, to id: LinkTechnologyID) {
        guard let index = technologies.firstIndex(where: { $0.id == id }) else { return }
        let effects = technologies[index].handle(event, at: ports.clock.read(), using: &randomness)
        for effect in effects { perform(effect, for: id) }
    }

    private func perform(_ effect: LinkTechnologyEffect, for id: LinkTechnologyID) {
        switch effect {
        case .command(let command): send(command)
        case .closeLinks: closeLinks(over: id)
        case .recognise(let event):
            let now = ports.clock.read()
            if case .beaconHeard(let sighting) = event { firstContacts.heard(sighting, at: now.tick) }
            recognise(event, at: now)
        case .retire(let epoch): responder.forget(before: epoch)
        case .forget(let period): forget(before: period)
        case .prepare(let epoch, let isDerived): prepare(epoch, isDerived: isDerived, for: id)
        case .useTable(let epoch):
            order(epoch)
            if predictions.use(epoch) { useTable(of: epoch) }
        case .noteHighWater(let epoch):
            contents.highWaterEpoch = max(contents.highWaterEpoch ?? epoch, epoch)
            for other in technologies where other.id != id { tell(.shownElsewhere(epoch), to: other.id) }
        case .storeHighWater(let epoch): save(.highWater(epoch, id))
        case .showing(let epoch):
            feeds.emit(.showing(epoch, over: id))
            if id == .offered { for session in sessions.ids { considerOffer(in: session) } }
            if id == .searched { planQuestions(in: epoch) }
        case .silent(let reason): feeds.emit(.silent(reason, over: id))
        case .imitated: feeds.emit(.imitated)
        case .crowded: feeds.emit(.trouble(.radioCrowded))
        case .deaf(let step): feeds.emit(.trouble(.radioDeaf(step)))
        case .listening(let result):
            let now = ports.clock.read().unixSeconds
            perform(firstContacts.withInvitation { $0.listening(result, at: now) } ?? [])
        case .found(let replies, let endpoints): for reply in replies { reply.send(endpoints) }
        case .searchReadiness(let replies, let readiness): for reply in replies { reply.send(readiness) }
        }
    }

    /// Closes every link of a technology, with or without a session, and abandons its connects: a link that stays open
    /// across the quiet period, with the same ports before and after, would let an observer link this epoch to the
    /// next. Contacts confirm each other again in the next epoch.
    func closeLinks(over id: LinkTechnologyID) {
        let ended = dialer.endRound(of: id)
        links.reset(id)
        filesMeetBoundary(over: id)
        // Announce a stop or invisibility, so that contacts need not wait for silence.
        perform(
            sessions.endAll(over: id, life == .stopped || !isVisible ? .leaving : .boundary), fallsSilent: true)
        endFirstContacts(over: id)
        recognise(.linksClosed(over: id.capabilities.attempts), at: ports.clock.read())
        if id == .offered { handOvers.dropAll() }
        if id == .searched { questions.end() }
        for link in ended { spawnClosing { await link.fallSilent() } }
    }

    private func forget(before period: Period) {
        // The epoch just shown must be answered until the skew allowance has passed. `OwnEpoch` holds what that needs.
        let lapsed = contents.contacts.filter { !$0.isExcluded(in: period.previous) && $0.isExcluded(in: period) }
        contents.forgetPast(before: period)
        for contact in lapsed { dismiss(contact.user) }
        responder.forget(before: (period.previous ?? period).firstEpoch)
        if isVisible ? predictions.forget(before: period) : predictions.drop() {
            tableReplaced()
        }
        // The names hold grants, and with them the keys of past periods.
        tellNames()
        save()
        indexDevices()
    }

    /// Derives this device's identifiers for a coming epoch and orders the table of contacts' identifiers for it.
    private func prepare(_ epoch: Epoch, isDerived: Bool, for id: LinkTechnologyID) {
        if !isDerived, let audience = shownAudience(),
            let transport = technologies.first(where: { $0.id == id })?.transport,
            let own = OwnEpoch(
                epoch, device: contents.device, of: audience.tree.value, transport: transport, reader: audience.reader)
        {
            tell(.derived(own), to: id)
            if id == .searched { answerUnannounced(in: epoch) }
        }
        updateSearch()
        order(epoch)
    }

    // MARK: Tables

    /// Orders the table of an epoch, which all technologies share, unless there is one.
    private func order(_ epoch: Epoch) {
        if !predictions.has(epoch) { make(predictions.prepare(epoch, for: expectedContacts)) }
    }

    /// The contacts that the node looks for: those to which it shows itself, and the user's other devices. An invisible
    /// node looks for none, even if it publishes an invitation.
    var expectedContacts: [PredictedContact] {
        guard isVisible else { return [] }
        let contacts = looksForContacts ? book.predicted(contents, in: clockPeriod, lookingFor: visibility) : []
        return contacts + [expectedOwnDevices].compactMap(\.self)
    }

    /// Computes a table outside the queue, in parallel.
    func make(_ order: Predictions.Order) {
        spawn {
            let made = await order.preparation.carriedOut()
            await self.deliver(.tableMade(made, number: order.number, order.epoch))
        }
    }

    /// Passes the table of an epoch, now in use, to the recognition engine and the link technologies.
    func useTable(of epoch: Epoch) {
        tableReplaced()
        tellNames()
        tell(.tableInUse(epoch))
    }

    /// Drops every table, because the node looks for nobody.
    func dropTables() {
        if predictions.drop() { tableReplaced() }
        tellNames()
    }

    private func tableReplaced() {
        recognise(.tableReplaced(predictions.table), at: ports.clock.read())
        tellMinors()
    }

    /// Tells the radio which minors the node expects.
    func tellMinors() {
        ports.expect(predictions.table.predictedMinors.union(firstContacts.soughtMinors))
    }

    private func tellNames() { tell(.namesKnown(KnownNames(predictions.table, of: expectedContacts))) }

    /// Orders new tables because a contact or a grant has changed. Until they are made, the tables in use keep all
    /// other contacts; a removed contact is no longer recognised.
    func contactsChanged() {
        // A stopped or invisible node recognises nobody.
        guard life == .running, isVisible, let epoch = Epoch(containing: ports.clock.read().unixSeconds) else { return }
        for order in predictions.contactsChanged(expectedContacts, at: epoch) { make(order) }
        tellNames()
    }

    /// Rebuilds the map from certified Noise keys to contacts' devices.
    func indexDevices() {
        guard let period = Epoch(containing: ports.clock.read().unixSeconds)?.period else { return }
        book.indexDevices(of: contents, now: period)
        book.add(certifiedOwnDevices(in: period), of: ownUser)
        // An invisible node looks for nobody.
        if isVisible {
            let met = contents.contacts.filter { !$0.isExcluded(in: period) }
            book.derivePairs(.expected, with: met, of: contents)
        }
    }

    // MARK: Recognition

    /// Sends an event to the recognition engine and carries out the effects.
    func recognise(_ event: RecognitionEngine.Event, at now: ClockReading) {
        for effect in recognition.handle(event, at: now, using: &randomness) {
            switch effect {
            case .outsideWindow(let predictions):
                for contact in Set(predictions.map(\.contact)) {
                    if let user = self.contact(contact) { feeds.emit(.outsideWindow(user)) }
                }
            case .contested(let predictions):
                for contact in Set(predictions.map(\.contact)) {
                    if let user = self.contact(contact) { feeds.emit(.contested(user)) }
                }
            case .replayed: feeds.emit(.replayed)
            case .stateChanged(let contact, let before, let state):
                if let user = book.roster[contact] {
                    if !isOwn(user) { feeds.changed(user, from: before, to: state, at: now) }
                    if state == .gone { endSessions(with: user) }
                }
            case .arrived(let contact): if let user = self.contact(contact) { feeds.emit(.arrived(user)) }
            case .left(let contact): if let user = self.contact(contact) { feeds.emit(.left(user)) }
            case .confirm(let attempt): begin(attempt, because: .recognised)
            case .readTag(let address): beginReading(address)
            case .wake(let tick): recognitionWake = tick
            }
        }
    }

    /// Returns the user with a number, if it is a contact and not this device's user.
    private func contact(_ id: ContactID) -> UserID? { book.roster[id].flatMap { isOwn($0) ? nil : $0 } }

    /// Reconnects lost links.
    func renew(_ renewals: [LinkKeeper.Renewal]) {
        for renewal in renewals { begin(renewal.attempt, because: .lostLink(renewal.route)) }
    }

    // MARK: Sessions

    func perform(_ effects: [SessionTable.Effect], fallsSilent: Bool = false) {
        for effect in effects {
            let now = ports.clock.read()
            switch effect {
            case .close(let id, let reason):
                if let channel = channels.removeValue(forKey: id) {
                    spawnClosing(channel.end(reason, fallsSilent: fallsSilent))
                }
                handOvers.keepCounts(of: sessions.ids)
                fileSessionEnded(id)
                meetingEnded(in: id)
                passing[id] = nil
                endDelivery(in: id)
            case .say(let id, let words):
                say(words.record, in: id)
            case .handedOver(let device, let old, let new):
                if !isOwn(device.user) { feeds.emit(.handedOver(device.user, from: old, to: new)) }
            case .deviceLeft(let device):
                if let contact = book.roster[device.user] {
                    recognise(.sessionEnded(contact, device.device), at: now)
                }
            case .goodbye(let device):
                if let contact = book.roster[device.user] {
                    recognise(.deviceLeft(contact, device.device), at: now)
                }
            case .lost(let device, let route):
                renew(links.handle(.unlinked(device, route), over: route.technology, at: now))
            case .release(let device): renew(links.release(device, at: now))
            }
        }
    }
}
