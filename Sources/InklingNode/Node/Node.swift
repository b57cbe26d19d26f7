internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingSession

/// Runs the decisions of the engine against the world: one node, from its vault to its contacts.
///
/// All state lives here. Inputs are taken one after the other, so that a decision and what follows from it are never
/// interleaved with the next; packets of strangers are looked at outside that order and cost one hash each.
///
/// **What this does not protect**: whoever runs code as the same user can ask a node anything; the addresses of a
/// network show which machine it is to everybody on it; a contact can pass on what its grant lets it see.
public actor Node {
    /// What happens, for a single consumer; the oldest events are dropped when nobody listens.
    public nonisolated let events: AsyncStream<NodeEvent>

    let emit: AsyncStream<NodeEvent>.Continuation
    let ports: NodePorts
    let keeper: any ContentsKeeper
    var contents: VaultContents
    private let trustsClock: Bool
    var randomness: any RandomNumberGenerator & Sendable

    // Decisions.
    var recognition = RecognitionEngine()
    var rotation: RotationMachine
    var time: AcceptedTime
    var roster = Roster()
    var table = PredictedTable()
    /// Tables in the making or made, for the epochs to come.
    var preparedTables: [Epoch: PreparedTable] = [:]
    var preparationCount: UInt64 = 0
    /// The contacts' keys of the hour of which something was derived last; they spare the walk down every tree.
    var hourKeys: HourKeys?
    /// Whose device a Noise key is, for every valid certificate of every contact.
    var knownDevices: [Octets32: KnownDevice] = [:]
    /// Contacts' cards whose signatures have been checked.
    var cards: [UserID: ContactCard] = [:]
    var isTimeAccepted = false

    // What is on the network.
    var ownEpochs: [OwnEpoch] = []
    var listener: (any LinkListener)?
    var discovery: (any DiscoverySession)?
    var discoveryNumber = 0
    var visibleEpoch: Epoch?
    var silence: NodeEvent.SilenceReason?
    var rendezvous: Rendezvous?
    /// How many invitations of others are being accepted, for which a server may be open too.
    var acceptances = 0
    var isVisible: Bool
    /// Counts the boundaries at which links were closed: a handshake that began before one must not end after it.
    var round = 0
    var calls: [UInt64: any Link] = [:]
    var callCount: UInt64 = 0

    // Handshakes and sessions.
    let deviceKey: SecretBox<NoiseKeyPair>
    var responder: ConfirmResponder
    var refusedMessages: UInt64 = 0
    var searches: [OpaqueServiceName: [CheckedContinuation<[Endpoint], Never>]] = [:]
    var sessions: [SessionID: Session] = [:]
    var sessionCount: UInt64 = 0

    // Inputs, jobs and timers.
    private let inbox: AsyncStream<Input>
    private let deliver: AsyncStream<Input>.Continuation
    private let jobs: AsyncStream<@Sendable () async -> Void>
    private let submit: AsyncStream<@Sendable () async -> Void>.Continuation
    private var hasStarted = false
    private var waitersForStart: [CheckedContinuation<Void, Never>] = []
    /// When the earliest of the timers under way ends.
    private var alarm: Tick?
    var rotationWake: Tick?
    var recognitionWake: Tick?
    /// By how many milliseconds contacts' clocks were ahead of ours at the last handshake, by their own account.
    var clockOffsets: [UserID: Int64] = [:]
    var reachability: [UserID: Reachability] = [:]
    var reconnection = Reconnection<KnownDevice, Endpoint>(policy: Node.reconnectionPolicy)
    var reconnectionWake: Tick?
    /// The devices whose links are made anew when they are lost.
    var linkedDevices: [KnownDevice: LinkedDevice] = [:]
    /// When to try again to show what could not be shown.
    var retryWake: Tick?
    var isStopped = false

    // Saving: one at a time, always the contents of that moment, so that an older state never replaces a newer one.
    private var isSaving = false
    private var savers: [CheckedContinuation<Void, Never>] = []
    /// Whether the high-water mark in the contents has been stored.
    var isHighWaterStored = true
    var sleptMilliseconds: UInt64 = 0

    /// How often the clock is looked at when nothing else is due, in real milliseconds.
    private static let housekeeping: UInt64 = 60_000
    /// A machine that was away for longer than this has slept.
    private static let sleepThreshold: UInt64 = 5000
    /// How long after a failure to show anything it is tried again, in real milliseconds.
    static let retryInterval: UInt64 = 15_000

    /// Something that happened, to be taken in order.
    enum Input: Sendable {
        case timer(Tick)
        case turn(@Sendable (isolated Node) async -> Void)
        case networkChanged
        case visibility(Bool)
        case publicationChanged
        case stop
    }

    /// A node at rest; nil when the contents hold no usable device key.
    ///
    /// - Parameters:
    ///   - contents: what the vault holds.
    ///   - keeper: where it is saved.
    ///   - ports: the way to everything else.
    ///   - isVisible: whether the node shows itself and looks for others; an invisible node emits nothing except for
    ///     an invitation that the user opens or accepts.
    ///   - trustsClock: whether the operator vouches for the clock, in this life of the node and no other.
    public init?(
        contents: VaultContents, keeper: any ContentsKeeper, ports: NodePorts, isVisible: Bool = true,
        trustsClock: Bool = false
    ) {
        guard let deviceKey = NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()) else { return nil }
        self.deviceKey = SecretBox(deviceKey)
        responder = ConfirmResponder(
            restoring: contents.answeredMessages.map { ReplayCache.Entry(epoch: $0.epoch, ephemeral: $0.ephemeral) })
        self.contents = contents
        self.trustsClock = trustsClock || contents.vouches.contains(.clock)
        self.keeper = keeper
        self.ports = ports
        self.isVisible = isVisible
        randomness = ports.randomness
        silence = isVisible ? .gap : .invisible
        rotation = RotationMachine(highWater: contents.highWaterEpoch, isVisible: isVisible)
        time = AcceptedTime(latest: contents.latestAcceptedTime)
        (events, emit) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        (inbox, deliver) = AsyncStream.makeStream()
        (jobs, submit) = AsyncStream.makeStream()
        for contact in contents.contacts { roster.enroll(contact.user) }
    }

    /// Runs until `stop` is called or the task is cancelled; returns when nothing is emitted any more. Once in a life.
    public func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.takeInputs() }
                for await job in jobs { group.addTask { await job() } }
                group.cancelAll()
            }
            emit.finish()
        } onCancel: {
            deliver.yield(.stop)
        }
    }

    /// Returns once `run` has judged the clock for the first time, or the node has stopped.
    public func started() async {
        guard !hasStarted else { return }
        await withCheckedContinuation { waitersForStart.append($0) }
    }

    /// Asks `run` to end.
    public nonisolated func stop() { deliver.yield(.stop) }

    /// Shows the node, or makes it emit nothing at all: no service, no browsing, no connection.
    public nonisolated func setVisible(_ isVisible: Bool) { deliver.yield(.visibility(isVisible)) }

    /// Runs `job` beside everything else, until it ends or the node stops.
    func spawn(_ job: @escaping @Sendable () async -> Void) { submit.yield(job) }

    /// Puts an input behind those that wait already.
    func enqueue(_ input: Input) { deliver.yield(input) }

    /// Does something between two inputs and waits for it; not to be used from within an input.
    func inTurn<Result: Sendable>(
        _ body: @escaping @Sendable (isolated Node) async -> Result
    ) async throws(NodeError) -> Result {
        guard !isStopped else { throw .stopped }
        let result = await withCheckedContinuation { waiter in
            enqueue(
                .turn { node in
                    guard !node.isStopped else { return waiter.resume(returning: Result?.none) }
                    waiter.resume(returning: await body(node))
                })
        }
        guard let result else { throw .stopped }
        return result
    }

    // MARK: Inputs

    private func takeInputs() async {
        await start()
        for await input in inbox {
            if case .stop = input { break }
            await take(input)
            schedule()
        }
        isStopped = true
        await shutDown()
        deliver.finish()
        // Whoever still waits for a turn is told that there is none any more.
        for await input in inbox { if case .turn(let body) = input { await body(self) } }
        submit.finish()
    }

    private func start() async {
        let now = ports.clock.read()
        sleptMilliseconds = ports.clock.suspendedMilliseconds()
        if trustsClock { time.vouch(at: now) }
        let changes = ports.network.changes()
        spawn { [weak self] in for await _ in changes { await self?.enqueue(.networkChanged) } }
        for id in roster.ids { recognise(.contactAdded(id), at: now) }
        indexDevices()
        await perform(rotation.handle(.started, at: now, using: &randomness))
        await judgeTime(at: now)
        schedule()
        hasStarted = true
        for waiter in waitersForStart { waiter.resume() }
        waitersForStart = []
    }

    private func take(_ input: Input) async {
        let now = ports.clock.read()
        switch input {
        case .timer(let due):
            // A timer that was overtaken by an earlier one has nothing left to do.
            guard due == alarm else { return }
            alarm = nil
            await timerFired(at: now)
        case .networkChanged:
            await perform(rotation.handle(.networkChanged, at: now, using: &randomness), because: .networkChanged)
        case .visibility(let isVisible):
            self.isVisible = isVisible
            await perform(
                rotation.handle(.visibilityChanged(isVisible: isVisible), at: now, using: &randomness),
                because: isVisible ? .gap : .invisible)
            if !isVisible { fallSilent(.invisible) }
            // An invitation stays open whether its owner is visible or not.
            await republish()
        case .turn(let body): await body(self)
        case .publicationChanged: await republish()
        case .stop: break
        }
    }

    /// Takes what a discovery session reports. An earlier one may still report when it is gone already.
    func take(_ event: DiscoveryEvent, from session: Int) async {
        guard session == discoveryNumber else { return }
        let now = ports.clock.read()
        switch event {
        case .established: break
        case .appeared(let name):
            guard !ownEpochs.contains(where: { $0.name == name }) else { return }
            recognise(.nameAppeared(name, observed: Observation(at: now)), at: now)
        case .vanished(let name): recognise(.nameVanished(name), at: now)
        case .resolved(let name, let endpoints): finishSearches(for: name, with: endpoints)
        case .unresolved(let name): finishSearches(for: name, with: [])
        case .conflict:
            await perform(rotation.handle(.nameConflict, at: now, using: &randomness), because: .conflict)
        case .failed(let error):
            await goQuiet(goodbye: false, because: .discovery(error))
            // What an invitation needs is opened again, and the rest after a fresh gap.
            await perform(
                rotation.handle(.networkChanged, at: now, using: &randomness), because: .discovery(error))
            enqueue(.publicationChanged)
        }
    }

    private func timerFired(at now: ClockReading) async {
        let slept = ports.clock.suspendedMilliseconds()
        if slept > sleptMilliseconds + Self.sleepThreshold {
            await perform(rotation.handle(.wokeUp, at: now, using: &randomness))
        }
        sleptMilliseconds = slept
        await judgeTime(at: now)
        if let due = rotationWake, due <= now.tick {
            rotationWake = nil
            await perform(rotation.handle(.timerFired, at: now, using: &randomness))
        }
        if let due = retryWake, due <= now.tick {
            retryWake = nil
            // The reason for the silence stays the same until something is shown.
            await perform(
                rotation.handle(.networkChanged, at: now, using: &randomness), because: silence ?? .gap)
        }
        if let due = recognitionWake, due <= now.tick {
            recognitionWake = nil
            recognise(.timerFired, at: now)
        }
        if let due = reconnectionWake, due <= now.tick {
            reconnectionWake = nil
            reconnect(.timerFired)
        }
        await tendRendezvous(at: now)
    }

    private func judgeTime(at now: ClockReading) async {
        let evidence = ports.timeEvidence.evidence()
        let judgement = time.judge(
            AcceptedTime.Evidence(
                reading: now, kernelMaximumError: evidence.kernelMaximumError, batteryClock: evidence.batteryClock))
        if let latest = judgement.latestToStore {
            contents.latestAcceptedTime = latest
            await save()
        }
        isTimeAccepted = judgement.verdict == .accepted
        switch judgement.verdict {
        case .accepted:
            await renewCertificate(at: now)
            await perform(rotation.handle(.timeAccepted, at: now, using: &randomness))
        case .refused(let refusal):
            await perform(
                rotation.handle(.timeRefused, at: now, using: &randomness), because: .clock(refusal))
            if isVisible { fallSilent(.clock(refusal)) }
        }
    }

    /// Sees to it that a timer ends when something is due next. Timers under way that end later are left alone.
    func schedule() {
        let reading = ports.clock.read()
        let now = reading.tick
        let due = [rotationWake, recognitionWake, reconnectionWake, retryWake, rendezvousWake(after: reading)]
            .compactMap { $0 }.min()
        let latest = now.advanced(byMilliseconds: Self.housekeeping)
        let next = min(due ?? latest, latest)
        guard alarm.map({ next < $0 }) != false else { return }
        alarm = next
        spawn { [clock = ports.clock, deliver] in
            do { try await clock.sleep(until: next) } catch { return }
            deliver.yield(.timer(next))
        }
    }

    private func shutDown() async {
        await goQuiet(goodbye: false, because: .stopped)
        endRendezvous(.stopped)
        // Not by jobs: there may be nobody any more who runs them.
        let farewells = openSessions.compactMap { endSession($0.id, sayingClose: true) }
        await withDiscardingTaskGroup { group in
            for farewell in farewells { group.addTask { await farewell() } }
        }
        await closeLinks()
    }

    // MARK: What everything here uses

    /// Says once why nothing is shown.
    func fallSilent(_ reason: NodeEvent.SilenceReason) {
        visibleEpoch = nil
        let before = silence
        silence = reason
        if before?.isSame(as: reason) != true { emit.yield(.silent(reason)) }
    }

    /// Saves the contents; a failure is reported, and the node goes on with what it has in memory.
    ///
    /// - Returns: the failure, if any.
    @discardableResult
    func save() async -> VaultError? {
        do throws(VaultError) {
            try await persist()
            return nil
        } catch {
            emit.yield(.trouble(.notSaved(error)))
            return error
        }
    }

    /// Saves the contents as they are when it is their turn.
    func persist() async throws(VaultError) {
        while isSaving { await withCheckedContinuation { savers.append($0) } }
        isSaving = true
        defer {
            isSaving = false
            for waiter in savers { waiter.resume() }
            savers = []
        }
        contents.answeredMessages = responder.authenticatedEntries.map {
            AnsweredMessage(epoch: $0.epoch, ephemeral: $0.ephemeral)
        }
        try await keeper.save(contents)
    }

    /// The current hour, or nil while the clock is not believed or shows a time after the end of the tree.
    var currentPeriod: Period? {
        isTimeAccepted ? Epoch(containing: ports.clock.read().unixSeconds)?.period : nil
    }

    private func renewCertificate(at now: ClockReading) async {
        guard let period = Epoch(containing: now.unixSeconds)?.period else { return }
        do throws(CardError) {
            if try contents.renewCertificate(now: period) { await save() }
        } catch {
            emit.yield(.trouble(.certificateNotRenewed(error)))
        }
    }
}
