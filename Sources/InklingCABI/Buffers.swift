internal import CInkling
internal import InklingKeys

// What comes in and goes out by pointer. Nothing behind a pointer is touched before the pointer was looked at.

/// Lends the bytes of an input.
///
/// - Throws: `INKLING_OUT_OF_RANGE` for a count above the limit, `INKLING_NULL_ARGUMENT` for bytes that are not there.
func withInput<Result: ~Copyable>(
    _ start: UnsafePointer<UInt8>?, _ count: Int, limit: Int = inputLimit,
    _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    // A size_t above the largest Int arrives as a negative number.
    guard count >= 0, count <= limit else { throw Fault(INKLING_OUT_OF_RANGE) }
    guard unsafe start != nil || count == 0 else { throw Fault(INKLING_NULL_ARGUMENT) }
    return try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
}

/// The same for an input of exactly `expected` bytes.
func withInput<Result: ~Copyable>(
    _ start: UnsafePointer<UInt8>?, _ count: Int, exactly expected: Int, _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    try unsafe withInput(start, count) { bytes throws(Fault) in
        guard bytes.count == expected else { throw Fault(INKLING_WRONG_LENGTH) }
        return try body(bytes)
    }
}

/// Lends the bytes of a text.
func withText<Result: ~Copyable>(
    _ start: UnsafePointer<CChar>?, _ count: Int, _ body: (Span<UInt8>) throws(Fault) -> Result
) throws(Fault) -> Result {
    try unsafe withInput(UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self), count, body)
}

/// A public key of exactly 32 bytes.
func publicKey(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> Octets32 {
    let key = try unsafe withInput(start, count) { Octets32($0) }
    guard let key else { throw Fault(INKLING_WRONG_LENGTH) }
    return key
}

/// The id of a user: exactly 16 bytes.
func userID(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> UserID {
    let octets = try unsafe withInput(start, count) { Octets16($0) }
    guard let octets else { throw Fault(INKLING_WRONG_LENGTH) }
    return UserID(octets)
}

/// A number that stands for yes or no.
func flag(_ number: UInt32) throws(Fault) -> Bool {
    guard number <= 1 else { throw Fault(INKLING_OUT_OF_RANGE) }
    return number == 1
}

/// A secret of exactly 32 bytes, copied into memory that is wiped.
func secretKey(_ start: UnsafePointer<UInt8>?, _ count: Int) throws(Fault) -> SecretBytes {
    try unsafe withInput(start, count, exactly: 32) { SecretBytes(copying: $0) }
}

/// `INKLING_INPUT_LIMIT`, which is a cast and so not imported.
let inputLimit = 1 << 20

/// A pointer that is there and aligned.
///
/// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
func check<Value>(_ pointer: UnsafePointer<Value>?) throws(Fault) -> UnsafePointer<Value> {
    guard let pointer = unsafe pointer else { throw Fault(INKLING_NULL_ARGUMENT) }
    guard UInt(bitPattern: pointer) % UInt(MemoryLayout<Value>.alignment) == 0 else { throw Fault(INKLING_MISALIGNED) }
    return unsafe pointer
}

/// Handles that a caller lists, at most `limit`.
///
/// - Throws: `INKLING_OUT_OF_RANGE`, `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
func list<Value: BitwiseCopyable>(
    _ start: UnsafePointer<Value>?, _ count: Int, limit: Int
) throws(Fault) -> [Value] {
    guard (0...limit).contains(count) else { throw Fault(INKLING_OUT_OF_RANGE) }
    guard count > 0 else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: try unsafe check(start), count: count))
}

/// Where a call leaves a number.
@safe
struct Out<Value: BitwiseCopyable> {
    private let pointer: UnsafeMutablePointer<Value>

    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`.
    init(_ pointer: UnsafeMutablePointer<Value>?) throws(Fault) {
        unsafe self.pointer = UnsafeMutablePointer(mutating: try check(UnsafePointer(pointer)))
    }

    /// Writes the number.
    func set(_ value: Value) { unsafe pointer.pointee = value }

    /// Writes one of several; the caller's array has room for it.
    func set(_ value: Value, at index: Int) { unsafe pointer[index] = value }
}

/// Where a call leaves bytes, as many as there turn out to be.
@safe
struct OutBytes {
    private let start: UnsafeMutablePointer<UInt8>?
    private let capacity: Int
    private let needed: Out<Int>

    /// - Throws: `INKLING_NULL_ARGUMENT`, `INKLING_MISALIGNED`, and `INKLING_OUT_OF_RANGE` for an impossible capacity.
    init(_ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, needed: UnsafeMutablePointer<Int>?) throws(Fault) {
        self.needed = try unsafe Out(needed)
        guard capacity >= 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
        guard unsafe start != nil || capacity == 0 else { throw Fault(INKLING_NULL_ARGUMENT) }
        unsafe self.start = start
        self.capacity = capacity
    }

    /// Writes the length that is known before there are any bytes.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func expect(_ count: Int) throws(Fault) {
        needed.set(count)
        guard count <= capacity else { throw Fault(INKLING_BUFFER_TOO_SHORT) }
    }

    /// Writes the length, and the bytes where they fit.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func set(_ bytes: Span<UInt8>) throws(Fault) {
        try expect(bytes.count)
        guard let start = unsafe start else { return }
        for index in bytes.indices { unsafe start[index] = bytes[index] }
    }
}

/// Where a call leaves a text.
@safe
struct OutText {
    private let bytes: OutBytes

    /// - Throws: as `OutBytes`.
    init(_ start: UnsafeMutablePointer<CChar>?, _ capacity: Int, needed: UnsafeMutablePointer<Int>?) throws(Fault) {
        let start = unsafe UnsafeMutableRawPointer(start)?.assumingMemoryBound(to: UInt8.self)
        bytes = try unsafe OutBytes(start, capacity, needed: needed)
    }

    /// Writes the length, and where they fit the text and a zero byte.
    ///
    /// - Throws: `INKLING_BUFFER_TOO_SHORT`.
    func set(_ text: String) throws(Fault) {
        let ended = Array(text.utf8) + [0]
        try bytes.set(ended.span)
    }
}

/// A structure that begins with its size, as `uint32_t`.
protocol Sized {
    /// All zero.
    init()
    var size: UInt32 { get set }
    /// The size of the structure's first version.
    static var leastSize: Int { get }
}

extension Sized {
    /// A structure of the caller's; what it knows and we do not must be zero.
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

/// Where a call fills a structure.
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

    /// The same; nil for a caller who does not want to know.
    init?(optional pointer: UnsafeMutablePointer<Value>?) throws(Fault) {
        guard unsafe pointer != nil else { return nil }
        try unsafe self.init(pointer)
    }

    /// Fills as much as the caller knows of, and sets what we do not know to zero.
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

/// Writes a text into an array of bytes or characters, cut to leave room for a zero byte.
func write<Array: BitwiseCopyable>(_ text: String, to array: inout Array) {
    unsafe withUnsafeMutableBytes(of: &array) { target in
        for (index, byte) in text.utf8.prefix(max(target.count - 1, 0)).enumerated() { unsafe target[index] = byte }
    }
}

/// Writes sixteen bytes into an array of sixteen.
func write<Array: BitwiseCopyable>(_ octets: Octets16, to array: inout Array) {
    var bytes: [UInt8] = []
    bytes.append(octets)
    unsafe withUnsafeMutableBytes(of: &array) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
}

/// Writes thirty-two bytes into an array of thirty-two.
func write<Array: BitwiseCopyable>(_ octets: Octets32, to array: inout Array) {
    var bytes: [UInt8] = []
    bytes.append(octets)
    unsafe withUnsafeMutableBytes(of: &array) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
}
