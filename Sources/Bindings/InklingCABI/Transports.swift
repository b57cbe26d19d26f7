public import CInkling
internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms

@c @implementation
public func inkling_profile_of(
    _ app: UnsafePointer<inkling_app>?, _ subject: UInt32, _ profile: UnsafeMutablePointer<inkling_profile>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(profile)
        let answer = try unsafe profileAnswer(app, subject)
        out.set { filled in
            filled.fact_count = UInt32(clamping: answer.facts.count)
            switch answer.value {
            case .no: filled.promise = INKLING_PROMISE_NO.rawValue
            case .overflow: filled.promise = INKLING_PROMISE_OVERFLOW.rawValue
            case .window: filled.promise = INKLING_PROMISE_WINDOW.rawValue
            case .within(let range):
                filled.promise = INKLING_PROMISE_WITHIN.rawValue
                filled.best = range.lowerBound.wholeMilliseconds
                filled.worst = range.upperBound.wholeMilliseconds
            case .metres(let length):
                filled.promise = INKLING_PROMISE_METRES.rawValue
                filled.worst = length
            case .yes: filled.promise = INKLING_PROMISE_YES.rawValue
            }
        }
    }
}

@c @implementation
public func inkling_profile_fact(
    _ app: UnsafePointer<inkling_app>?, _ subject: UInt32, _ index: Int, _ start: UnsafeMutablePointer<CChar>?,
    _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        try out.set(try element(index, of: try unsafe profileAnswer(app, subject).facts).id)
    }
}

@c @implementation
public func inkling_memory_new(_ memory: UnsafeMutablePointer<inkling_handle>?) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(memory)
        out.set(try HandleTable.shared.add(TransportMemory()))
    }
}

@c @implementation
public func inkling_memory_failed(_ memory: inkling_handle, _ transport: UInt32, _ tick: UInt64) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let transport: TransportOption = try choice(transport)
        try HandleTable.shared.with(memory, TransportMemory.self) { memory in
            let count = memory.failures[transport]?.count ?? 0
            memory.failures[transport] = (count == .max ? count : count + 1, tick)
        }
    }
}

@c @implementation
public func inkling_memory_worked(
    _ memory: inkling_handle, _ transport: UInt32, _ setUp: UInt64, _ rate: UInt64
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let transport: TransportOption = try choice(transport)
        try HandleTable.shared.with(memory, TransportMemory.self) { memory in
            memory.failures[transport] = nil
            if setUp > 0 { memory.observed[transport, default: TransportSituation.Observed()].setUp.observe(setUp) }
            if rate > 0 { memory.observed[transport, default: TransportSituation.Observed()].rate.observe(rate) }
        }
    }
}

@c @implementation
public func inkling_plan_new(
    _ situation: UnsafePointer<inkling_situation>?, _ memory: inkling_handle, _ tick: UInt64,
    _ plan: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(plan)
        var situation = try TransportSituation(try unsafe inkling_situation.read(situation))
        if memory != 0 {
            let known = try borrowed(memory, TransportMemory.self)
            situation.observed = known.observed
            situation.failures = known.failures.mapValues { failure in
                TransportSituation.Failures(
                    count: failure.count, ago: .milliseconds(tick > failure.last ? tick - failure.last : 0))
            }
        }
        out.set(try HandleTable.shared.add(TransportPolicy().plan(for: situation)))
    }
}

@c @implementation
public func inkling_plan_step_at(
    _ plan: inkling_handle, _ index: Int, _ step: UnsafeMutablePointer<inkling_plan_step>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(step)
        let step = try element(index, of: try borrowed(plan, TransportPlan.self).steps)
        out.set { filled in
            filled.transport = number(of: step.transport)
            filled.direction = number(of: step.direction)
            filled.fact_count = UInt32(clamping: step.facts.count)
            filled.begins = step.begins.wholeMilliseconds
            filled.completes = step.completes.wholeMilliseconds
            (filled.energy, filled.exposure, filled.cost) = (step.energy, step.exposure, step.cost)
            filled.lasts = step.lasts?.wholeMilliseconds ?? .max
            filled.next_transport = step.next.map { number(of: $0.transport) } ?? .max
            filled.next_direction = step.next.map { number(of: $0.direction) } ?? .max
        }
    }
}

@c @implementation
public func inkling_plan_refusal_at(
    _ plan: inkling_handle, _ index: Int, _ refusal: UnsafeMutablePointer<inkling_plan_refusal>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(refusal)
        set(out, try element(index, of: try borrowed(plan, TransportPlan.self).refusals))
    }
}

@c @implementation
public func inkling_plan_wait(
    _ plan: inkling_handle, _ refusal: UnsafeMutablePointer<inkling_plan_refusal>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(refusal)
        guard let wait = try borrowed(plan, TransportPlan.self).wait else { throw Fault(INKLING_UNKNOWN) }
        set(out, wait)
    }
}

@c @implementation
public func inkling_plan_step_fact(
    _ plan: inkling_handle, _ step: Int, _ index: Int, _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let step = try element(step, of: try borrowed(plan, TransportPlan.self).steps)
        try out.set(try element(index, of: step.facts).id)
    }
}

@c @implementation
public func inkling_plan_refusal_fact(
    _ plan: inkling_handle, _ refusal: Int, _ index: Int, _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let refusal = try element(refusal, of: try borrowed(plan, TransportPlan.self).refusals)
        try out.set(try element(index, of: refusal.facts).id)
    }
}

/// Earlier attempts to reach one peer, by transport.
private struct TransportMemory: Sendable {
    var failures: [TransportOption: (count: UInt8, last: UInt64)] = [:]
    var observed: [TransportOption: TransportSituation.Observed] = [:]
}

private func profileAnswer(_ app: UnsafePointer<inkling_app>?, _ subject: UInt32) throws(Fault) -> ProfileAnswer {
    let app = try AppCircumstances(unsafe try check(app).pointee)
    return PlatformProfiles.known.answer(try choice(subject), in: app)
}

private func set(_ out: OutStructure<inkling_plan_refusal>, _ refusal: TransportPlan.Refusal) {
    out.set { filled in
        filled.transport = number(of: refusal.transport)
        filled.number = UInt32(clamping: refusal.reason.number)
        filled.fact_count = UInt32(clamping: refusal.facts.count)
        write(refusal.reason.rawValue, to: &filled.reason)
    }
}

/// Returns the element at an index from the caller.
///
/// - Throws: `INKLING_UNKNOWN` if the index is not in the list.
private func element<Element>(_ index: Int, of list: [Element]) throws(Fault) -> Element {
    guard list.indices.contains(index) else { throw Fault(INKLING_UNKNOWN) }
    return list[index]
}

/// Returns the case at a position in `allCases`.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
private func choice<Choice: CaseIterable>(_ number: UInt32) throws(Fault) -> Choice {
    try inRange(Choice.allCases.dropFirst(Int(number)).first)
}

private func number<Choice: CaseIterable & Equatable>(of choice: Choice) -> UInt32 {
    UInt32(clamping: Choice.allCases.enumerated().first { $0.element == choice }?.offset ?? 0)
}

/// Returns the cases in a bitmap, in which bit n stands for the case at position n.
private func choices<Choice: CaseIterable & Hashable>(_ bits: UInt32) throws(Fault) -> Set<Choice> {
    guard UInt64(bits) >> UInt64(Choice.allCases.count) == 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
    return Set(Choice.allCases.enumerated().filter { bits >> UInt32($0.offset) & 1 == 1 }.map(\.element))
}

extension AppCircumstances {
    fileprivate init(_ app: inkling_app) throws(Fault) {
        self.init(
            DevicePlatform(
                try choice(UInt32(app.family)), PlatformVersion(app.major, app.minor, app.patch),
                traits: try choices(app.traits)),
            try choice(UInt32(app.state)), met: try choices(app.met))
    }
}

extension TransportSituation {
    fileprivate init(_ given: inkling_situation) throws(Fault) {
        self.init(
            own: try AppCircumstances(given.own),
            peer: try flag(UInt32(given.has_peer)) ? try AppCircumstances(given.peer) : nil,
            relation: try choice(UInt32(given.relation)), purpose: try choice(UInt32(given.purpose)))
        payload = given.payload
        deadline = try flag(UInt32(given.has_deadline)) ? .milliseconds(given.deadline) : nil
        isHeard = try flag(UInt32(given.is_heard))
        isOnSameNetwork = try flag(UInt32(given.is_on_same_network))
        isPaired = try flag(UInt32(given.is_paired))
        linked = try choices(given.linked)
        ownTransports = given.own_transports == 0 ? nil : try choices(given.own_transports)
        peerTransports = given.peer_transports == 0 ? nil : try choices(given.peer_transports)
    }
}

extension inkling_profile: Sized {
    static var leastSize: Int { 32 }
}

extension inkling_situation: Sized {
    static var leastSize: Int { 64 }
}

extension inkling_plan_step: Sized {
    static var leastSize: Int { 64 }
}

extension inkling_plan_refusal: Sized {
    static var leastSize: Int { 48 }
}
