internal import CLinux

/// How this process returns memory to the system.
package enum ProcessMemory {
    /// The smallest block that is returned when it is freed, in bytes.
    package static let returnedSize = 128 * 1024

    /// Returns large blocks to the system when they are freed. It has an effect with glibc only.
    ///
    /// By default, glibc keeps a freed block in the heap of its thread if a block of that size was freed before. The tables
    /// of an epoch have 256 KiB and are computed on changing threads, so a node would keep the tables of several epochs.
    package static func returnLargeBlocks() { inkling_return_large_blocks(CInt(returnedSize)) }

    /// Uses one heap for all threads. It has an effect with glibc only, and costs time where many threads allocate at once.
    ///
    /// A node does little on many threads, and with a heap for each thread every one of them would keep what a file or a
    /// new epoch once needed.
    package static func shareHeap() { inkling_share_heap() }
}
