internal import InklingEngine
internal import InklingKeys
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
    var preparedTables: [Epoch: PredictedTable] = [:]
    /// Whose device a Noise key is, for every valid certificate of every contact.
    var knownDevices: [Octets32: KnownDevice] = [:]
    var isTimeAccepted = false

    // What is on the network.
    var ownEpochs: [OwnEpoch] = []
    var listener: (any LinkListener)?
    var discovery: (any DiscoverySession)?
    var discoveryNumber = 0
    var visibleEpoch: Epoch?
    var silence: NodeEvent.SilenceReason?
    var rendezvous: Rendezvous?

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
    private var timer: Task<Void, Never>?
    private var hasStarted = false
    private var waitersForStart: [CheckedContinuation<Void, Never>] = []
    var rotationWake: Tick?
    var recognitionWake: Tick?
    var sleptMilliseconds: UInt64 = 0

    /// How often the clock is looked at when nothing else is due, in real milliseconds.
    private static let housekeeping: UInt64 = 60_000
    /// A machine that was away for longer than this has slept.
    private static let sleepThreshold: UInt64 = 5000

    /// Something that happened, to be taken in order.
    enum Input: Sendable {
        case timer
        case timersChanged
        case discovery(DiscoveryEvent, session: Int)
        case networkChanged
        case visibility(Bool)
        case publicationChanged
        case stop
    }

    /// A node at rest.
    ///
    /// - Parameters:
    ///   - contents: what the vault holds.
    ///   - keeper: where it is saved.
    ///   - isVisible: whether the node shows itself and looks for others; an invisible node emits nothing except for
    ///     an invitation that the user opens or accepts.
    ///   - trustsClock: whether the operator vouches for the clock, in this life of the node and no other.
    /// - Returns: nil when the contents hold no usable device key.
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
        randomness = ports.randomness
        silence = isVisible ? .gap : .asked
        rotation = RotationMachine(highWater: contents.highWaterEpoch, isVisible: isVisible)
        time = AcceptedTime(latest: contents.latestAcceptedTime)
        (events, emit) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        (inbox, deliver) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
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

    // MARK: Inputs

    private func takeInputs() async {
        await start()
        for await input in inbox {
            if case .stop = input { break }
            await take(input)
            schedule()
        }
        await shutDown()
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
        case .timer: await timerFired(at: now)
        case .networkChanged: await perform(rotation.handle(.networkChanged, at: now, using: &randomness))
        case .visibility(let isVisible):
            await perform(rotation.handle(.visibilityChanged(isVisible: isVisible), at: now, using: &randomness))
        case .discovery(let event, let number):
            // An earlier server may still report when it is gone already.
            if number == discoveryNumber { await take(event, at: now) }
        case .publicationChanged: await republish()
        case .timersChanged, .stop: break
        }
    }

    private func take(_ event: DiscoveryEvent, at now: ClockReading) async {
        switch event {
        case .established: break
        case .appeared(let name):
            guard !ownEpochs.contains(where: { $0.name == name }) else { return }
            recognise(.nameAppeared(name, observed: Observation(at: now)), at: now)
        case .vanished(let name): recognise(.nameVanished(name), at: now)
        case .resolved(let name, let endpoints): finishSearches(for: name, with: endpoints)
        case .unresolved(let name): finishSearches(for: name, with: [])
        case .conflict:
            await perform(rotation.handle(.nameConflict, at: now, using: &randomness))
            fallSilent(.conflict)
        case .failed(let error):
            await perform(rotation.handle(.networkChanged, at: now, using: &randomness))
            fallSilent(.discovery(error))
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
        if let due = recognitionWake, due <= now.tick {
            recognitionWake = nil
            recognise(.timerFired, at: now)
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
            await perform(rotation.handle(.timeRefused, at: now, using: &randomness))
            fallSilent(.clock(refusal))
        }
    }

    private func schedule() {
        let now = ports.clock.read().tick
        let due = [rotationWake, recognitionWake].compactMap { $0 }.min()
        let latest = now.advanced(byMilliseconds: Self.housekeeping)
        let next = min(due ?? latest, latest)
        timer?.cancel()
        timer = Task { [clock = ports.clock, deliver] in
            do { try await clock.sleep(until: next) } catch { return }
            deliver.yield(.timer)
        }
    }

    private func shutDown() async {
        timer?.cancel()
        await goQuiet(goodbye: false, because: .asked)
        endRendezvous(.stopped)
        for id in Array(sessions.keys) {
            guard let farewell = endSession(id, sayingClose: true) else { continue }
            await farewell()
        }
        await listener?.close()
        listener = nil
    }

    // MARK: What everything here uses

    /// Says once why nothing is shown.
    func fallSilent(_ reason: NodeEvent.SilenceReason) {
        visibleEpoch = nil
        guard silence != reason else { return }
        silence = reason
        emit.yield(.silent(reason))
    }

    /// Saves the contents; a failure is reported, and the node goes on with what it has in memory.
    @discardableResult
    func save() async -> Bool {
        contents.answeredMessages = responder.authenticatedEntries.map {
            AnsweredMessage(epoch: $0.epoch, ephemeral: $0.ephemeral)
        }
        do throws(VaultError) {
            try await keeper.save(contents)
            return true
        } catch {
            emit.yield(.trouble(.notSaved(error)))
            return false
        }
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
