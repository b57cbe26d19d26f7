#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import Synchronization

    /// A link over GATT: its machine, the waiting callers and its timer.
    ///
    /// Only one `receive` may be pending. A cancelled `receive` throws `closed`; the link stays usable.
    final class GATTLink: TaggedLink {
        /// The requests of a link to the side that made or accepted it. None may block.
        struct Actions: Sendable {
            /// Writes a fragment, and then reports `written` or `writeFailed`.
            let write: @Sendable (GATTLink, [UInt8]) -> Void
            /// Disconnects the device: the link has closed itself.
            let disconnect: @Sendable (GATTLink) -> Void
            /// Notes that message 1 has authenticated, or that the session is confirmed.
            let promoted: @Sendable (GATTLink, GATTLinkMachine.Event) -> Void
            /// Reads the tag of the device.
            let readTag: @Sendable (GATTLink, Duration) async -> Result<RecognitionTag, LinkError>
        }

        private typealias Completion = @Sendable (Result<[UInt8], LinkError>) -> Void

        private struct State {
            var machine: GATTLinkMachine
            var callers: [GATTLinkMachine.Call: Completion] = [:]
            /// Calls cancelled before they began.
            var cancelled: Set<GATTLinkMachine.Call> = []
            var count: GATTLinkMachine.Call = 0
            var timer: (due: Tick, task: Task<Void, Never>)?
        }

        /// The device's name at the side that made or accepted the link.
        let device: String
        let route: LinkRoute
        private let actions: Actions
        private let clock: any NodeClock
        private let state: Mutex<State>

        init(
            _ device: String, address: DeviceAddress, _ side: GATTLinkMachine.Side, limits: GATTLimits,
            clock: any NodeClock, actions: Actions
        ) {
            self.device = device
            self.clock = clock
            self.actions = actions
            route = .device(address)
            state = Mutex(State(machine: GATTLinkMachine(side, limits: limits, at: clock.tick)))
            arm()
        }

        /// Whether the link has ended.
        var isClosed: Bool { state.withLock { $0.machine.isClosed } }

        func receive(upTo limit: Int, within timeout: Duration) async throws(LinkError) -> [UInt8] {
            let call = nextCall()
            return try await withTaskCancellationHandler {
                await result(of: call) { .receive(call, limit: limit, deadline: $0.advanced(by: timeout)) }
            } onCancel: {
                let wasRunning = state.withLock { state in
                    let isRunning = state.callers[call] != nil
                    if !isRunning { state.cancelled.insert(call) }
                    return isRunning
                }
                if wasRunning { handle(.cancelled(call)) }
            }.get()
        }

        /// Sends one packet; returns when the system has taken all of it.
        ///
        /// - Throws: `LinkError.closed` for an invalid packet; `timedOut`, `oversized`.
        func send(_ packet: [UInt8]) async throws(LinkError) {
            let call = nextCall()
            _ = try await result(of: call) { _ in .send(call, packet) }.get()
        }

        /// Reads the tag; throws `closed` on an accepted link.
        func readTag(within timeout: Duration) async throws(LinkError) -> RecognitionTag {
            guard !isClosed else { throw .closed }
            return try await actions.readTag(self, timeout).get()
        }

        func markGatePassed() async {
            actions.promoted(self, .gatePassed)
            handle(.gatePassed)
        }

        func markAuthenticated() async {
            actions.promoted(self, .authenticated)
            handle(.authenticated)
        }

        /// Discards arriving data until ten seconds after the link was made, then disconnects.
        func mute() async { handle(.mute) }

        func close() async { handle(.close) }

        /// Handles an event, on any thread. Events from one thread are handled in order.
        func handle(_ event: GATTLinkMachine.Event) {
            let (effects, callers) = state.withLock { state in
                let effects = state.machine.handle(event, at: clock.tick)
                return (effects, effects.map { $0.call.flatMap { state.callers.removeValue(forKey: $0) } })
            }
            for (effect, caller) in zip(effects, callers) {
                switch effect {
                case .received(_, let packet): caller?(.success(packet))
                case .sent: caller?(.success([]))
                case .failed(_, let error): caller?(.failure(error))
                case .write(let fragment): actions.write(self, fragment)
                case .disconnect: actions.disconnect(self)
                }
            }
            arm()
        }

        private func nextCall() -> GATTLinkMachine.Call {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }

        private func result(
            of call: GATTLinkMachine.Call, _ event: (Tick) -> GATTLinkMachine.Event
        ) async -> Result<[UInt8], LinkError> {
            let result = await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(call) != nil { return true }
                    state.callers[call] = { continuation.resume(returning: $0) }
                    return false
                }
                guard !isCancelled else { return continuation.resume(returning: .failure(LinkError.closed)) }
                handle(event(clock.tick))
            }
            state.withLock { _ = $0.cancelled.remove(call) }
            return result
        }

        /// Sets the timer for the machine's next deadline.
        private func arm() {
            let ended = state.withLock { state -> Task<Void, Never>? in
                let due = state.machine.due
                guard due != state.timer?.due else { return nil }
                let ended = state.timer?.task
                state.timer = due.map { due in
                    let task = Task { [weak self, clock] in
                        guard (try? await clock.sleep(until: due)) != nil else { return }
                        self?.timerFired(due)
                    }
                    return (due, task)
                }
                return ended
            }
            ended?.cancel()
        }

        private func timerFired(_ due: Tick) {
            state.withLock { if $0.timer?.due == due { $0.timer = nil } }
            handle(.timerFired)
        }
    }

    extension GATTLinkMachine.Effect {
        /// The call that this effect completes.
        fileprivate var call: GATTLinkMachine.Call? {
            switch self {
            case .received(let call, _), .sent(let call), .failed(let call, _): call
            case .write, .disconnect: nil
            }
        }
    }
#endif
