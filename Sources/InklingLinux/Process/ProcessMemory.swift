internal import CLinux

/// What becomes of memory that this process no longer uses.
package enum ProcessMemory {
    /// The size in bytes from which on a block is given back to the system when it is freed.
    package static let returnedSize = 128 * 1024

    /// Gives large blocks back to the system when they are freed. Other C libraries than glibc do so anyway, and nothing
    /// happens.
    ///
    /// Without this, glibc keeps blocks of a size that was freed once in the heap of the thread that made them. The tables
    /// of an epoch have 256 KiB and more, and are computed on a different thread each time, so that a node keeps the
    /// memory of several epochs.
    package static func returnLargeBlocks() { _ = inkling_return_large_blocks(CInt(returnedSize)) }
}
