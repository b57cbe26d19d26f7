public import CInkling
internal import InklingEngine
internal import InklingKeys

/// A rotation machine, and the turns that the caller has not taken yet.
private struct Rotation: Sendable {
    private var machine: RotationMachine
    private var turns: [inkling_turn] = []

    init(highWater: Epoch?, isVisible: Bool) {
        machine = RotationMachine(highWater: highWater, isVisible: isVisible)
    }

    /// Handles an event.
    ///
    /// - Throws: `INKLING_FULL` while turns are waiting: the machine assumes that the caller has carried them out.
    mutating func take(_ event: RotationMachine.Event, at now: ClockReading) throws(Fault) {
        guard turns.isEmpty else { throw Fault(INKLING_FULL) }
        var generator = Randomness()
        // Reversed, so that `popLast` returns the next one.
        turns = machine.handle(event, at: now, using: &generator).map(inkling_turn.init).reversed()
    }

    mutating func next() -> inkling_turn { turns.popLast() ?? inkling_turn() }

    var shown: Epoch? { machine.shown }
}

@c @implementation
public func inkling_rotation_new(
    _ highWater: UnsafePointer<UInt32>?, _ isVisible: UInt32, _ rotation: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(rotation)
        let isVisible = try flag(isVisible)
        var epoch: Epoch?
        if unsafe highWater != nil { epoch = try inRange(Epoch(try unsafe check(highWater).pointee)) }
        out.set(try HandleTable.shared.add(Rotation(highWater: epoch, isVisible: isVisible)))
    }
}

@c @implementation
public func inkling_rotation_take(
    _ rotation: inkling_handle, _ event: UInt32, _ now: UnsafePointer<inkling_clock>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let now = try unsafe reading(now)
        let event = try inRange(RotationMachine.Event(inkling_rotation_event(event)))
        try HandleTable.shared.with(rotation, Rotation.self) { rotation throws(Fault) in
            try rotation.take(event, at: now)
        }
    }
}

@c @implementation
public func inkling_rotation_next(
    _ rotation: inkling_handle, _ turn: UnsafeMutablePointer<inkling_turn>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(turn)
        let next = try HandleTable.shared.with(rotation, Rotation.self) { $0.next() }
        out.set { $0 = next }
    }
}

@c @implementation
public func inkling_rotation_shown(
    _ rotation: inkling_handle, _ epoch: UnsafeMutablePointer<UInt32>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(epoch)
        let shown = try HandleTable.shared.with(rotation, Rotation.self) { $0.shown }
        guard let shown else { throw Fault(INKLING_UNKNOWN) }
        out.set(shown.number)
    }
}

extension RotationMachine.Event {
    fileprivate init?(_ number: inkling_rotation_event) {
        switch number {
        case INKLING_ROTATION_STARTED: self = .started
        case INKLING_ROTATION_TIME_ACCEPTED: self = .timeAccepted
        case INKLING_ROTATION_TIME_REFUSED: self = .timeRefused
        case INKLING_ROTATION_TIMER_FIRED: self = .timerFired
        case INKLING_ROTATION_NETWORK_CHANGED: self = .networkChanged
        case INKLING_ROTATION_VISIBLE: self = .visibilityChanged(isVisible: true)
        case INKLING_ROTATION_INVISIBLE: self = .visibilityChanged(isVisible: false)
        case INKLING_ROTATION_FALLING_ASLEEP: self = .fallingAsleep
        case INKLING_ROTATION_WOKE_UP: self = .wokeUp
        case INKLING_ROTATION_HIGH_WATER_CLEARED: self = .highWaterCleared
        default: return nil
        }
    }
}

extension inkling_turn {
    fileprivate init(_ effect: RotationMachine.Effect) {
        self.init()
        switch effect {
        case .goQuiet(let withGoodbye):
            kind = INKLING_TURN_GO_QUIET.rawValue
            goodbye = withGoodbye ? 1 : 0
        case .closeUnauthenticatedLinks: kind = INKLING_TURN_CLOSE_LINKS.rawValue
        case .retire(let before):
            kind = INKLING_TURN_RETIRE.rawValue
            epoch = before.number
        case .forget(let before):
            kind = INKLING_TURN_FORGET.rawValue
            period = before.number
        case .prepare(let prepared):
            kind = INKLING_TURN_PREPARE.rawValue
            epoch = prepared.number
        case .highWater(let reached):
            kind = INKLING_TURN_HIGH_WATER.rawValue
            epoch = reached.number
        case .publish(let published):
            kind = INKLING_TURN_PUBLISH.rawValue
            epoch = published.number
        case .wake(let moment):
            kind = INKLING_TURN_WAKE.rawValue
            tick = moment.milliseconds
        }
    }
}

extension inkling_turn: Sized {
    static var leastSize: Int { 32 }
}
