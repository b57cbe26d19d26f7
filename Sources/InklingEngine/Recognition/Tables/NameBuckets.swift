internal import InklingKeys

/// Buckets of one cache line each, with 5 places for 64 mixed bits of an identifier and its id.
///
/// An identifier belongs to the bucket that its last 64 bits name, its home; where that is full, to one of the 6 behind.
/// A place knows how far it is from home, so that what is compared is the mixed bits and the number of the home. A
/// home knows by 16 marks which of its own may have gone further, so that nearly every look-up ends in one line.
@safe
final class NameBuckets: @unchecked Sendable {
    // Sendable because it is written only by the one builder that made it, and never again once an index holds it.

    static let places = 5
    /// How far from home an identifier may be.
    static let reach = 6
    /// The id of a free place, and of no identifier.
    static let free = UInt32.max

    /// The number of homes; `reach` more buckets stand behind the last.
    let homes: Int
    private let memory: UnsafeMutableRawPointer

    /// Free places in this many buckets, at least 1.
    init(homes: Int) {
        self.homes = max(homes, 1)
        let buckets = self.homes + Self.reach
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: buckets * Line.bytes, alignment: Line.bytes)
        for bucket in 0..<buckets { unsafe Line(start: memory + bucket &* Line.bytes).clear() }
    }

    deinit { unsafe memory.deallocate() }

    /// The bucket with a number below `homes + reach`.
    @inline(__always)
    func line(_ bucket: Int) -> Line {
        // Below by construction: homes are a product's upper half, and nobody asks further behind one than `reach`.
        assert((0..<homes + Self.reach).contains(bucket))
        return unsafe Line(start: memory + bucket &* Line.bytes)
    }

    /// The first bucket.
    var start: Line { line(0) }

    /// Bytes of memory.
    var byteCount: Int { (homes + Self.reach) * Line.bytes }
}

/// One bucket: 5 × 64 bits of identifiers, 5 ids of 32 bits, and 32 bits that say what else is to be known.
@safe
struct Line {
    static let bytes = 64
    /// Set in a home of which the index holds more than the buckets do.
    static let hasMore: UInt32 = 1 << 16

    // Stays inside the memory that lent it; every offset below is less than 64.
    private let start: UnsafeMutableRawPointer

    fileprivate init(start: UnsafeMutableRawPointer) { unsafe self.start = start }

    /// The bucket this many behind, which the caller knows to be there.
    @inline(__always)
    func advanced(by buckets: Int) -> Line { unsafe Line(start: start + buckets &* Self.bytes) }

    /// The bit of those that say which identifiers have left their home.
    @inline(__always)
    static func mark(_ bits: UInt64) -> UInt32 { 1 << UInt32(truncatingIfNeeded: bits & 15) }

    /// Bits 0 to 15: the marks of those that left this home. Bit 16: `hasMore`. Then 3 bits for each place: how far it is
    /// from the home of what it holds.
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

    /// Places are taken in order, so that the last one tells.
    @inline(__always)
    var isFull: Bool { id(NameBuckets.places - 1) != NameBuckets.free }

    /// How many places are taken.
    @inline(__always)
    var taken: Int {
        var count = 0
        for place in 0..<NameBuckets.places { count &+= id(place) == NameBuckets.free ? 0 : 1 }
        return count
    }

    /// A bit for each place that holds these bits; a free one may seem to.
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
