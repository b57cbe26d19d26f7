#if Node
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// The limits of links over GATT (`Specs/handshake.md`, `Specs/packets.md`).
    struct GATTLimits: Hashable, Sendable {
        /// The age at which a link without a confirmed session is closed. A failed link stays mute until then.
        var unauthenticatedLifetime: Duration = .seconds(10)
        /// The longest time to send a packet, from its first fragment to its last, before the link is closed.
        var writing: Duration = .seconds(30)
        /// The largest number of packet bytes waiting to be written; a link that exceeds it is closed.
        var unwrittenBytes = 65_536
        /// The largest number of received bytes that are not consumed yet; a link that exceeds it fails. Before the
        /// gate is passed, the limit is one packet.
        var unreadBytes = 262_144

        /// Creates the limits of the specification.
        init() {}
    }

    /// The logic of one link over GATT: reassembles packets, fragments packets, and mutes.
    ///
    /// Every refusal looks the same: the link is mute until its time is over, and is then closed. A link that this
    /// device accepted takes only first messages until its gate is passed.
    struct GATTLinkMachine: Sendable {
        /// The side that made the link.
        enum Side: Hashable, Sendable {
            case accepted
            case made
        }

        /// The number of a `receive` or `send` call.
        typealias Call = UInt64

        enum Event: Hashable, Sendable {
            /// A value was written to IN, or notified by OUT.
            case fragment([UInt8])
            /// The ATT MTU of the link, in bytes.
            case mtu(Int)
            /// A caller waits for the next packet, of at most `limit` bytes, until `deadline`.
            case receive(Call, limit: Int, deadline: Tick)
            /// The caller has given up.
            case cancelled(Call)
            /// A caller sends a packet.
            case send(Call, [UInt8])
            /// The system accepted the fragment of the last `write`.
            case written
            /// The system did not accept it.
            case writeFailed
            /// Message 1 has authenticated and will be answered.
            case gatePassed
            /// The session is confirmed.
            case authenticated
            /// Nothing is sent or read from now on.
            case mute
            /// This device closes the link.
            case close
            /// The link is gone.
            case lost
            /// The moment `due` was reached.
            case timerFired
        }

        enum Effect: Hashable, Sendable {
            /// Write this fragment, and report `written` or `writeFailed`.
            case write([UInt8])
            /// A `receive` completes with a packet.
            case received(Call, [UInt8])
            /// A `send` completes: every fragment was accepted.
            case sent(Call)
            /// A call fails.
            case failed(Call, LinkError)
            /// Disconnect the device. This is the last effect.
            case disconnect
        }

        private enum Phase: Hashable, Sendable {
            case open
            case mute
            case closed
        }

        private struct Waiting: Sendable {
            let call: Call
            let limit: Int
            let deadline: Tick
        }

        private struct Outgoing: Sendable {
            let call: Call
            let packet: Packet
            let deadline: Tick
            /// The remaining fragments, last first; `nil` until the first is written.
            var fragments: [[UInt8]]?
        }

        private let limits: GATTLimits
        private let end: Tick
        private let side: Side
        private var phase = Phase.open
        private var isPassed: Bool
        private var isAuthenticated = false
        private var mtu = Packet.mtuRange.lowerBound
        private var reassembler: FragmentReassembler
        /// The size of the incomplete packet in bytes, header included; 0 if there is none.
        private var partialBytes = 0
        private var inbox: [[UInt8]] = []
        private var unreadBytes = 0
        private var waiting: Waiting?
        private var outbox: [Outgoing] = []
        private var unwrittenBytes = 0
        private var isWriting = false

        /// Creates the machine of a link made at `now`.
        init(_ side: Side, limits: GATTLimits = GATTLimits(), at now: Tick) {
            self.side = side
            self.limits = limits
            end = now.advanced(by: limits.unauthenticatedLifetime)
            isPassed = side == .made
            reassembler = FragmentReassembler(
                accepting: side == .made ? Set(PacketType.allCases) : PacketType.firstMessages)
        }

        /// Whether the link counts as a stranger's.
        var isUnauthenticated: Bool { !isAuthenticated && phase != .closed }

        /// Whether the link is closed for good.
        var isClosed: Bool { phase == .closed }

        /// The time at which `timerFired` is due; `nil` while no timer runs.
        var due: Tick? {
            guard phase != .closed else { return nil }
            var moments: [Tick] = isAuthenticated ? [] : [end]
            if phase == .open {
                moments += [waiting?.deadline, outbox.first?.deadline].compactMap(\.self)
                if let partial = reassembler.deadline { moments.append(Tick(milliseconds: partial)) }
            }
            return moments.min()
        }

        /// Handles an event and returns the actions to carry out, in order.
        mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
            // Expire what is due first, so that no event is handled after its deadline.
            var effects = expire(at: now)
            switch event {
            case .fragment(let bytes): effects += take(bytes, at: now)
            case .mtu(let size): mtu = min(max(size, Packet.mtuRange.lowerBound), Self.largestMTU)
            case .receive(let call, let limit, let deadline):
                effects += receive(Waiting(call: call, limit: limit, deadline: deadline), at: now)
            case .cancelled(let call): if waiting?.call == call { effects += failWaiting(.closed) }
            case .send(let call, let bytes): effects += send(bytes, for: call, at: now)
            case .written: effects += written()
            case .writeFailed: effects += fail(with: .closed)
            case .gatePassed: pass()
            case .authenticated:
                guard phase == .open else { break }
                pass()
                isAuthenticated = true
            case .mute: if phase == .open { effects += silence(.closed) + expire(at: now) }
            case .close: effects += close()
            case .lost: effects += lose()
            case .timerFired: break
            }
            return effects
        }

        // An attribute value has at most 512 bytes, and BlueZ 5.66 counts the two bytes of the handle among them: it
        // silently drops longer writes.
        private static let largestMTU = 513

        private mutating func pass() {
            guard phase == .open, !isPassed else { return }
            isPassed = true
            reassembler.types = Set(PacketType.allCases)
        }

        // MARK: Receiving

        private mutating func take(_ bytes: [UInt8], at now: Tick) -> [Effect] {
            guard phase == .open else { return [] }
            // Before the gate is passed, nothing may follow the first message.
            guard isPassed || inbox.isEmpty, unreadBytes + partialBytes + bytes.count <= limits.unreadBytes else {
                return fail(with: .closed)
            }
            do throws(FragmentError) {
                let packet = try reassembler.append(bytes.span, at: now.milliseconds)
                partialBytes = max(partialBytes, 1) + bytes.count - 1
                guard let packet else { return offer() }
                partialBytes = 0
                var whole: [UInt8] = []
                packet.append(to: &whole)
                inbox.append(whole)
                unreadBytes += packet.byteCount
                return offer()
            } catch {
                return fail(with: .closed)
            }
        }

        private mutating func receive(_ caller: Waiting, at now: Tick) -> [Effect] {
            // Packets completed before the link was lost can still be received.
            guard phase == .open || !inbox.isEmpty, waiting == nil else { return [.failed(caller.call, .closed)] }
            waiting = caller
            return offer() + expire(at: now)
        }

        /// Completes the waiting `receive` if possible.
        private mutating func offer() -> [Effect] {
            guard let caller = waiting else { return [] }
            guard let next = inbox.first else {
                guard partialBytes > caller.limit else { return [] }
                return failWaiting(.oversized(announced: partialBytes, limit: caller.limit))
            }
            guard next.count <= caller.limit else {
                return failWaiting(.oversized(announced: next.count, limit: caller.limit))
            }
            waiting = nil
            inbox.removeFirst()
            unreadBytes -= next.count
            return [.received(caller.call, next)]
        }

        private mutating func failWaiting(_ error: LinkError) -> [Effect] {
            guard let caller = waiting else { return [] }
            waiting = nil
            return [.failed(caller.call, error)]
        }

        // MARK: Sending

        private mutating func send(_ bytes: [UInt8], for call: Call, at now: Tick) -> [Effect] {
            guard phase == .open else { return [.failed(call, .closed)] }
            guard bytes.count <= Packet.byteLimit else {
                return [.failed(call, .oversized(announced: bytes.count, limit: Packet.byteLimit))]
            }
            guard let packet = try? Packet(parsing: bytes.span) else { return [.failed(call, .closed)] }
            guard unwrittenBytes + bytes.count <= limits.unwrittenBytes else {
                return [.failed(call, .closed)] + close()
            }
            unwrittenBytes += bytes.count
            outbox.append(Outgoing(call: call, packet: packet, deadline: now.advanced(by: limits.writing)))
            return isWriting ? [] : writeNext()
        }

        /// Begins to write the next fragment. A packet is fragmented only when its turn comes, so that the current MTU
        /// applies.
        private mutating func writeNext() -> [Effect] {
            guard var first = outbox.first else { return [] }
            var fragments = first.fragments ?? first.packet.gattFragments(mtu: mtu).reversed()
            guard let fragment = fragments.popLast() else { return [] }
            first.fragments = fragments
            outbox[0] = first
            isWriting = true
            return [.write(fragment)]
        }

        private mutating func written() -> [Effect] {
            guard isWriting else { return [] }
            isWriting = false
            guard let first = outbox.first, let left = first.fragments else { return [] }
            guard left.isEmpty else { return writeNext() }
            outbox.removeFirst()
            unwrittenBytes -= first.packet.byteCount
            return [.sent(first.call)] + writeNext()
        }

        // MARK: The end

        private mutating func expire(at now: Tick) -> [Effect] {
            guard phase != .closed else { return [] }
            if !isAuthenticated, now >= end { return close() }
            guard phase == .open else { return [] }
            if let partial = reassembler.deadline, now.milliseconds >= partial { return fail(with: .timedOut) }
            if let first = outbox.first, now >= first.deadline { return fail(with: .timedOut) }
            if let caller = waiting, now >= caller.deadline { return failWaiting(.timedOut) }
            return []
        }

        /// Fails the link: a session ends with it; a stranger's link becomes mute.
        private mutating func fail(with error: LinkError) -> [Effect] {
            guard phase == .open else { return [] }
            return isAuthenticated ? close(failing: error) : silence(error)
        }

        private mutating func silence(_ error: LinkError) -> [Effect] {
            let effects = endCalls(error)
            phase = .mute
            isAuthenticated = false
            return effects
        }

        private mutating func close(failing error: LinkError = .closed) -> [Effect] {
            guard phase != .closed else { return [] }
            phase = .closed
            return endCalls(error) + [.disconnect]
        }

        private mutating func lose() -> [Effect] {
            guard phase != .closed else { return [] }
            // Complete packets can still be received, unless the link was mute.
            let (kept, bytes) = phase == .open ? (inbox, unreadBytes) : ([], 0)
            phase = .closed
            let effects = endCalls(.closed)
            (inbox, unreadBytes) = (kept, bytes)
            return effects
        }

        private mutating func endCalls(_ error: LinkError) -> [Effect] {
            var effects = failWaiting(error)
            effects += outbox.map { .failed($0.call, error) }
            outbox = []
            unwrittenBytes = 0
            inbox = []
            unreadBytes = 0
            partialBytes = 0
            reassembler = FragmentReassembler(accepting: [])
            return effects
        }
    }
#endif
