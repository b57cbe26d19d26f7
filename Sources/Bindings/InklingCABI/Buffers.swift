internal import CInkling
internal import InklingKeys

// Inputs and outputs by pointer. Every pointer is checked before the memory behind it is accessed.

/// Lends the bytes of an input.
///
/// - Throws: `INKLING_OUT_OF_RANGE` for a count above the limit, `INKLING_NULL_ARGUMENT` for null with a count above 0.
func withInput<Result: ~Copyable>(
    _ start: UnsafePointer<UInt8>?, _ count: Int, limit: Int = inputLimit,
    _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    // A size_t above Int.max arrives as a negative number.
    guard count >= 0, count <= limit else { throw Fault(INKLING_OUT_OF_RANGE) }
    guard unsafe start != nil || count == 0 else { throw Fault(INKLING_NULL_ARGUMENT) }
    return try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
}

/// Lends the bytes of an input of exactly `expected` bytes.
///
/// - Throws: `INKLING_OUT_OF_RANGE`, `INKLING_NULL_ARGUMENT`, `INKLING_WRONG_LENGTH`.
func withInput<Result: ~Copyable>(
    _ start: UnsafePointer<UInt8>?, _ count: Int, exactly expected: Int, _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    try unsafe withInput(start, count) { bytes throws(Fault) in
        guard bytes.count == expected else { throw Fault(INKLING_WRONG_LENGTH) }
        return try body(bytes)
    }
}

/// Lends the bytes of an input text.
func withText<Result: ~Copyable>(
    _ start: UnsafePointer<CChar>?, _ count: Int, _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    try unsafe withInput(UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self), count, body)
}

/// Reads a public key of exactly 32 bytes.
func publicKey(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> Octets32 {
    let key = try unsafe withInput(start, count) { Octets32($0) }
    guard let key else { throw Fault(INKLING_WRONG_LENGTH) }
    return key
}

/// Reads a user id of exactly 16 bytes.
func userID(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> UserID {
    let octets = try unsafe withInput(start, count) { Octets16($0) }
    guard let octets else { throw Fault(INKLING_WRONG_LENGTH) }
    return UserID(octets)
}

/// Converts a flag, which must be 0 or 1.
func flag(_ number: UInt32) throws(Fault) -> Bool {
    guard number <= 1 else { throw Fault(INKLING_OUT_OF_RANGE) }
    return number == 1
}

/// Copies a secret of exactly 32 bytes into memory that is wiped.
func secretKey(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> SecretBytes {
    try unsafe withInput(start, count, exactly: 32) { SecretBytes(copying: $0) }
}

/// `INKLING_INPUT_LIMIT`; Swift does not import the macro because it contains a cast.
let inputLimit = 1 << 20

/// Checks that a pointer is neither null nor misaligned.
///
/// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
func check<Value>(_ pointer: UnsafePointer<Value>?) throws(Fault) -> UnsafePointer<Value> {
    guard let pointer = unsafe pointer else { throw Fault(INKLING_NULL_ARGUMENT) }
    guard UInt(bitPattern: pointer) % UInt(MemoryLayout<Value>.alignment) == 0 else { throw Fault(INKLING_MISALIGNED) }
    return unsafe pointer
}

/// Copies an input array of at most `limit` elements.
///
/// - Throws: `INKLING_OUT_OF_RANGE`, `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
func list<Value: BitwiseCopyable>(
    _ start: UnsafePointer<Value>?, _ count: Int, limit: Int
) throws(Fault) -> [Value] {
    guard (0...limit).contains(count) else { throw Fault(INKLING_OUT_OF_RANGE) }
    guard count > 0 else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: try unsafe check(start), count: count))
}

/// An output parameter for a number.
@safe
struct Out<Value: BitwiseCopyable> {
    private let pointer: UnsafeMutablePointer<Value>

    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
    init(_ pointer: UnsafeMutablePointer<Value>?) throws(Fault) {
        unsafe self.pointer = UnsafeMutablePointer(mutating: try check(UnsafePointer(pointer)))
    }

    /// Writes the number.
    func set(_ value: Value) { unsafe pointer.pointee = value }

    /// Writes an element of an output array; the caller guarantees that the array is large enough.
    func set(_ value: Value, at index: Int) { unsafe pointer[index] = value }
}

/// An output buffer for bytes, with the needed length.
@safe
struct OutBytes {
    private let start: UnsafeMutablePointer<UInt8>?
    private let capacity: Int
    private let needed: Out<Int>

    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`, `INKLING_OUT_OF_RANGE` for a capacity above `Int.max`.
    init(_ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, needed: UnsafeMutablePointer<Int>?) throws(Fault) {
        self.needed = try unsafe Out(needed)
        guard capacity >= 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
        guard unsafe start != nil || capacity == 0 else { throw Fault(INKLING_NULL_ARGUMENT) }
        unsafe self.start = start
        self.capacity = capacity
    }

    /// Writes the needed length, before the bytes themselves exist.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func expect(_ count: Int) throws(Fault) {
        needed.set(count)
        guard count <= capacity else { throw Fault(INKLING_BUFFER_TOO_SHORT) }
    }

    /// Writes the needed length, and the bytes if they fit.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func set(_ bytes: Span<UInt8>) throws(Fault) {
        try expect(bytes.count)
        guard let start = unsafe start else { return }
        for index in bytes.indices { unsafe start[index] = bytes[index] }
    }
}

/// An output buffer for a text, with the needed length.
@safe
struct OutText {
    private let bytes: OutBytes

    /// - Throws: as `OutBytes`.
    init(_ start: UnsafeMutablePointer<CChar>?, _ capacity: Int, needed: UnsafeMutablePointer<Int>?) throws(Fault) {
        let start = unsafe UnsafeMutableRawPointer(start)?.assumingMemoryBound(to: UInt8.self)
        bytes = try unsafe OutBytes(start, capacity, needed: needed)
    }

    /// Writes the needed length, and the text with a zero byte if they fit.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func set(_ text: String) throws(Fault) {
        let ended = Array(text.utf8) + [0]
        try bytes.set(ended.span)
    }
}

/// A C structure whose first member is its size, as `uint32_t`.
protocol Sized {
    /// Creates a structure of zeros.
    init()
    var size: UInt32 { get set }
    /// The size of the first version of the structure.
    static var leastSize: Int { get }
}

extension Sized {
    /// Reads a structure. If it is larger than the library's version, the unknown part must be zero.
    ///
    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`, `INKLING_WRONG_SIZE`.
    static func read(_ pointer: UnsafePointer<Self>?) throws(Fault) -> Self {
        let raw = unsafe UnsafeRawPointer(try unsafe check(pointer))
        let size = unsafe try size(at: unsafe raw)
        for offset in min(size, MemoryLayout<Self>.size)..<size
        where unsafe raw.load(fromByteOffset: offset, as: UInt8.self) != 0 {
            throw Fault(INKLING_WRONG_SIZE)
        }
        var value = Self()
        unsafe withUnsafeMutableBytes(of: &value) { target in
            let known = min(size, target.count)
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: known))
        }
        return value
    }

    fileprivate static func size(at raw: UnsafeRawPointer) throws(Fault) -> Int {
        let size = Int(unsafe raw.load(as: UInt32.self))
        guard size >= leastSize, size <= 4096 else { throw Fault(INKLING_WRONG_SIZE) }
        return size
    }
}

/// An output parameter for a structure.
@safe
struct OutStructure<Value: Sized> {
    private let start: UnsafeMutableRawPointer
    private let size: Int

    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`, `INKLING_WRONG_SIZE`.
    init(_ pointer: UnsafeMutablePointer<Value>?) throws(Fault) {
        let raw = unsafe UnsafeMutableRawPointer(mutating: try unsafe check(UnsafePointer(pointer)))
        size = try unsafe Value.size(at: raw)
        unsafe start = raw
    }

    /// Creates an optional output; `nil` for a null pointer.
    init?(optional pointer: UnsafeMutablePointer<Value>?) throws(Fault) {
        guard unsafe pointer != nil else { return nil }
        try unsafe self.init(pointer)
    }

    /// Writes the structure up to the caller's size; bytes beyond the library's version become zero.
    func set(_ fill: (inout Value) -> Void) {
        var value = Value()
        fill(&value)
        value.size = UInt32(truncatingIfNeeded: size)
        unsafe withUnsafeBytes(of: value) { source in
            let known = min(size, source.count)
            if let from = source.baseAddress { unsafe start.copyMemory(from: from, byteCount: known) }
            for offset in known..<size { unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
        }
    }
}

/// Writes a text into a fixed array, truncated so that a zero byte follows.
func write<Array: BitwiseCopyable>(_ text: String, to array: inout Array) {
    unsafe withUnsafeMutableBytes(of: &array) { target in
        for (index, byte) in text.utf8.prefix(max(target.count - 1, 0)).enumerated() { unsafe target[index] = byte }
    }
}

/// Writes 16 bytes into an array of 16.
func write<Array: BitwiseCopyable>(_ octets: Octets16, to array: inout Array) {
    var bytes: [UInt8] = []
    bytes.append(octets)
    unsafe withUnsafeMutableBytes(of: &array) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
}

/// Writes 32 bytes into an array of 32.
func write<Array: BitwiseCopyable>(_ octets: Octets32, to array: inout Array) {
    var bytes: [UInt8] = []
    bytes.append(octets)
    unsafe withUnsafeMutableBytes(of: &array) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
}
