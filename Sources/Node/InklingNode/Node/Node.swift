public import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
public import InklingVault
internal import InklingWire

/// A node: it publishes this device's identifiers, recognises contacts and holds sessions with them.
///
/// ```swift
/// let node = Node(contents: contents, keeper: keeper, ports: ports)
/// let presence = node.presence
/// async let running: Void = node.run()
/// for await change in presence { print(change) }
/// ```
///
/// **Concurrency.** Every event and every user request is an `Input` in one queue. A step processes one input without
/// suspending, so no step sees the partial effects of another. Work that has to wait runs in separate tasks and posts
/// its result as another input. Value types make the decisions (`LinkTechnology`, `SessionTable`, `OpenInvitation`,
/// `Predictions`, `LinkKeeper`, the state machines of the engine); the actor owns them and carries out their effects.
///
/// The gate check of a first message (`receive(_:over:)`) bypasses the queue. Any device on the network can send first
/// messages as fast as the network carries them. In the queue they would delay every input behind them, and the queue
/// would grow with the flood; outside the queue each costs one hash, and the number that are pending is limited by the
/// number of links that the listener holds. A message that passes the gate becomes an input.
///
/// **What this does not protect**: programs of the same user can ask a node anything; network addresses identify the
/// machine to everyone on the network; a contact can pass on what its grant lets it see.
public actor Node {
    enum Life {
        case resting
        case running
        case stopped
    }

    // Ports, queues and keys.
    let contactOptions: ContactOptions
    /// The user of this device; a placeholder on a device that has not joined yet.
    let ownUser: UserID
    let ports: NodePorts
    private let keeper: any ContentsKeeper
    private let inbox = Inbox()
    private let jobs: AsyncStream<@Sendable () async -> Void>
    private let submit: AsyncStream<@Sendable () async -> Void>.Continuation
    let drivers: PortDrivers
    let feeds = NodeFeeds()
    let deviceKey: SecretBox<NoiseKeyPair>
    var randomness: NodeRandomness
    var messageRandomness: MessageRandomness
    var channels: [SessionID: SessionChannel] = [:]

    // State of the decisions.
    var contents: VaultContents
    var saving = Saving<SaveFollowUp>()
    var clock: ClockWatch
    /// The period in which this device's certificate was last checked.
    var certificateCheck: Period?
    var book: ContactBook
    var recognition = RecognitionEngine()
    var recognitionWake: Tick?
    var predictions: Predictions
    var technologies: [any LinkTechnology]
    var sessions: SessionTable
    var dialer = Dialer()
    var links = LinkKeepers()
    var handOvers = HandOvers()
    /// The messages with every device.
    var mailboxes = Mailboxes()
    var responder: ConfirmResponder
    var refusedMessages: UInt64 = 0
    var firstContacts = FirstContacts()
    /// The progress of passing state in sessions with other devices of the user.
    var passing: [SessionID: StatePassing] = [:]
    /// The owner's confirmation of a tag device; nil for other nodes.
    var ownerConfirmation: OwnerConfirmation?
    /// Whether the tables were last ordered with contacts.
    var hasSoughtContacts = true
    var files = FileTraffic()
    var antennas: AntennaBoard
    /// The rooms in which contacts are heard.
    var rooms: [UserID: RoomChoice] = [:]
    let fileWork: FileWork
    /// The error of the last save; nil if it succeeded.
    var saveFailure: VaultError?

    // Life cycle.
    private(set) var life = Life.resting
    /// The current visibility.
    var visibility: Visibility
    /// The number of changes of the audience.
    var audienceRound = 0
    var questions = PairQuestions()
    private var isTaking = false
    private var hasStarted = false
    private var waitersForStart: [CheckedContinuation<Void, Never>] = []
    /// The time at which the earliest of the running timers fires.
    private var alarm: Tick?
    /// Jobs that send CLOSE and close links, to be run when the node stops.
    private var closingJobs: [@Sendable () async -> Void] = []

    /// The interval of clock checks when nothing else is due, in milliseconds of real time.
    private static let housekeeping: UInt64 = 60_000

    /// Creates a node that is not running yet; returns nil if the contents hold no usable device key.
    ///
    /// - Parameters:
    ///   - contents: the contents of the vault.
    ///   - keeper: saves changed contents.
    ///   - ports: clock, network, discovery, links and randomness.
    ///   - isVisible: whether the node shows itself to those whom the user has chosen, and looks for them; otherwise it
    ///     is invisible until `becomeVisible` is called, whatever is stored.
    ///   - trustsClock: whether the operator vouches for the clock until this node stops.
    ///   - isTag: whether this is a device without user presence, which shows itself only for a limited time after the
    ///     user's primary device has confirmed it (`Specs/responsible-beacons.md`).
    ///   - contactOptions: options for every contact, such as the delays before it counts as arrived or left unless the
    ///     user has chosen others for it.
    public init?(
        contents: VaultContents, keeper: any ContentsKeeper, ports: NodePorts, isVisible: Bool = true,
        trustsClock: Bool = false, isTag: Bool = false, contactOptions: ContactOptions = ContactOptions()
    ) {
        guard let deviceKey = NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()) else { return nil }
        sessions = SessionTable(ownKey: deviceKey.publicKey)
        self.deviceKey = SecretBox(deviceKey)
        responder = ConfirmResponder(
            restoring: contents.answeredMessages.map { ReplayCache.Entry(epoch: $0.epoch, ephemeral: $0.ephemeral) })
        self.contents = contents
        let identity = ContactCard.identity(ofUnverified: contents.card.span)
        ownUser = identity.map { UserID(identity: $0) } ?? UserID(Octets16(high: 0, low: 0))
        self.keeper = keeper
        let ports = ports.withRadioForAntennas()
        self.ports = ports
        visibility = isVisible ? contents.visibility : .nobody
        let isVisible = visibility != .nobody
        self.contactOptions = contactOptions
        clock = ClockWatch(
            latest: contents.latestAcceptedTime, isTrusted: trustsClock || contents.vouches.contains(.clock))
        randomness = NodeRandomness(ports.randomness)
        messageRandomness = MessageRandomness(ports.randomness)
        ownerConfirmation = isTag ? OwnerConfirmation(storedIn: contents) : nil
        technologies = ports.technologies(
            highWater: contents.highWaterEpoch, isVisible: isVisible, confirmation: ownerConfirmation)
        predictions = Predictions(withTags: ports.hearsBeacons)
        antennas = AntennaBoard(ports.antennas.map(\.facts))
        book = ContactBook(contents.contacts)
        (jobs, submit) = AsyncStream.makeStream()
        drivers = PortDrivers(ports)
        fileWork = FileWork(ports.files)
        let now = ports.clock.read()
        let period = Epoch(containing: now.unixSeconds)?.period
        for contact in contents.contacts where !contact.isExcluded(in: period) {
            feeds.begin(with: contact.user, at: now)
        }
    }

    /// Events from now on. Each read of the property creates a new subscription.
    public nonisolated var events: NodeStream<NodeEvent> { feeds.events.subscribe() }

    /// Returns the events from now on without texts, for a program that shows them to nobody.
    public nonisolated func eventsWithoutTexts() -> NodeStream<NodeEvent> {
        feeds.events.subscribe(takesOffers: false)
    }

    /// Changes of contacts' presence. A subscription starts with the current state of every contact.
    public nonisolated var presence: NodeStream<PresenceChange> { feeds.presence.subscribe() }

    /// Text messages from contacts, from now on, for a program that only shows them. A program that processes them
    /// reads ``incoming``, which loses none.
    public nonisolated var messages: NodeStream<ReceivedMessage> { feeds.messages.subscribe() }

    /// Transfers, from now on: each change of state, and the progress of each at most five times a second.
    public nonisolated var transfers: NodeStream<FileTransfer> { feeds.transfers.subscribe() }

    // MARK: Life

    /// Runs until `stop` is called or the task is cancelled, and returns when the node has stopped emitting.
    ///
    /// Call it once: a node that has stopped cannot be started again.
    public func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { portGroup in
                portGroup.addTask {
                    await self.drivers.run(
                        report: { await self.deliver(.ports($0, $1)) }, serve: { await self.serve($0, over: $1) })
                }
                await withDiscardingTaskGroup { group in
                    group.addTask { await self.takeInputs() }
                    for await job in jobs { group.addTask { await job() } }
                    group.cancelAll()
                }
            }
            feeds.finish()
        } onCancel: {
            inbox.post(.stop)
        }
    }

    /// Returns once `run` has checked the clock for the first time, or the node has stopped.
    public func started() async {
        guard !hasStarted else { return }
        await withCheckedContinuation { waitersForStart.append($0) }
    }

    /// Makes `run` close everything and return; does not wait for it.
    public nonisolated func stop() { inbox.post(.stop) }

    private func takeInputs() async {
        // Load before the first session, whose messages are compared with the stored ones.
        await loadMessages()
        start()
        for await _ in inbox.arrivals {
            takeWaitingInputs()
            if life == .stopped { break }
        }
        // The task was cancelled.
        if life != .stopped { stopNow() }
        // The last packets must be sent before everything else is cancelled.
        await withDiscardingTaskGroup { group in
            for job in closingJobs { group.addTask { await job() } }
        }
        closingJobs = []
        stopMessages()
        await carryOutMessageWork()
        await carryOutSaves()
        drivers.finish()
        fileWork.finish()
        submit.finish()
    }

    private func start() {
        if life == .resting {
            life = .running
            let now = ports.clock.read()
            clock.start(at: now, slept: ports.clock.suspendedMilliseconds())
            hasSoughtContacts = looksForContacts
            let changes = ports.network.changes()
            spawn { [inbox] in for await _ in changes { inbox.post(.networkChanged) } }
            let clockChanges = ports.clock.changes()
            spawn { [inbox] in for await _ in clockChanges { inbox.post(.clockChanged) } }
            if let sleep = ports.sleep {
                let announcements = sleep.announcements()
                spawn { for await announcement in announcements { await self.handle(announcement) } }
            }
            for contact in contents.contacts where !contact.isExcluded(in: clockPeriod) {
                recognise(
                    .contactAdded(book.enroll(contact.user), contact.delays.applied(to: contactOptions)), at: now)
            }
            ownDevicesChanged()
            startFileWork()
            startAntennas()
            tell(.started)
            judgeTime()
            takeWaitingInputs()
            beginMessageWork()
            schedule()
        }
        hasStarted = true
        for waiter in waitersForStart { waiter.resume() }
        waitersForStart = []
    }

    /// Falls silent before the machine sleeps, and then lets it sleep.
    private func handle(_ announcement: SleepAnnouncement) async {
        switch announcement {
        case .near(let isSilent):
            deliver(.sleep(isNear: true))
            await drivers.settled()
            await isSilent()
        case .over: deliver(.sleep(isNear: false))
        }
    }

    private func stopNow() {
        life = .stopped
        perform(firstContacts.end(.stopped))
        abandonFirstContacts()
        tell(.stop)
        for technology in technologies { closeLinks(over: technology.id) }
    }

    // MARK: Inputs

    /// Appends an input to the queue and processes the whole queue.
    func deliver(_ input: Input) {
        inbox.post(input)
        takeWaitingInputs()
    }

    /// Appends an input to the queue without processing it; for use within a step.
    func enqueue(_ input: Input) { inbox.post(input) }

    /// Processes every queued input. Steps do not suspend, so they do not interleave.
    func takeWaitingInputs() {
        guard !isTaking else { return }
        isTaking = true
        while let input = inbox.next() { handle(input) }
        isTaking = false
        schedule()
    }

    private func handle(_ input: Input) {
        switch input {
        case .timer(let due):
            // An earlier timer has replaced this one.
            guard due == alarm, life == .running else { return }
            alarm = nil
            timerFired()
        case .networkChanged: tell(.networkChanged)
        // Deadlines in protocol time, such as the boundary, are now sooner or later than the timers assume.
        case .clockChanged: if life == .running { timerFired() }
        case .sleep(let isNear): tell(isNear ? .fallingAsleep : .wokeUp)
        case .audienceWithdrawn(let round): audienceWithdrawn(round: round)
        case .stop: if life != .stopped { stopNow() }
        case .ports(let id, let outcome): tell(.ports(outcome), to: id)
        case .antenna(let index, let report): handle(report, ofAntenna: index)
        case .tableMade(let made, let number, let epoch):
            let addition = predictions.add(made, number: number, for: epoch)
            if addition.isInUse { useTable(of: epoch) }
            if addition.isOutdated { make(predictions.renew(epoch, for: expectedContacts)) }
        case .saved(let error): saved(error)
        case .handshake(let input): handle(input)
        case .packet(let packet, let id): receive(packet, in: id)
        case .linkEnded(let id):
            perform(sessions.linkEnded(id))
            meetingEnded(in: id)
        case .request(let request): handle(request)
        case .file(let input): handle(input)
        case .firstContactNeedsChanged: firstContactNeedsChanged()
        case .messages(let outcome): handle(outcome)
        }
    }

    private func timerFired() {
        let now = ports.clock.read()
        if clock.hasSlept(ports.clock.suspendedMilliseconds()) { tell(.wokeUp) }
        updateInvitation()
        judgeTime()
        tell(.timerFired)
        if let due = recognitionWake, due <= now.tick {
            recognitionWake = nil
            recognise(.timerFired, at: now)
        }
        antennaTimerFired(at: now.tick)
        renew(links.timerFired(at: now))
        perform(sessions.timerFired(at: now.tick))
        handOverTimerFired(at: now.tick)
        askDueQuestions(at: now.tick)
        firstContactTimerFired(at: now.tick)
        messageTimerFired(at: now)
        fileTimerFired(at: now)
    }

    /// Starts a timer for the next deadline. Running timers that fire later are not cancelled; they are ignored.
    private func schedule() {
        guard life == .running else { return }
        let reading = ports.clock.read()
        let due =
            technologies.compactMap(\.due)
            + [
                recognitionWake, links.due, sessions.due, handOvers.due, mailboxes.due, firstContacts.due,
                questions.due,
                files.due, antennas.due, firstContacts.invitation?.due(after: reading),
            ]
            .compactMap(\.self)
        let latest = reading.tick.advanced(byMilliseconds: Self.housekeeping)
        let next = min(due.min() ?? latest, latest)
        guard alarm.map({ next < $0 }) != false else { return }
        alarm = next
        spawn { [inbox, clock = ports.clock] in
            do { try await clock.sleep(until: next) } catch { return }
            inbox.post(.timer(due: next))
        }
    }

    // MARK: Work outside the queue

    /// Runs `job` concurrently until it ends or the node stops. Does nothing unless the node is running.
    func spawn(_ job: @escaping @Sendable () async -> Void) {
        if life == .running { submit.yield(job) }
    }

    /// Runs a job that closes something, even if the node stops. It runs outside the queue because a peer that does not
    /// read could block it.
    func spawnClosing(_ job: @escaping @Sendable () async -> Void) {
        if life == .stopped { closingJobs.append(job) } else { spawn(job) }
    }

    /// Sends a command to the ports of a link technology.
    func send(_ command: PortCommand) { drivers.send(command) }

    /// Saves until no save is requested; a request made during a save is served by the next one.
    func carryOutSaves() async {
        while let batch = saving.begin() {
            // The oldest come first, and belong to epochs that are no longer answered.
            contents.answeredMessages = responder.authenticatedEntries.suffix(VaultContents.answeredMessageLimit).map {
                AnsweredMessage(epoch: $0.epoch, ephemeral: $0.ephemeral)
            }
            var stored = contents
            for followUp in batch {
                if case .change(let change, _) = followUp { stored.apply(change) }
            }
            var failure: VaultError?
            do throws(VaultError) { try await keeper.save(stored) } catch { failure = error }
            deliver(.saved(failure))
        }
    }

    /// Queues a request and waits for its result.
    ///
    /// A node that is not running has no tasks for saves, so the caller carries out the save that its change needs.
    ///
    /// - Throws: the error of the request.
    func ask<Success: Sendable>(
        _ request: (Answer<Success>) -> Request
    ) async throws(NodeError) -> Success {
        let answer = Answer<Success>()
        deliver(.request(request(answer)))
        if life != .running {
            await carryOutMessageWork()
            await carryOutSaves()
        }
        return try await answer.value().get()
    }

    /// The current period; nil while the clock is not accepted, and after the last period of audience trees.
    var currentPeriod: Period? {
        clock.isAccepted ? Epoch(containing: ports.clock.read().unixSeconds)?.period : nil
    }
}
