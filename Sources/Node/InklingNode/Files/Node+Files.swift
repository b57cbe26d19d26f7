internal import InklingEngine
public import InklingKeys
internal import InklingVault
public import InklingWire

// Files to and from contacts (`Specs/files.md`).
extension Node {
    // MARK: Requests

    /// Sends a file to a contact, now or as soon as the contact is near, and resumes after every interruption. The same
    /// unchanged file resumes where it was interrupted.
    ///
    /// The node opens the path with its own rights, now and after a restart: whoever may send it requests is its user.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file of at most 2^40 bytes.
    ///   - user: the contact.
    ///   - staysInEpoch: whether the transfer is paused at the next epoch boundary instead of resuming after it.
    /// - Returns: the id of the transfer, under which `transfers` reports it.
    /// - Throws: `NodeError.unknownContact`, `.file`, `.tooManyFiles`; `.stopped` if the node does not run.
    public func sendFile(
        at path: String, to user: UserID, staysInEpoch: Bool = false
    ) async throws(NodeError) -> TransferID {
        let file: NewFile
        do throws(FileFault) {
            guard path.utf8.count <= FileQueue.pathLimit else { throw .missing }
            let source = try await ports.files.openSource(path)
            guard source.size <= FileWords.sizeLimit else { throw .tooLarge }
            file = NewFile(
                user: user, path: path, size: source.size, version: source.version, staysInEpoch: staysInEpoch)
        } catch {
            throw .file(error)
        }
        return try await ask { .sendFile(file, $0) }
    }

    /// Pauses a file on its way to a contact. The receiver keeps the part that arrived for seven days.
    ///
    /// - Throws: `NodeError.unknownTransfer`.
    public func pauseFile(_ id: TransferID) async throws(NodeError) { try await ask { .changeFile(id, .pause, $0) } }

    /// Cancels a transfer in either direction. The part that arrived is removed.
    ///
    /// - Throws: `NodeError.unknownTransfer`.
    public func cancelFile(_ id: TransferID) async throws(NodeError) { try await ask { .changeFile(id, .cancel, $0) } }

    /// Accepts the offer of a contact.
    ///
    /// - Throws: `NodeError.unknownTransfer` if no such offer waits.
    public func acceptFile(_ id: TransferID) async throws(NodeError) { try await ask { .changeFile(id, .accept, $0) } }

    /// Refuses the offer of a contact.
    ///
    /// - Throws: `NodeError.unknownTransfer` if no such offer waits.
    public func refuseFile(_ id: TransferID) async throws(NodeError) { try await ask { .changeFile(id, .refuse, $0) } }

    /// Sets the rule by which files are accepted without asking; before that, none is.
    public func takeFiles(by rule: FileRule) { files.rule = rule }

    /// Returns the unfinished transfers, and those that ended since the node was started.
    public func fileTransfers() async -> [FileTransfer] {
        let reply = Reply<[FileTransfer]>()
        deliver(.request(.files(reply)))
        return await reply.value()
    }

    func queue(_ new: NewFile) throws(NodeError) -> TransferID {
        guard life == .running else { throw .stopped }
        guard contents.index(of: new.user) != nil else { throw .unknownContact }
        let now = ports.clock.read()
        let same = files.queue.values.first { file in
            file.user == new.user && file.path == new.path && file.size == new.size && file.version == new.version
        }
        guard same != nil || files.queue.count < FileQueue.limit else { throw .tooManyFiles(limit: FileQueue.limit) }
        var file = QueuedFile(
            id: same?.id ?? TransferID(Octets16(high: randomness.next(), low: randomness.next())), user: new.user,
            device: same?.device, path: new.path, size: new.size, version: new.version,
            staysInEpoch: new.staysInEpoch, lastProgress: now.unixSeconds)
        file.isPaused = false
        files.queue[file.id] = file
        saveFileQueue()
        if files.assigned[file.id] == nil {
            show(file, .queued)
            offerFiles(to: file.user)
        }
        return file.id
    }

    func changeFile(_ id: TransferID, _ change: FileChange) throws(NodeError) {
        guard let shown = files.shown[id] else { throw .unknownTransfer }
        switch (change, shown.direction) {
        case (.pause, .out), (.cancel, .out):
            guard files.queue[id] != nil else { throw .unknownTransfer }
            if let device = files.assigned[id] {
                handle(change == .pause ? .pause(id) : .cancel(id), of: device)
            } else {
                outgoingEnded(id, change == .pause ? .paused : .ended, change == .pause ? .paused : .cancelled)
            }
        case (.cancel, .in):
            guard let device = shown.device, !shown.state.isLast else { throw .unknownTransfer }
            handle(.cancel(id), of: device)
        case (.accept, .in), (.refuse, .in):
            guard let device = shown.device, shown.state == .asked else { throw .unknownTransfer }
            handle(change == .accept ? .accept(id) : .refuse(id), of: device)
        case (.pause, .in), (.accept, .out), (.refuse, .out): throw .unknownTransfer
        }
    }

    // MARK: Life

    /// Starts the tasks that read and write files.
    func startFileWork() {
        spawn { [fileWork] in await fileWork.read { await self.deliver(.file($0)) } }
        spawn { [fileWork] in await fileWork.write { await self.deliver(.file($0)) } }
        fileWork.want(.loadQueue)
        expireFiles(at: ports.clock.read())
    }

    func fileTimerFired(at now: ClockReading) {
        for device in files.exchanges.keys.sorted() where files.exchanges[device]?.due.map({ $0 <= now.tick }) == true {
            handle(.timerFired, of: device)
        }
        if let moment = files.expiresAt, moment <= now.tick { expireFiles(at: now) }
    }

    private func expireFiles(at now: ClockReading) {
        files.expiresAt = now.tick.advanced(by: FileTraffic.expiryInterval)
        fileWork.want(.removeUntouched(seconds: FileTraffic.lifetime))
        for file in files.queue.values where file.lastProgress + FileTraffic.lifetime < now.unixSeconds {
            endFile(file.id, .expired)
        }
    }

    /// Ends a file on its way to a contact for a reason of this node's.
    private func endFile(_ id: TransferID, _ reason: FileTransfer.Reason) {
        if let device = files.assigned[id] {
            files.ending[id] = reason
            handle(.cancel(id), of: device)
        } else {
            outgoingEnded(id, .ended, reason)
        }
    }

    /// Ends the transfers with a removed contact.
    func dropFiles(of user: UserID) {
        for file in files.queue.values.sorted(by: { $0.id < $1.id }) where file.user == user {
            endFile(file.id, .removed)
            // The exchange with a contact that was already removed reports nothing.
            if files.queue[file.id] != nil { outgoingEnded(file.id, .ended, .removed) }
        }
        files.exchanges = files.exchanges.filter { $0.key.user != user }
    }

    private func saveFileQueue() {
        let sealed = FileQueue.seal(
            files.queue.values.sorted { $0.id < $1.id }, with: deviceKey.value, using: &randomness)
        fileWork.want(.saveQueue(sealed))
    }

    // MARK: Sessions

    /// Starts using a session for files, after its HELLO has been answered.
    func fileSessionBegan(_ id: SessionID) {
        guard let session = sessions[id], !session.isSuperseded, files.current[session.peer] != id else { return }
        let peer = session.peer
        files.current[peer] = id
        handle(.sessionBegan(isRadio: session.technology.capabilities.isSlow), of: peer)
        offerFiles(to: peer.user)
    }

    private func offerFiles(to user: UserID) {
        for device in files.current.keys.sorted() where device.user == user {
            for file in files.waiting(for: device) {
                if let other = files.assigned[file.id] { handle(.pause(file.id), of: other, isSilent: true) }
                files.assigned[file.id] = device
                handle(.send(file.id, size: file.size), of: device)
                show(file, .offered)
            }
        }
    }

    /// Handles the end of a session; another one with the device may take over.
    func fileSessionEnded(_ id: SessionID) {
        guard let device = files.current.first(where: { $0.value == id })?.key else { return }
        files.current[device] = nil
        handle(.sessionEnded, of: device)
        files.forgetOffers(of: device)
        for (transfer, assigned) in files.assigned where assigned == device {
            if let file = files.queue[transfer] { show(file, .interrupted) }
        }
        if files.exchanges[device]?.isEmpty == true { files.exchanges[device] = nil }
        makeRoom()
        if let other = sessions.staying(with: device), sessions[other]?.helloCount ?? 0 > 0 { fileSessionBegan(other) }
    }

    /// Pauses the transfers that must not outlast the epoch.
    func filesMeetBoundary(over technology: LinkTechnologyID) {
        for file in files.queue.values.sorted(by: { $0.id < $1.id }) where file.staysInEpoch && !file.isPaused {
            guard let device = files.assigned[file.id], let id = files.current[device],
                sessions[id]?.technology == technology
            else { continue }
            files.ending[file.id] = .boundary
            handle(.pause(file.id), of: device)
        }
    }

    /// Handles a record about a file.
    ///
    /// - Throws: `FileWordsError`, `FileMisuse`; both end the session.
    func takeFile(_ record: borrowing Record, in id: SessionID) throws {
        guard let peer = sessions[id]?.peer else { return }
        let type = record.type
        let words = try record.withBody { body throws(FileWordsError) in try FileWords(type, parsing: body) }
        // Messages in a superseded session are repeated in the one that replaced it.
        guard let words, files.current[peer] == id else { return }
        try perform(.words(words), of: peer)
    }

    // MARK: Inputs and effects

    func handle(_ input: FileInput) {
        switch input {
        case .outgoing(let id, let event):
            if let device = files.assigned[id] { handle(.outgoing(id, event), of: device) }
        case .incoming(let device, let event): handle(event, of: device)
        case .judged(let device, let id, let isRight, let path):
            files.shown[id]?.path = path
            let wasRunning = files.shown[id]?.state == .running
            handle(.incoming(id, .judged(isRight: isRight)), of: device)
            // The session has ended in the meantime, but the file is in place.
            if isRight, !wasRunning || files.shown[id]?.state != .kept { incomingEnded(id, .kept, nil) }
        case .queueLoaded(let sealed): queueLoaded(sealed)
        case .queueNotSaved: break  // a restart forgets the file; its user can send it again
        }
    }

    private func queueLoaded(_ sealed: [UInt8]?) {
        guard let sealed else { return }
        for file in FileQueue.open(sealed, with: deviceKey.value) where files.queue[file.id] == nil {
            guard contents.index(of: file.user) != nil, files.queue.count < FileQueue.limit else { continue }
            files.queue[file.id] = file
            show(file, file.isPaused ? .paused : .queued)
        }
        for user in Set(files.queue.values.map(\.user)).sorted() { offerFiles(to: user) }
    }

    /// Handles an event of the exchange with a device. A misuse ends the session; with `isSilent` nothing is sent or
    /// reported.
    private func handle(_ event: FileExchange.Event, of device: KnownDevice, isSilent: Bool = false) {
        do throws(FileMisuse) {
            try perform(event, of: device, isSilent: isSilent)
        } catch {
            if let id = files.current[device] { perform(sessions.end(id, nil)) }
        }
    }

    private func perform(
        _ event: FileExchange.Event, of device: KnownDevice, isSilent: Bool = false
    ) throws(FileMisuse) {
        guard contents.contact(device.user) != nil else { return }
        let now = ports.clock.read()
        var exchange = files.exchanges[device] ?? FileExchange()
        let running = exchange.runningCount
        exchange.limit = ports.files.takesFiles ? files.rule.limit(for: device.user) : nil
        files.exchanges[device] = exchange
        let effects: [FileExchange.Effect]
        do throws(FileMisuse) {
            effects = try exchange.handle(event, hasRoom: files.hasRoom, at: now.tick)
        } catch {
            files.exchanges[device] = exchange
            throw error
        }
        files.exchanges[device] = exchange
        guard !isSilent else { return }
        for effect in effects { perform(effect, of: device, at: now) }
        if exchange.runningCount < running { makeRoom() }
    }

    private func makeRoom() {
        for device in files.exchanges.keys.sorted() where files.hasRoom { handle(.roomMade, of: device) }
    }

    private func perform(_ effect: FileExchange.Effect, of device: KnownDevice, at now: ClockReading) {
        switch effect {
        case .say(let words):
            if let session = files.current[device] { say(words.record, in: session) }
        case .find(let id, let size):
            fileWork.want(.find(id, PartialName(id, from: device, size: size)), of: device)
        case .offered(let id, let size): show(id, from: device, size: size, .asked)
        case .declined(let id, let size, let reason):
            show(id, from: device, size: size, .ended, FileTransfer.Reason(reason))
        case .began(let id):
            files.queue[id]?.device = device.device
            files.shown[id]?.state = .running
            report(id)
            saveFileQueue()
        case .outgoing(let id, let effect): perform(effect, of: id, at: now)
        case .incoming(let id, let size, let effect): perform(effect, of: id, size: size, from: device, at: now)
        }
    }

    private func perform(_ effect: OutgoingFile.Effect, of id: TransferID, at now: ClockReading) {
        switch effect {
        case .say: break
        case .digestPrefix(let round, let count):
            if let file = files.queue[id] { fileWork.want(.prefix(file, round: round, count: count)) }
        case .read(let round, let offset, let count):
            fileWork.want(.read(id, round: round, offset: offset, count: count))
        case .finishDigest(let round): fileWork.want(.digest(id, round: round))
        case .progress(let stored):
            files.queue[id]?.lastProgress = now.unixSeconds
            progress(stored, of: id, at: now.tick)
        case .ended(.delivered):
            files.noteWhole(id)
            outgoingEnded(id, .delivered, nil)
        case .ended(.stopped(let reason, _)):
            let isPaused = reason == .paused || reason == .noRoom
            outgoingEnded(id, isPaused ? .paused : .ended, files.ending[id] ?? FileTransfer.Reason(reason))
        }
    }

    private func perform(
        _ effect: IncomingFile.Effect, of id: TransferID, size: UInt64, from device: KnownDevice, at now: ClockReading
    ) {
        let name = PartialName(id, from: device, size: size)
        switch effect {
        case .say: break
        case .open:
            show(id, from: device, size: size, .running)
            fileWork.want(.open(id, name, size: size), of: device)
        case .restart: fileWork.want(.restart(id), of: device)
        case .write(_, let bytes): fileWork.want(.write(id, bytes), of: device)
        case .sync: fileWork.want(.sync(id), of: device)
        case .judge(let digest): fileWork.want(.judge(id, digest: digest), of: device)
        case .close: fileWork.want(.close(id), of: device)
        case .discard: fileWork.want(.discard(id, name), of: device)
        case .progress(let stored): progress(stored, of: id, at: now.tick)
        case .ended(.kept): incomingEnded(id, .kept, nil)
        case .ended(.interrupted): incomingEnded(id, .interrupted, nil)
        case .ended(.stopped(let reason, _)):
            incomingEnded(id, reason == .paused ? .paused : .ended, FileTransfer.Reason(reason))
        }
    }

    // MARK: Reports

    private func outgoingEnded(_ id: TransferID, _ state: FileTransfer.State, _ reason: FileTransfer.Reason?) {
        fileWork.want(.close(id))
        files.assigned[id] = nil
        files.ending[id] = nil
        if state == .paused { files.queue[id]?.isPaused = true } else { files.queue[id] = nil }
        saveFileQueue()
        files.shown[id]?.state = state
        report(id, reason)
        files.trim()
    }

    private func incomingEnded(_ id: TransferID, _ state: FileTransfer.State, _ reason: FileTransfer.Reason?) {
        files.shown[id]?.state = state
        if state == .kept { files.noteWhole(id) }
        report(id, reason)
        files.trim()
    }

    private func show(_ file: QueuedFile, _ state: FileTransfer.State) {
        var shown =
            files.shown[file.id]
            ?? FileTraffic.Shown(
                device: nil, user: file.user, direction: .out, size: file.size, state: state, path: file.path)
        shown.state = state
        files.shown[file.id] = shown
        report(file.id)
    }

    private func show(
        _ id: TransferID, from device: KnownDevice, size: UInt64, _ state: FileTransfer.State,
        _ reason: FileTransfer.Reason? = nil
    ) {
        files.shown[id] = FileTraffic.Shown(
            device: device, user: device.user, direction: .in, size: size, state: state)
        report(id, reason)
    }

    private func progress(_ stored: UInt64, of id: TransferID, at now: Tick) {
        guard files.note(stored, of: id, at: now), let transfer = files.transfer(id) else { return }
        feeds.transfers.publish(transfer)
    }

    private func report(_ id: TransferID, _ reason: FileTransfer.Reason? = nil) {
        guard let transfer = files.transfer(id, reason) else { return }
        feeds.transfers.publish(transfer)
        feeds.emit(.file(transfer))
    }
}
