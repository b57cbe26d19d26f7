public import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingSession

/// Runs the decisions of the engine against the world: one node, from its vault to its contacts.
///
/// ```swift
/// let node = Node(contents: contents, keeper: keeper, ports: ports)
/// let presence = node.presence
/// async let running: Void = node.run()
/// for await change in presence { print(change) }
/// ```
///
/// **One discipline.** Everything that happens, and everything a user asks for, is an `Input` in one queue. A step takes
/// one input to its end without waiting, so that no step ever sees another one half done. What must wait runs beside the
/// steps and comes back as an input. Decisions are made by values (`LinkTechnology`, `SessionTable`, `OpenInvitation`,
/// `Predictions`, `LinkKeeper`, the machines of the engine); the actor holds them and carries out their effects.
///
/// One thing stays outside the queue: the gate check of a first message (`receive(_:over:)`). Anybody on the network
/// can send first messages as fast as the network carries them. In the queue they would delay every input behind them,
/// and the queue would grow with the flood; outside of it each costs one hash, and no more of them wait than the
/// listener holds links. What passes the gate is an input like any other.
///
/// **What this does not protect**: programs of the same user can ask a node anything; the addresses of a
/// network show which machine it is to everybody on it; a contact can pass on what its grant lets it see.
public actor Node {
    enum Life {
        case resting
        case running
        case stopped
    }

    // The edge.
    let contactOptions: ContactOptions
    let ports: NodePorts
    private let keeper: any ContentsKeeper
    private let inbox = Inbox()
    private let jobs: AsyncStream<@Sendable () async -> Void>
    private let submit: AsyncStream<@Sendable () async -> Void>.Continuation
    private let drivers: PortDrivers
    let feeds = NodeFeeds()
    let deviceKey: SecretBox<NoiseKeyPair>
    var randomness: NodeRandomness
    var channels: [SessionID: SessionChannel] = [:]

    // Decisions.
    var contents: VaultContents
    var saving = Saving<SaveFollowUp>()
    var clock: ClockWatch
    var book: ContactBook
    var recognition = RecognitionEngine()
    var recognitionWake: Tick?
    var predictions = Predictions()
    var technologies: [any LinkTechnology]
    var sessions: SessionTable
    var calls = Calls()
    var links = LinkKeeper()
    var responder: ConfirmResponder
    var refusedMessages: UInt64 = 0
    var firstContacts = FirstContacts()

    // Life.
    private(set) var life = Life.resting
    var isVisible: Bool
    private var isTaking = false
    private var hasStarted = false
    private var waitersForStart: [CheckedContinuation<Void, Never>] = []
    /// When the earliest of the timers under way ends.
    private var alarm: Tick?
    /// What is still to be said and closed when the node stops.
    private var farewells: [@Sendable () async -> Void] = []

    /// How often the clock is looked at when nothing else is due, in real milliseconds.
    private static let housekeeping: UInt64 = 60_000

    /// Creates a node at rest; nil when the contents hold no usable device key.
    ///
    /// - Parameters:
    ///   - contents: what the vault holds.
    ///   - keeper: where it is saved.
    ///   - ports: the way to everything else.
    ///   - isVisible: whether the node shows itself and looks for others; an invisible node emits nothing except for
    ///     an invitation that the user opens or accepts.
    ///   - trustsClock: whether the operator vouches for the clock, in this life of the node and no other.
    ///   - contactOptions: what the user wants of every contact: above all, when it has come and when it has left.
    public init?(
        contents: VaultContents, keeper: any ContentsKeeper, ports: NodePorts, isVisible: Bool = true,
        trustsClock: Bool = false, contactOptions: ContactOptions = ContactOptions()
    ) {
        guard let deviceKey = NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()) else { return nil }
        sessions = SessionTable(ownKey: deviceKey.publicKey)
        self.deviceKey = SecretBox(deviceKey)
        responder = ConfirmResponder(
            restoring: contents.answeredMessages.map { ReplayCache.Entry(epoch: $0.epoch, ephemeral: $0.ephemeral) })
        self.contents = contents
        self.keeper = keeper
        self.ports = ports
        self.isVisible = isVisible
        self.contactOptions = contactOptions
        clock = ClockWatch(
            latest: contents.latestAcceptedTime, isTrusted: trustsClock || contents.vouches.contains(.clock))
        randomness = NodeRandomness(ports.randomness)
        technologies = [LANTechnology(highWater: contents.highWaterEpoch, isVisible: isVisible)]
        book = ContactBook(contents.contacts)
        (jobs, submit) = AsyncStream.makeStream()
        drivers = PortDrivers(ports)
        let now = ports.clock.read()
        for contact in contents.contacts where !contact.isBlocked { feeds.begin(with: contact.user, at: now) }
    }

    /// Everything that happens, from now on; each use of the property is a subscription of its own.
    public nonisolated var events: NodeStream<NodeEvent> { feeds.events.subscribe() }

    /// Changes of the contacts' presence. A subscription begins with the current state of every contact.
    public nonisolated var presence: NodeStream<PresenceChange> { feeds.presence.subscribe() }

    /// Texts from contacts, from now on.
    public nonisolated var messages: NodeStream<ReceivedMessage> { feeds.messages.subscribe() }

    // MARK: Life

    /// Runs until `stop` is called or the task is cancelled; returns when nothing is emitted any more. Once in a life.
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

    /// Returns once `run` has judged the clock for the first time, or the node has stopped.
    public func started() async {
        guard !hasStarted else { return }
        await withCheckedContinuation { waitersForStart.append($0) }
    }

    /// Asks `run` to end.
    public nonisolated func stop() { inbox.post(.stop) }

    /// Shows the node, or makes it emit nothing at all: no service, no browsing, no connection.
    public nonisolated func setVisible(_ isVisible: Bool) { inbox.post(.visibility(isVisible)) }

    private func takeInputs() async {
        start()
        for await _ in inbox.arrivals {
            takeWaitingInputs()
            if life == .stopped { break }
        }
        // The task was cancelled.
        if life != .stopped { stopNow() }
        // What is said last must leave before everything else is cancelled.
        await withDiscardingTaskGroup { group in
            for farewell in farewells { group.addTask { await farewell() } }
        }
        farewells = []
        await carryOutSaves()
        drivers.finish()
        submit.finish()
    }

    private func start() {
        if life == .resting {
            life = .running
            let now = ports.clock.read()
            clock.start(at: now, slept: ports.clock.suspendedMilliseconds())
            let changes = ports.network.changes()
            spawn { [inbox] in for await _ in changes { inbox.post(.networkChanged) } }
            for contact in contents.contacts where !contact.isBlocked {
                recognise(.contactAdded(book.enroll(contact.user), contactOptions), at: now)
            }
            indexDevices()
            tell(.started)
            judgeTime()
            takeWaitingInputs()
            schedule()
        }
        hasStarted = true
        for waiter in waitersForStart { waiter.resume() }
        waitersForStart = []
    }

    private func stopNow() {
        life = .stopped
        perform(firstContacts.end(.stopped))
        tell(.stop)
        for technology in technologies { closeLinks(over: technology.id) }
    }

    // MARK: Inputs

    /// Puts an input behind those that wait, and takes all of them.
    func deliver(_ input: Input) {
        inbox.post(input)
        takeWaitingInputs()
    }

    /// Puts an input behind those that wait; for use within a step.
    func enqueue(_ input: Input) { inbox.post(input) }

    /// Takes every input that waits. No step waits, so none is ever interrupted by another.
    func takeWaitingInputs() {
        guard !isTaking else { return }
        isTaking = true
        while let input = inbox.next() { take(input) }
        isTaking = false
        schedule()
    }

    private func take(_ input: Input) {
        switch input {
        case .timer(let due):
            // A timer that was overtaken by an earlier one has nothing left to do.
            guard due == alarm, life == .running else { return }
            alarm = nil
            timerFired()
        case .networkChanged: tell(.networkChanged)
        case .visibility(let isVisible):
            self.isVisible = isVisible
            tell(.visibilityChanged(isVisible))
        case .stop: if life != .stopped { stopNow() }
        case .ports(let id, let outcome): tell(.ports(outcome), to: id)
        case .tableMade(let made, let number, let epoch):
            guard predictions.add(made, number: number, for: epoch) else { return }
            useTable(of: epoch)
        case .saved(let error): saved(error)
        case .handshake(let input): take(input)
        case .packet(let packet, let id): take(packet, in: id)
        case .linkEnded(let id): perform(sessions.linkEnded(id))
        case .request(let request): take(request)
        case .firstContactNeedsChanged: firstContactNeedsChanged()
        }
    }

    private func timerFired() {
        let now = ports.clock.read()
        if clock.hasSlept(ports.clock.suspendedMilliseconds()) { tell(.wokeUp) }
        tendInvitation()
        judgeTime()
        tell(.timerFired)
        if let due = recognitionWake, due <= now.tick {
            recognitionWake = nil
            recognise(.timerFired, at: now)
        }
        renew(links.timerFired(at: now))
        perform(sessions.timerFired(at: now.tick))
    }

    private func judgeTime() {
        let now = ports.clock.read()
        let judgement = clock.judge(ports.timeEvidence.evidence(), at: now)
        if let latest = judgement.latestToStore {
            contents.latestAcceptedTime = latest
            save()
        }
        switch judgement.verdict {
        case .accepted:
            renewCertificate(at: now)
            tell(.timeAccepted)
        case .refused(let refusal): tell(.timeRefused(refusal))
        }
    }

    private func renewCertificate(at now: ClockReading) {
        guard let period = Epoch(containing: now.unixSeconds)?.period else { return }
        do throws(CardError) {
            if try contents.renewCertificate(now: period) { save() }
        } catch {
            feeds.emit(.trouble(.certificateNotRenewed(error)))
        }
    }

    /// Starts a timer for what is due next. Timers under way that end later are left alone.
    private func schedule() {
        guard life == .running else { return }
        let reading = ports.clock.read()
        let due =
            technologies.compactMap(\.due)
            + [recognitionWake, links.due, sessions.due, firstContacts.invitation?.due(after: reading)]
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

    // MARK: Work beside the inputs

    /// Runs `job` beside everything else, until it ends or the node stops. Nothing is done beside a node at rest.
    func spawn(_ job: @escaping @Sendable () async -> Void) {
        if life == .running { submit.yield(job) }
    }

    /// Closes something beside the inputs, because a peer that reads nothing could hold them up; also when the node
    /// stops.
    func spawnClosing(_ job: @escaping @Sendable () async -> Void) {
        if life == .stopped { farewells.append(job) } else { spawn(job) }
    }

    /// Gives a command to the ports of a technology.
    func send(_ command: PortCommand) { drivers.send(command) }

    /// Saves until nothing wants a save; what is wanted during a save is served by the next one.
    func carryOutSaves() async {
        while let batch = saving.begin() {
            contents.answeredMessages = responder.authenticatedEntries.map {
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

    /// Puts a request into the queue and waits for its answer.
    ///
    /// A node at rest, or one that has stopped, runs nothing beside its inputs, so that the save that a change needs is
    /// carried out by the one who asks for it.
    func ask<Success: Sendable>(
        _ request: (Answer<Success>) -> Request
    ) async throws(NodeError) -> Success {
        let answer = Answer<Success>()
        deliver(.request(request(answer)))
        if life != .running { await carryOutSaves() }
        return try await answer.value().get()
    }

    /// The current period, or nil while the clock is not believed or shows a time after the end of the tree.
    var currentPeriod: Period? {
        clock.isAccepted ? Epoch(containing: ports.clock.read().unixSeconds)?.period : nil
    }
}
