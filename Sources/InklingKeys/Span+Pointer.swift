// libsodium takes non-null pointers, also where the length is zero. These two functions are how every call gets them.

extension Span<UInt8> {
    /// Lends the address of the first byte, or of an unrelated readable byte when there is none.
    package func withPointer<Result: ~Copyable>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            var none: UInt8 = 0
            return unsafe withUnsafePointer(to: &none) { unsafe body($0) }
        }
    }
}

extension MutableSpan<UInt8> {
    /// Lends the address of the first byte, or of an unrelated writable byte when there is none.
    package mutating func withPointer<Result: ~Copyable>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeMutableBufferPointer { bytes in
            if let start = bytes.baseAddress { return unsafe body(start) }
            var none: UInt8 = 0
            return unsafe withUnsafeMutablePointer(to: &none) { unsafe body($0) }
        }
    }
}
