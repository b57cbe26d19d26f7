public import CInkling

@c @implementation
public func inkling_abi_version() -> UInt32 { 0x0001_0000 }

@c @implementation
public func inkling_status_text(_ status: inkling_status) -> UnsafePointer<CChar>? {
    // The text of a literal is static and zero-terminated.
    unsafe UnsafeRawPointer(text(of: status).utf8Start).assumingMemoryBound(to: CChar.self)
}

private func text(of status: inkling_status) -> StaticString {
    switch status {
    case INKLING_OK: "success"
    case INKLING_NULL_ARGUMENT: "a required pointer is null"
    case INKLING_MISALIGNED: "a pointer is not aligned for what it points to"
    case INKLING_OUT_OF_RANGE: "a number or the count of an input is out of range"
    case INKLING_WRONG_LENGTH: "an input does not have the required length"
    case INKLING_BUFFER_TOO_SHORT: "the buffer is shorter than the needed length, which was written"
    case INKLING_WRONG_SIZE: "the size of a structure is not supported, or unknown members are not zero"
    case INKLING_NO_SUCH_HANDLE: "no object has this handle"
    case INKLING_WRONG_KIND: "the handle belongs to another kind of object"
    case INKLING_BUSY: "the object is in use by another call"
    case INKLING_FULL: "a limit is reached"
    case INKLING_REFUSED: "the input is refused"
    case INKLING_NOT_HELD: "the keys for this period are not held"
    case INKLING_UNKNOWN: "the object does not know the contact, attempt, device or index"
    case INKLING_SPENT: "the object is used up"
    default: "unknown status"
    }
}

@c @implementation
public func inkling_free(_ handle: inkling_handle) -> inkling_status {
    catchingFaults { () throws(Fault) in try HandleTable.shared.free(handle) }
}

@c @implementation
public func inkling_handle_count(_ count: UnsafeMutablePointer<UInt64>?) -> inkling_status {
    catchingFaults { () throws(Fault) in try unsafe Out(count).set(UInt64(HandleTable.shared.count)) }
}

extension inkling_refusal: Sized {
    static var leastSize: Int { 64 }
}
