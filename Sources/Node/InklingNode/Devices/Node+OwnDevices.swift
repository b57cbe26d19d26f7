internal import InklingEngine
public import InklingKeys
internal import InklingVault
internal import InklingWire

// The user's other devices (`Specs/devices.md`): the primary and the others recognise and confirm each other as
// contacts do, and the primary passes its state on. They are not contacts, and no list of contacts contains them.
extension Node {
    /// Returns when the last session with each of the user's other devices began, in Unix seconds; without devices
    /// never met, and on a device that is not the primary, the primary alone.
    public func devicesLastMet() -> [DeviceIndex: UInt64] {
        takeWaitingInputs()
        return contents.own.devices.reduce(into: [:]) { $0[$1.index] = $1.lastMet }
    }

    /// Returns whether a user is this device's own.
    func isOwn(_ user: UserID) -> Bool { user == ownUser }

    /// Whether this is the user's primary device.
    private var isPrimary: Bool { contents.rootSeed != nil }

    /// Returns whether sessions with a device of this user may begin.
    func meetsOwn(_ device: DeviceIndex) -> Bool { contents.own.device(device) != nil && contents.restored == nil }

    // MARK: Recognition

    /// The identifiers expected of the user's other devices, by every generation they may hold; nil if none.
    var expectedOwnDevices: PredictedContact? {
        guard contents.restored == nil, let id = book.roster[ownUser] else { return nil }
        let listed = contents.own.devices.reduce(UInt16(0)) { $0 | 1 << UInt16($1.index.number) }
        let grants = contents.own.generations.compactMap { generation in
            generation.tree(of: contents.audiences).map {
                HeldGrant(
                    audience: .granted(generation.label), deviceBitmap: generation.devices & listed, tree: $0)
            }
        }
        return grants.isEmpty ? nil : PredictedContact(id, grants: grants)
    }

    /// Starts or stops recognising the other devices, and ends sessions with removed ones.
    func ownDevicesChanged() {
        let now = ports.clock.read()
        let present = Set(contents.own.devices.map(\.index))
        for id in sessions.sessions(with: ownUser) {
            if let peer = sessions[id]?.peer, !present.contains(peer.device) { perform(sessions.end(id, .boundary)) }
        }
        if present.isEmpty {
            if let id = book.roster[ownUser] { recognise(.contactRemoved(id), at: now) }
            book.remove(ownUser)
        } else if book.roster[ownUser].flatMap({ recognition.state(of: $0) }) == nil {
            recognise(.contactAdded(book.enroll(ownUser), contactOptions), at: now)
        }
        indexDevices()
    }

    /// Returns the other devices that the own card certifies in this period.
    func certifiedOwnDevices(in period: Period) -> [OwnDevices.Device] {
        guard contents.restored == nil, !contents.own.devices.isEmpty, let card = try? contents.ownCard(now: period)
        else { return [] }
        return contents.own.devices.filter { device in
            card.certificate(ofKey: device.key, in: period)?.index == device.index
        }
    }

    /// Returns a call to another device of the user; nil if a key is missing.
    func ownCall(for attempt: Attempt, because cause: Call.Cause, at now: ClockReading) -> Call? {
        let prediction = attempt.prediction
        guard case .granted(let label) = prediction.audience, let period = currentPeriod,
            let device = certifiedOwnDevices(in: period).first(where: { $0.index == prediction.device }),
            let leaf = contents.own.tree(label, of: contents.audiences)?.value.periodKey(prediction.epoch.period),
            let transport = technologies.first(where: { $0.id == attempt.technology })?.transport
        else { return nil }
        return Call(
            number: dialer.nextNumber(), attempt: attempt, cause: cause, technology: attempt.technology,
            peer: KnownDevice(user: ownUser, device: device.index), key: device.key,
            context: ConfirmContext(
                leaf.deviceKeys(device.index), device: device.index, epoch: prediction.epoch, transport: transport),
            pairwiseKeys: [
                StoredPairwiseKey(number: OwnDevices.keyNumber, origin: .firstContact, key: device.pairwiseKey)
            ], generation: 0, start: now.tick, round: dialer.round(of: attempt.technology))
    }

    // MARK: Sessions

    /// HELLO to another device of the user: both serials are that of the card this device holds.
    var ownDeviceHello: Hello? {
        try? Hello(ownSerial: contents.cardSerial, peerSerial: contents.cardSerial, grants: [])
    }

    /// Handles the HELLO of another device of the user. A non-primary device answers with its state's mark.
    func answerOwn(_ hello: Hello, in id: SessionID) {
        guard let session = sessions[id] else { return }
        let now = ports.clock.read()
        let isFirst = session.helloCount == 0
        sessions.noteHello(id)
        guard isFirst else { return }
        // A clock that is not accepted confirms nothing.
        if clock.isAccepted { contents.own.noteMet(session.peer.device, at: now.unixSeconds) }
        save()
        guard !isPrimary else { return }
        ownerMet()
        passing[id] = StatePassing()
        say(.mark(contents.own.mark), in: id)
    }

    /// Handles a record in a session with another device of the user.
    ///
    /// - Throws: the reason for refusing the record; the session then ends.
    func takeOwn(_ record: borrowing Record, in id: SessionID) throws {
        guard let session = sessions[id], session.helloCount > 0 else { return }
        switch record.type {
        case .state:
            let state = try record.withBody { body throws(OwnStateError) in try OwnState(parsing: body) }
            if isPrimary {
                switch state {
                case .mark(let mark): named(mark, by: session.peer.device, in: id)
                case .more: sendState(in: id)
                // Only the primary device sends state.
                default: return
                }
            } else {
                if case .more = state { return askForMore(in: id) }
                try receiveState(record, from: session.peer.device, in: id)
                if case .mark = state { try storeState(from: session.peer.device, in: id) }
            }
        case .card where !isPrimary: try receiveState(record, from: session.peer.device, in: id)
        default: break
        }
    }

    private func say(_ state: OwnState, in id: SessionID) {
        if let record = try? state.record() { say(record, in: id) }
    }

    // MARK: The primary device

    /// Handles the mark of the state that a device has stored.
    private func named(_ mark: UInt64, by device: DeviceIndex, in id: SessionID) {
        var passing = self.passing[id] ?? StatePassing()
        passing.held = mark
        passing.waiting = []
        passing.isBusy = false
        self.passing[id] = passing
        guard mark == contents.stateMark, contents.signedAhead(from: clockPeriod ?? .last).isEmpty else {
            return passState(to: device, in: id)
        }
        if contents.own.mayHoldOthers(device, than: contents.audiences) {
            store(.noteHeld(device), then: .done(Answer()))
        }
    }

    /// Starts passing the state on in sessions whose other side has another one.
    func stateChanged() {
        guard isPrimary, !passing.isEmpty else { return }
        let mark = contents.stateMark
        for id in sessions.ids {
            guard let peer = sessions[id]?.peer, let passing = passing[id], !passing.isBusy, passing.held != mark else {
                continue
            }
            passState(to: peer.device, in: id)
        }
    }

    private func passState(to device: DeviceIndex, in id: SessionID) {
        guard let now = currentPeriod, var passing = passing[id], !passing.isBusy,
            passing.count < StatePassing.limit
        else { return }
        passing.isBusy = true
        passing.count += 1
        self.passing[id] = passing
        store(.prepareState(device, contents.signedAhead(from: now)), then: .statePrepared(device, id))
    }

    /// Sends the state, now that it has been recorded as about to be sent.
    func statePrepared(for device: DeviceIndex, in id: SessionID) {
        guard let now = currentPeriod, passing[id] != nil, let key = contents.own.device(device)?.key,
            let (_, state) = passedState(for: key, now: now)
        else { return }
        passing[id]?.waiting = state[...]
        sendState(in: id)
    }

    /// Sends the next part of the state.
    private func sendState(in id: SessionID) {
        guard let waiting = passing[id]?.waiting, !waiting.isEmpty else { return }
        let part = waiting.prefix(StatePassing.part)
        passing[id]?.waiting = waiting.dropFirst(StatePassing.part)
        for bytes in part {
            guard let record = try? bytes.value.withBytes({ bytes throws(RecordError) in try Record(parsing: bytes) })
            else { continue }
            say(record, in: id)
        }
        if waiting.count > StatePassing.part { say(.more, in: id) }
    }

    // MARK: Another device

    private func askForMore(in id: SessionID) {
        guard let passing = passing[id], passing.moreCount < StatePassing.moreLimit else { return }
        self.passing[id]?.moreCount += 1
        say(.more, in: id)
    }

    /// Adds a part of the state.
    private func receiveState(_ record: borrowing Record, from device: DeviceIndex, in id: SessionID) throws {
        guard let now = currentPeriod, contents.own.device(device) != nil, passing[id] != nil else { return }
        var taken =
            try passing[id]?.taken ?? LinkedContents(contents.ownCard(now: now), noiseKey: contents.noiseKey, now: now)
        try taken.take(record)
        passing[id]?.taken = taken
    }

    /// Stores the complete state.
    private func storeState(from device: DeviceIndex, in id: SessionID) throws {
        guard let taken = passing[id]?.taken, let primary = contents.own.device(device) else { return }
        passing[id]?.taken = nil
        passing[id]?.moreCount = 0
        let state = try taken.state(from: primary)
        guard state.contents.device == contents.device else { throw OwnStateError.outOfRange }
        store(.takeState(state), then: .stateStored(state.mark, id))
    }

    /// Confirms a stored state.
    func stateStored(_ mark: UInt64, in id: SessionID) { say(.mark(mark), in: id) }

    /// Updates recognition, tables and sessions after the primary device's state was taken.
    func stateTaken(instead before: VaultContents) {
        for contact in before.contacts where contents.index(of: contact.user) == nil { forget(contact.user) }
        for contact in contents.contacts {
            let earlier = before.contact(contact.user)
            if contact.card != earlier?.card { book.noteCard(contact.card, of: contact.user) }
            if contact.isExcluded(in: clockPeriod) {
                if earlier?.isExcluded(in: clockPeriod) == false {
                    withdraw(from: contact.user)
                    dismiss(contact.user)
                }
            } else if earlier?.isExcluded(in: clockPeriod) != false {
                admit(contact.user)
            } else if earlier?.likelyKey?.number != contact.likelyKey?.number {
                // The earlier key is no longer kept.
                firstContacts.dropMachine(of: contact.user)
                endSessions(with: contact.user)
            }
        }
        ownDevicesChanged()
        contactsChanged()
        let shown = contents.audience(shownBy: visibility)
        if visibility != contents.visibility {
            becomeInvisible()
        } else if shown?.generation != before.audience(shownBy: visibility)?.generation {
            changeAudience()
        }
        unannouncedChanged()
    }
}

/// The progress of passing the state in one session with another device of the user.
struct StatePassing: Sendable {
    /// The maximum number of times that the state is passed on in a session.
    static let limit = 8
    /// The number of records sent before the other side must ask for more: a session queues 256.
    static let part = 128
    /// The maximum number of requests for more: the largest state has about 200,000 records.
    static let moreLimit = 2_000

    /// The mark of the state that the other device named last.
    var held: UInt64?
    /// Whether the state is being sent.
    var isBusy = false
    var count = 0
    /// The records still to be sent.
    var waiting: ArraySlice<SecretBox<SecretBytes>> = []
    /// The state received so far.
    var taken: LinkedContents?
    var moreCount = 0
}
