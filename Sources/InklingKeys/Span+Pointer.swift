// libsodium requires non-null pointers even when the length is zero. Every call gets them from these two functions.

extension Span<UInt8> {
    /// Calls `body` with the address of the first byte, or of an unrelated readable byte if the span is empty.
    package func withPointer<Result: ~Copyable>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            var none: UInt8 = 0
            return unsafe withUnsafePointer(to: &none) { unsafe body($0) }
        }
    }
}

extension MutableSpan<UInt8> {
    /// Calls `body` with the address of the first byte, or of an unrelated writable byte if the span is empty.
    package mutating func withPointer<Result: ~Copyable>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeMutableBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            var none: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &none) { unsafe body($0) }
        }
    }
}
