internal import CSHA256Lanes
internal import CSecretMemory

/// Memory for the keys or midstates of many lanes, wiped on release.
@safe
struct SecretBlocks<Block: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable because the storage has exactly one owner, and writing to it requires exclusive access to that owner.
    private let storage: UnsafeMutableBufferPointer<Block>

    /// Creates `count` blocks. With `isZero` set to false they are uninitialised, and the caller must write all of them
    /// before any is read.
    init(count: Int, isZero: Bool = true) {
        let bytes = count * MemoryLayout<Block>.stride
        // The widest vectors are as long as a cache line and load faster from aligned memory.
        let memory = unsafe UnsafeMutableRawBufferPointer(
            start: secret_memory_allocate(bytes, 64), count: bytes)
        if isZero { unsafe memory.initializeMemory(as: UInt8.self, repeating: 0) }
        unsafe storage = memory.bindMemory(to: Block.self)
    }

    deinit {
        if let start = unsafe storage.baseAddress {
            let bytes = unsafe storage.count * MemoryLayout<Block>.stride
            unsafe sha256_lanes_wipe(start, bytes)
            unsafe secret_memory_release(start, bytes)
        }
    }

    var count: Int { unsafe storage.count }

    /// Calls `body` with the blocks, which are valid only during the call.
    func withBlocks<Result>(_ body: (UnsafeBufferPointer<Block>) -> Result) -> Result {
        unsafe body(UnsafeBufferPointer(storage))
    }

    /// Calls `body` with the blocks for writing.
    mutating func withMutableBlocks<Result>(_ body: (UnsafeMutableBufferPointer<Block>) -> Result) -> Result {
        unsafe body(storage)
    }
}
