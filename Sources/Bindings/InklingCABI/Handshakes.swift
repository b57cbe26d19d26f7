public import CInkling
internal import InklingKeys
internal import InklingWire

/// An outgoing call. `initiator` is `nil` once the reply was received.
private struct Call: ~Copyable, Sendable {
    let packet: [UInt8]
    var initiator: ConfirmInitiator?
}

/// An incoming call. `request` is `nil` once a reply was created.
private struct Request: ~Copyable, Sendable {
    let facts: inkling_request_facts
    var request: ConfirmRequest?

    init(_ request: consuming ConfirmRequest) {
        var facts = inkling_request_facts()
        facts.transport = UInt32(request.context.transport.rawValue)
        facts.introduction.fill(request.payload)
        facts.entry.epoch = request.entry.epoch.number
        write(request.entry.ephemeral, to: &facts.entry.ephemeral)
        write(request.peerKey, to: &facts.peer_key)
        facts.device = request.context.device.number
        self.facts = facts
        self.request = consume request
    }
}

@c @implementation
public func inkling_context_new(
    _ tree: inkling_handle, _ device: UInt8, _ epoch: UInt32, _ transport: UInt32,
    _ context: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(context)
        let (device, epoch) = (try inRange(DeviceIndex(device)), try inRange(Epoch(epoch)))
        let transport = try code(transport)
        let context = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            guard let key = tree.periodKey(epoch.period) else { throw Fault(INKLING_NOT_HELD) }
            return ConfirmContext(key.deviceKeys(device), device: device, epoch: epoch, transport: transport)
        }
        out.set(try HandleTable.shared.add(context))
    }
}

@c @implementation
public func inkling_call_new(
    _ context: inkling_handle, _ deviceKey: inkling_handle, _ responder: UnsafePointer<UInt8>?, _ responderCount: Int,
    _ introduction: UnsafePointer<inkling_introduction>?, _ call: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(call)
        let responder = try unsafe publicKey(responder, responderCount)
        let payload = ConfirmPayload(try unsafe inkling_introduction.read(introduction))
        let context = try borrowed(context, ConfirmContext.self)
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        var generator = Randomness()
        let initiator: ConfirmInitiator
        do throws(HandshakeError) {
            initiator = try ConfirmInitiator(
                context, deviceKey: deviceKey.value, responder: responder, payload: payload, using: &generator)
        } catch {
            throw Fault(error)
        }
        out.set(try HandleTable.shared.add(Call(packet: initiator.packet.bytes, initiator: initiator)))
    }
}

@c @implementation
public func inkling_call_packet(
    _ call: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let packet = try HandleTable.shared.with(call, Call.self) { $0.packet }
        try out.set(packet.span)
    }
}

@c @implementation
public func inkling_call_receive(
    _ call: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int, _ pairwise: inkling_handle,
    _ session: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(session)
        let secret = try shared(pairwise)
        let packet = try unsafe parsed(packet, count)
        let session = try HandleTable.shared.with(call, Call.self) { call throws(Fault) in
            guard let initiator = call.initiator.take() else { throw Fault(INKLING_SPENT) }
            var another: ConfirmInitiator? = initiator.duplicate()
            do throws(HandshakeError) {
                return Session(try initiator.receive(packet, pairwiseKey: secret.value), INKLING_USE_CONFIRM)
            } catch {
                // The same reply may open under another secret.
                if case .noise(message: 2, .decryptionFailed) = error { call.initiator = another.take() }
                throw Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(session))
    }
}

@c @implementation
public func inkling_responder_new(
    _ entries: UnsafePointer<inkling_replay_entry>?, _ count: Int, _ responder: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(responder)
        var restored: [ReplayCache.Entry] = []
        for entry in try unsafe list(entries, count, limit: 1 << 16) {
            let ephemeral = unsafe withUnsafeBytes(of: entry.ephemeral) { bytes in
                unsafe Octets32(Array(bytes).span)
            }
            restored.append(
                ReplayCache.Entry(epoch: try inRange(Epoch(entry.epoch)), ephemeral: try inRange(ephemeral)))
        }
        out.set(try HandleTable.shared.add(ConfirmResponder(restoring: restored)))
    }
}

@c @implementation
public func inkling_responder_forget(_ responder: inkling_handle, _ beforeEpoch: UInt32) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let epoch = try inRange(Epoch(beforeEpoch))
        try HandleTable.shared.with(responder, ConfirmResponder.self) { $0.forget(before: epoch) }
    }
}

@c @implementation
public func inkling_responder_receive(
    _ responder: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int,
    _ contexts: UnsafePointer<inkling_handle>?, _ contextCount: Int, _ deviceKey: inkling_handle, _ tick: UInt64,
    _ pairwiseOf: inkling_pairwise_of?, _ user: UnsafeMutableRawPointer?,
    _ request: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(request)
        guard let pairwiseOf = unsafe pairwiseOf else { throw Fault(INKLING_NULL_ARGUMENT) }
        var shown: [ConfirmContext] = []
        for handle in try unsafe list(contexts, contextCount, limit: 64) {
            shown.append(try borrowed(handle, ConfirmContext.self))
        }
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        let packet = try unsafe parsed(packet, count)
        var generator = Randomness()
        var fault: Fault?
        let request = try HandleTable.shared.with(responder, ConfirmResponder.self) { responder throws(Fault) in
            do throws(HandshakeError) {
                let request = try responder.receive(
                    packet, contexts: shown, deviceKey: deviceKey.value, at: tick, using: &generator
                ) { key in
                    let handle = key.withBytes { key in
                        unsafe key.withUnsafeBufferPointer { unsafe pairwiseOf($0.baseAddress, user) }
                    }
                    guard handle != 0 else { return nil }
                    do throws(Fault) {
                        return try shared(handle).value.duplicate()
                    } catch {
                        fault = error
                        return nil
                    }
                }
                return Request(request)
            } catch {
                throw fault ?? Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(request))
    }
}

@c @implementation
public func inkling_request_facts_of(
    _ request: inkling_handle, _ facts: UnsafeMutablePointer<inkling_request_facts>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        let known = try HandleTable.shared.with(request, Request.self) { $0.facts }
        out.set { $0 = known }
    }
}

@c @implementation
public func inkling_request_reply(
    _ request: inkling_handle, _ introduction: UnsafePointer<inkling_introduction>?,
    _ session: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(session)
        let payload = ConfirmPayload(try unsafe inkling_introduction.read(introduction))
        let session = try HandleTable.shared.with(request, Request.self) { held throws(Fault) in
            guard let request = held.request.take() else { throw Fault(INKLING_SPENT) }
            do throws(HandshakeError) {
                return Session(try request.reply(payload), INKLING_USE_CONFIRM)
            } catch {
                throw Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(session))
    }
}

/// Converts the number of a transport.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
func code(_ transport: UInt32) throws(Fault) -> Transport {
    try inRange(UInt8(exactly: transport).flatMap(Transport.init))
}

/// Parses a packet.
///
/// - Throws: the `PacketError` as a refusal.
func parsed(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> Packet {
    try unsafe withInput(start, count) { bytes throws(Fault) in
        do throws(PacketError) {
            return try Packet(parsing: bytes)
        } catch {
            throw Fault(error)
        }
    }
}

/// Copies a shared secret out of the handle table.
private func shared(_ handle: inkling_handle) throws(Fault) -> SecretBox<SecretBytes> {
    try HandleTable.shared.with(handle, SharedSecret.self) { SecretBox($0.bytes.duplicate()) }
}

extension Packet {
    /// The type byte and the body, as sent.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

extension ConfirmPayload {
    fileprivate init(_ introduction: inkling_introduction) {
        self.init(
            transports: TransportSet(rawValue: introduction.transports), generation: introduction.generation,
            unixMilliseconds: introduction.unix_milliseconds)
    }
}

extension inkling_introduction: Sized {
    static var leastSize: Int { 24 }

    mutating func fill(_ payload: ConfirmPayload) {
        size = UInt32(MemoryLayout<Self>.size)
        generation = payload.generation
        unix_milliseconds = payload.unixMilliseconds
        transports = payload.transports.rawValue
    }
}

extension inkling_request_facts: Sized {
    static var leastSize: Int { 104 }
}
