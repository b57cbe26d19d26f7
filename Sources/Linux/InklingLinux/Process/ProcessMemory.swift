internal import CLinux

/// Settings for how this process returns memory to the system.
package enum ProcessMemory {
    /// The size in bytes from which a freed block is returned.
    package static let returnedSize = 128 * 1024

    /// Returns large blocks to the system when they are freed. Affects glibc only.
    ///
    /// By default, glibc keeps a freed block in its thread's heap if a block of that size was freed before. An epoch's
    /// tables take 256 KiB and are computed on changing threads, so a node would keep those of several epochs.
    package static func returnLargeBlocks() { inkling_return_large_blocks(CInt(returnedSize)) }

    /// Uses one heap for all threads. Affects glibc only, and costs time if many threads allocate at once.
    ///
    /// A node does little on many threads; with a heap per thread, each would keep the memory that a file or a new
    /// epoch once needed.
    package static func shareHeap() { inkling_share_heap() }
}
