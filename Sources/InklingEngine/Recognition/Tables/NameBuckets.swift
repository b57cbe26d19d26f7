internal import InklingKeys

/// An open-addressed hash table whose buckets are one cache line each, with 5 slots for an identifier's 64 mixed bits
/// and its id.
///
/// The last 64 bits of an identifier determine its home bucket. If that is full, the identifier goes into one of the
/// next 6 buckets. A slot records its distance from home, so that a comparison covers the mixed bits and the number of
/// the home bucket. Each home keeps 16 mark bits that say which of its identifiers may be stored in a later bucket, so
/// that nearly every lookup reads a single line.
@safe
final class NameBuckets: @unchecked Sendable {
    // Sendable because only the builder that created it writes to it, and only until an index holds it.

    /// The number of slots in a bucket.
    static let places = 5
    /// The greatest distance of an identifier from its home bucket.
    static let reach = 6
    /// The id that marks a free slot.
    static let free = UInt32.max

    /// The number of home buckets; `reach` more buckets follow the last.
    let homes: Int
    private let memory: UnsafeMutableRawPointer

    /// Creates empty buckets for this many homes, at least 1.
    init(homes: Int) {
        self.homes = max(homes, 1)
        let buckets = self.homes + Self.reach
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: buckets * Line.bytes, alignment: Line.bytes)
        for bucket in 0..<buckets { unsafe Line(start: memory + bucket &* Line.bytes).clear() }
    }

    deinit { unsafe memory.deallocate() }

    /// The bucket with this number, which must be below `homes + reach`.
    @inline(__always)
    func line(_ bucket: Int) -> Line {
        // Holds by construction: a home is the upper half of a product with `homes`, and no caller goes more than
        // `reach` buckets beyond a home.
        assert((0..<homes + Self.reach).contains(bucket))
        return unsafe Line(start: memory + bucket &* Line.bytes)
    }

    var start: Line { line(0) }

    /// The allocated memory in bytes.
    var byteCount: Int { (homes + Self.reach) * Line.bytes }
}

/// One bucket: 5 × 64 mixed bits of identifiers, 5 ids of 32 bits, and 32 control bits.
@safe
struct Line {
    /// The size of a bucket in bytes: one cache line.
    static let bytes = 64
    /// The control bit of a home bucket some of whose identifiers are in the dictionary.
    static let hasMore: UInt32 = 1 << 16

    // Points to 64 bytes of the memory of a `NameBuckets`; every offset below is less than 64.
    private let start: UnsafeMutableRawPointer

    fileprivate init(start: UnsafeMutableRawPointer) { unsafe self.start = start }

    /// The bucket this many further on; the caller guarantees that it exists.
    @inline(__always)
    func advanced(by buckets: Int) -> Line { unsafe Line(start: start + buckets &* Self.bytes) }

    /// The mark bit of an identifier in the control word of its home.
    @inline(__always)
    static func mark(_ bits: UInt64) -> UInt32 { 1 << UInt32(truncatingIfNeeded: bits & 15) }

    /// The control word. Bits 0 to 15: the marks of identifiers that are stored beyond this home. Bit 16: `hasMore`.
    /// From bit 17, 3 bits for each slot: the distance of its identifier from home.
    var control: UInt32 {
        @inline(__always) get { unsafe start.load(fromByteOffset: 60, as: UInt32.self) }
        @inline(__always) nonmutating set { unsafe start.storeBytes(of: newValue, toByteOffset: 60, as: UInt32.self) }
    }

    @inline(__always)
    func bits(_ place: Int) -> UInt64 { unsafe start.load(fromByteOffset: place &* 8, as: UInt64.self) }

    @inline(__always)
    func id(_ place: Int) -> UInt32 { unsafe start.load(fromByteOffset: 40 &+ place &* 4, as: UInt32.self) }

    @inline(__always)
    func distance(_ place: Int) -> Int {
        Int(truncatingIfNeeded: control >> UInt32(truncatingIfNeeded: 17 &+ 3 &* place) & 7)
    }

    // Slots are filled in order, so that checking the last one is enough.
    @inline(__always)
    var isFull: Bool { id(NameBuckets.places - 1) != NameBuckets.free }

    /// The number of slots in use.
    @inline(__always)
    var taken: Int {
        var count = 0
        for place in 0..<NameBuckets.places { count &+= id(place) == NameBuckets.free ? 0 : 1 }
        return count
    }

    /// A bitmap of the slots that hold these mixed bits. A free slot matches if they are 0.
    @inline(__always)
    func matches(_ bits: UInt64) -> UInt32 {
        var found: UInt32 = 0
        if self.bits(0) == bits { found |= 1 }
        if self.bits(1) == bits { found |= 2 }
        if self.bits(2) == bits { found |= 4 }
        if self.bits(3) == bits { found |= 8 }
        if self.bits(4) == bits { found |= 16 }
        return found
    }

    @inline(__always)
    func put(_ place: Int, _ bits: UInt64, _ id: UInt32, distance: Int) {
        unsafe start.storeBytes(of: bits, toByteOffset: place &* 8, as: UInt64.self)
        unsafe start.storeBytes(of: id, toByteOffset: 40 &+ place &* 4, as: UInt32.self)
        if distance > 0 {
            control |= UInt32(truncatingIfNeeded: distance) << UInt32(truncatingIfNeeded: 17 &+ 3 &* place)
        }
    }

    @inline(__always)
    fileprivate func clear() {
        for place in 0..<NameBuckets.places { put(place, 0, NameBuckets.free, distance: 0) }
        control = 0
    }
}
