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

    /// Whether all bytes are zero. The time depends on their number alone.
    package var isZero: Bool {
        unsafe withUnsafeBufferPointer { bytes in unsafe bytes.reduce(0, |) == 0 }
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

    /// Replaces the bytes from `offset` on with a copy of `bytes`, which must fit.
    package mutating func copy(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "bytes beyond the end")
        unsafe withPointer { target in
            unsafe bytes.withPointer { unsafe target.advanced(by: offset).update(from: $0, count: bytes.count) }
        }
    }
}
