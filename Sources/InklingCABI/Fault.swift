internal import CInkling
internal import InklingKeys

/// Why a call does nothing: the status that it returns, and for a refusal the codes of the specification.
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

/// Runs the body of a call and turns what it throws into the status.
func answer(_ body: () throws(Fault) -> Void) -> inkling_status {
    do {
        try body()
        return INKLING_OK
    } catch {
        return error.status
    }
}

/// The same for a call that reads what others wrote: a refusal also goes into the caller's structure, if there is one.
func answer(
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

/// Carries out what refuses in the words of its own error.
func refusing<Result: ~Copyable, Failure: Refusal>(_ body: () throws(Failure) -> Result) throws(Fault) -> Result {
    do {
        return try body()
    } catch {
        throw Fault(error)
    }
}

/// A value that the arguments must describe, or the fault of arguments out of range.
func inRange<Value>(_ value: Value?) throws(Fault) -> Value {
    guard let value else { throw Fault(INKLING_OUT_OF_RANGE) }
    return value
}
