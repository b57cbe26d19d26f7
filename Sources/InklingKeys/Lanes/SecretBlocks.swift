internal import CSHA256Lanes

/// Memory for the keys or midstates of many lanes, zero at first, wiped when its owner lets go.
///
/// Not locked in memory as single keys could be: for a million contacts it is more than a process may lock.
@safe
struct SecretBlocks<Block: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable because the storage has exactly one owner, who lends it for writing only while nobody else has it.
    private let storage: UnsafeMutableBufferPointer<Block>

    /// Zero blocks; or, for a caller who writes them all before anybody reads, what happens to be there.
    init(count: Int, isZero: Bool = true) {
        let bytes = count * MemoryLayout<Block>.stride
        // Vectors are loaded as a whole cache line.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
        if isZero { unsafe memory.initializeMemory(as: UInt8.self, repeating: 0) }
        unsafe storage = memory.bindMemory(to: Block.self)
    }

    deinit {
        if let start = unsafe storage.baseAddress {
            unsafe sha256_lanes_wipe(start, storage.count * MemoryLayout<Block>.stride)
        }
        unsafe storage.deallocate()
    }

    /// The number of blocks.
    var count: Int { unsafe storage.count }

    /// Lends the blocks.
    func withBlocks<Result>(_ body: (UnsafeBufferPointer<Block>) -> Result) -> Result {
        unsafe body(UnsafeBufferPointer(storage))
    }

    /// Lends the blocks for writing.
    mutating func withMutableBlocks<Result>(_ body: (UnsafeMutableBufferPointer<Block>) -> Result) -> Result {
        unsafe body(storage)
    }
}
