public import CInkling

@c @implementation
public func inkling_abi_version() -> UInt32 { 0x0001_0000 }

@c @implementation
public func inkling_status_text(_ status: inkling_status) -> UnsafePointer<CChar>? {
    // A literal lives as long as the library, and ends with a zero byte.
    unsafe UnsafeRawPointer(text(of: status).utf8Start).assumingMemoryBound(to: CChar.self)
}

private func text(of status: inkling_status) -> StaticString {
    switch status {
    case INKLING_OK: "done"
    case INKLING_NULL_ARGUMENT: "a pointer that must be there is null"
    case INKLING_MISALIGNED: "a pointer is not aligned for what it points to"
    case INKLING_OUT_OF_RANGE: "a number or a count is out of range"
    case INKLING_WRONG_LENGTH: "an input does not have the length that it must have"
    case INKLING_BUFFER_TOO_SHORT: "the buffer is shorter than the length that was written"
    case INKLING_WRONG_SIZE: "the size of a structure is none that this library knows"
    case INKLING_NO_SUCH_HANDLE: "no object has this handle"
    case INKLING_WRONG_KIND: "the handle stands for another kind of object"
    case INKLING_BUSY: "the object is in use by another call"
    case INKLING_FULL: "there is no room"
    case INKLING_REFUSED: "the input is refused"
    case INKLING_NOT_HELD: "the keys for this period are not held"
    case INKLING_UNKNOWN: "the object does not know what was named"
    case INKLING_SPENT: "the object is used up"
    default: "no status of this library"
    }
}

@c @implementation
public func inkling_free(_ handle: inkling_handle) -> inkling_status {
    answer { () throws(Fault) in try HandleTable.shared.free(handle) }
}

@c @implementation
public func inkling_handle_count(_ count: UnsafeMutablePointer<UInt64>?) -> inkling_status {
    answer { () throws(Fault) in try unsafe Out(count).set(UInt64(HandleTable.shared.count)) }
}

extension inkling_refusal: Sized {
    static var leastSize: Int { 64 }
}
