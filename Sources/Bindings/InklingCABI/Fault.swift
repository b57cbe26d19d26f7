internal import CInkling
internal import InklingKeys

/// The error of a call: the status that it returns and, for a refusal, the stage and the reason.
struct Fault: Error {
    let status: inkling_status
    let stage: String, reason: String

    init(_ status: inkling_status, stage: String = "", reason: String = "") {
        (self.status, self.stage, self.reason) = (status, stage, reason)
    }

    init(_ refusal: some Refusal) {
        self.init(INKLING_REFUSED, stage: refusal.stage, reason: refusal.reason)
    }
}

/// Runs the body of a call and returns its status.
func catchingFaults(_ body: () throws(Fault) -> Void) -> inkling_status {
    do {
        try body()
        return INKLING_OK
    } catch {
        return error.status
    }
}

/// Runs the body of a call that parses foreign input, and returns its status. A refusal is also written to the caller's
/// structure, unless the pointer is null.
func catchingFaults(
    refusingInto refusal: UnsafeMutablePointer<inkling_refusal>?, _ body: () throws(Fault) -> Void
) -> inkling_status {
    do {
        let out = try unsafe OutStructure(optional: refusal)
        do throws(Fault) {
            try body()
            return INKLING_OK
        } catch {
            guard error.status == INKLING_REFUSED else { return error.status }
            out?.set { filled in
                write(error.stage, to: &filled.stage)
                write(error.reason, to: &filled.reason)
            }
            return INKLING_REFUSED
        }
    } catch {
        return error.status
    }
}

/// Runs `body` and converts its refusal into a fault.
func refusing<Result: ~Copyable, Failure: Refusal>(_ body: () throws(Failure) -> Result) throws(Fault) -> Result {
    do {
        return try body()
    } catch {
        throw Fault(error)
    }
}

/// Unwraps a value that is `nil` if an argument is out of range.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
func inRange<Value>(_ value: Value?) throws(Fault) -> Value {
    guard let value else { throw Fault(INKLING_OUT_OF_RANGE) }
    return value
}
