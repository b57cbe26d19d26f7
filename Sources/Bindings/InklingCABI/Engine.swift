public import CInkling
internal import InklingEngine
internal import InklingKeys
internal import InklingWire

@c @implementation
public func inkling_engine_new(
    _ options: UnsafePointer<inkling_engine_options>?, _ engine: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(engine)
        var policy = RecognitionPolicy()
        if unsafe options != nil { try policy.take(try unsafe inkling_engine_options.read(options)) }
        out.set(try HandleTable.shared.add(Recognition(policy: policy)))
    }
}

@c @implementation
public func inkling_engine_next(
    _ engine: inkling_handle, _ effect: UnsafeMutablePointer<inkling_effect>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(effect)
        let next = try HandleTable.shared.with(engine, Recognition.self) { $0.next() }
        out.set { $0 = next ?? $0 }
    }
}

@c @implementation
public func inkling_engine_add(
    _ engine: inkling_handle, _ contact: UInt32, _ options: UnsafePointer<inkling_contact_options>?,
    _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        .contactAdded(ContactID(rawValue: contact), try unsafe contactOptions(options))
    }
}

@c @implementation
public func inkling_engine_remove(
    _ engine: inkling_handle, _ contact: UInt32, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ in .contactRemoved(ContactID(rawValue: contact)) }
}

@c @implementation
public func inkling_engine_hold(
    _ engine: inkling_handle, _ contact: UInt32, _ audienceKind: UInt32, _ audienceID: UInt64, _ devices: UInt16,
    _ tree: inkling_handle
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let audience = try heldAudience(audienceKind, audienceID)
        guard devices != 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
        let copy = try HandleTable.shared.with(tree, AudienceTree.self) { tree throws(Fault) in
            guard let periods = tree.interval, let from = Period(periods.lowerBound),
                let to = Period(periods.upperBound),
                let copy = tree.constrained(from: from, to: to)
            else { throw Fault(INKLING_NOT_HELD) }
            return SecretBox(copy)
        }
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            try engine.hold(
                HeldGrant(audience: audience, deviceBitmap: devices, tree: copy), of: ContactID(rawValue: contact))
        }
    }
}

@c @implementation
public func inkling_engine_prepare(
    _ engine: inkling_handle, _ epoch: UInt32, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        let epoch = try inRange(Epoch(epoch))
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            try engine.handle(.tableReplaced(engine.table(around: epoch)), at: now)
        }
    }
}

@c @implementation
public func inkling_engine_name_appeared(
    _ engine: inkling_handle, _ label: UnsafePointer<CChar>?, _ count: Int,
    _ observed: UnsafePointer<inkling_observed_time>?, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { now throws(Fault) in
        let observed = try unsafe observation(observed, now)
        guard let name = try unsafe serviceName(label, count) else { return nil }
        return .nameAppeared(name, observed: observed)
    }
}

@c @implementation
public func inkling_engine_name_vanished(
    _ engine: inkling_handle, _ label: UnsafePointer<CChar>?, _ count: Int, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        try unsafe serviceName(label, count).map { .nameVanished($0) }
    }
}

@c @implementation
public func inkling_engine_names_forgotten(
    _ engine: inkling_handle, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ in .namesForgotten }
}

@c @implementation
public func inkling_engine_advertisement(
    _ engine: inkling_handle, _ data: UnsafePointer<UInt8>?, _ count: Int, _ address: UInt64, _ rssi: Int8,
    _ observed: UnsafePointer<inkling_observed_time>?, _ now: UnsafePointer<inkling_clock>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let now = try unsafe reading(now)
        let address = try inRange(DeviceAddress(address))
        let observed = try unsafe observation(observed, now)
        let report = try unsafe withInput(data, count) { data throws(Fault) in try AdvertisingReport(parsing: data) }
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            if let beacon = report.beacon, beacon.proximity == .proximity {
                let sighting = BeaconSighting(beacon.minor, from: address, rssi: rssi, observed: observed)
                try engine.handle(.beaconHeard(sighting), at: now)
            }
            if report.hasOverflowBit { try engine.handle(.overflowHeard(address, observed: observed), at: now) }
        }
    }
}

@c @implementation
public func inkling_engine_beacon_heard(
    _ engine: inkling_handle, _ minor: UInt16, _ address: UInt64, _ rssi: Int8,
    _ observed: UnsafePointer<inkling_observed_time>?, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { now throws(Fault) in
        .beaconHeard(
            BeaconSighting(
                BeaconMinor(minor), from: try inRange(DeviceAddress(address)), rssi: rssi,
                observed: try unsafe observation(observed, now)))
    }
}

@c @implementation
public func inkling_engine_tag_read(
    _ engine: inkling_handle, _ tag: UnsafePointer<UInt8>?, _ count: Int, _ address: UInt64,
    _ observed: UnsafePointer<inkling_observed_time>?, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { now throws(Fault) in
        let octets = try unsafe withInput(tag, count) { Octets16($0) }
        guard count == 0 || octets != nil else { throw Fault(INKLING_WRONG_LENGTH) }
        return .tagRead(
            octets.map(RecognitionTag.init), try inRange(DeviceAddress(address)),
            observed: try unsafe observation(observed, now))
    }
}

@c @implementation
public func inkling_engine_reading_failed(
    _ engine: inkling_handle, _ address: UInt64, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in .readingFailed(try inRange(DeviceAddress(address))) }
}

@c @implementation
public func inkling_engine_radio_gap(
    _ engine: inkling_handle, _ milliseconds: UInt64, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        guard (1000...600_000).contains(milliseconds) else { throw Fault(INKLING_OUT_OF_RANGE) }
        return .radioGapChanged(.milliseconds(milliseconds))
    }
}

@c @implementation
public func inkling_engine_attempt_failed(
    _ engine: inkling_handle, _ attempt: UInt64, _ why: UInt32, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        let failure = try inRange(AttemptFailure(inkling_failure(why)))
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            try engine.fail(attempt: attempt, failure, at: now)
        }
    }
}

@c @implementation
public func inkling_engine_attempt_confirmed(
    _ engine: inkling_handle, _ attempt: UInt64, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            try engine.confirm(attempt: attempt, at: now)
        }
    }
}

@c @implementation
public func inkling_engine_confirmed(
    _ engine: inkling_handle, _ contact: UInt32, _ device: UInt8, _ role: UInt32,
    _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        let side: Role
        switch inkling_role(role) {
        case INKLING_ROLE_INITIATOR: side = .initiator
        case INKLING_ROLE_RESPONDER: side = .responder
        default: throw Fault(INKLING_OUT_OF_RANGE)
        }
        return .confirmed(ContactID(rawValue: contact), try inRange(DeviceIndex(device)), side)
    }
}

@c @implementation
public func inkling_engine_radio_crowded(
    _ engine: inkling_handle, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ in .radioCrowded }
}

@c @implementation
public func inkling_engine_links_closed(
    _ engine: inkling_handle, _ technology: UInt32, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        switch inkling_technology(technology) {
        case INKLING_TECHNOLOGY_NETWORK: .linksClosed(over: .network)
        case INKLING_TECHNOLOGY_RADIO: .linksClosed(over: .radio)
        default: throw Fault(INKLING_OUT_OF_RANGE)
        }
    }
}

@c @implementation
public func inkling_engine_session_heard(
    _ engine: inkling_handle, _ contact: UInt32, _ device: UInt8, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        .sessionHeard(ContactID(rawValue: contact), try inRange(DeviceIndex(device)))
    }
}

@c @implementation
public func inkling_engine_session_ended(
    _ engine: inkling_handle, _ contact: UInt32, _ device: UInt8, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ throws(Fault) in
        .sessionEnded(ContactID(rawValue: contact), try inRange(DeviceIndex(device)))
    }
}

@c @implementation
public func inkling_engine_timer_fired(
    _ engine: inkling_handle, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    unsafe event(engine, now) { _ in .timerFired }
}

@c @implementation
public func inkling_engine_state(
    _ engine: inkling_handle, _ contact: UInt32, _ now: UnsafePointer<inkling_clock>?,
    _ state: UnsafeMutablePointer<UInt32>?, _ posterior: UnsafeMutablePointer<UInt64>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let (state, posterior) = (try unsafe Out(state), try unsafe Out(posterior))
        let now = try unsafe reading(now)
        let known = try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            try engine.state(of: ContactID(rawValue: contact), at: now.tick)
        }
        state.set(known.state.number)
        posterior.set(known.posterior)
    }
}

/// Reads the clocks, then the event, and lets an engine handle it; a `nil` event does nothing.
private func event(
    _ engine: inkling_handle, _ now: UnsafePointer<inkling_clock>?,
    _ event: (ClockReading) throws(Fault) -> RecognitionEngine.Event?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        let event = try event(now)
        try HandleTable.shared.with(engine, Recognition.self) { engine throws(Fault) in
            if let event { try engine.handle(event, at: now) }
        }
    }
}

/// Reads the clocks passed by the caller.
func reading(_ pointer: UnsafePointer<inkling_clock>?) throws(Fault) -> ClockReading {
    let clock = try unsafe inkling_clock.read(pointer)
    return ClockReading(
        tick: Tick(milliseconds: clock.tick), unixMilliseconds: clock.unix_milliseconds, rate: clock.rate)
}

private func observation(
    _ pointer: UnsafePointer<inkling_observed_time>?, _ now: ClockReading
) throws(Fault) -> ObservedTime {
    guard unsafe pointer != nil else { return ObservedTime(at: now) }
    let observed = try unsafe inkling_observed_time.read(pointer)
    return ObservedTime(unixMilliseconds: observed.unix_milliseconds, uncertainty: .milliseconds(observed.uncertainty))
}

private func serviceName(_ label: UnsafePointer<CChar>?, _ count: Int) throws(Fault) -> OpaqueServiceName? {
    try unsafe withText(label, count) { OpaqueServiceName(parsing: $0) }
}

private func contactOptions(_ pointer: UnsafePointer<inkling_contact_options>?) throws(Fault) -> ContactOptions {
    var options = ContactOptions()
    guard unsafe pointer != nil else { return options }
    let given = try unsafe inkling_contact_options.read(pointer)
    guard given.prior <= 65_536, given.importance <= 100 else { throw Fault(INKLING_OUT_OF_RANGE) }
    if given.prior > 0 { options.prior = given.prior }
    if given.importance > 0 { options.importance = given.importance }
    options.arriveAfter = .milliseconds(given.arrive_after)
    if given.depart_after > 0 { options.departAfter = .milliseconds(given.depart_after) }
    return options
}

private func heldAudience(_ kind: UInt32, _ number: UInt64) throws(Fault) -> HeldAudience {
    switch inkling_audience_kind(kind) {
    case INKLING_AUDIENCE_GRANTED: return .granted(AudienceID(number))
    case INKLING_AUDIENCE_PAIR where number == 0: return .pair
    default: throw Fault(INKLING_OUT_OF_RANGE)
    }
}

extension AttemptFailure {
    fileprivate init?(_ why: inkling_failure) {
        switch why {
        case INKLING_FAILURE_UNREACHABLE: self = .unreachable
        case INKLING_FAILURE_SILENT: self = .silent
        case INKLING_FAILURE_REFUSED: self = .refused
        case INKLING_FAILURE_STRANGER: self = .stranger
        case INKLING_FAILURE_RESET: self = .reset
        default: return nil
        }
    }
}

extension RecognitionPolicy {
    fileprivate mutating func take(_ options: inkling_engine_options) throws(Fault) {
        if options.skew_seconds > 0 { skew = try inRange(SkewAllowance(seconds: UInt64(options.skew_seconds))) }
        if options.stale_after > 0 { staleAfter = .milliseconds(options.stale_after) }
        if options.depart_after > 0 { departAfter = .milliseconds(options.depart_after) }
        if options.attempts_per_minute > 0 { attemptsPerMinute = Int(options.attempts_per_minute) }
        if options.attempts_at_once > 0 { attemptsAtOnce = Int(options.attempts_at_once) }
        decoys = try inRange(UInt16(exactly: options.decoys))
    }
}

extension inkling_engine_options: Sized {
    static var leastSize: Int { 40 }
}

extension inkling_contact_options: Sized {
    static var leastSize: Int { 32 }
}

extension inkling_clock: Sized {
    static var leastSize: Int { 24 }
}

extension inkling_observed_time: Sized {
    static var leastSize: Int { 24 }
}

extension inkling_effect: Sized {
    static var leastSize: Int { 88 }
}
