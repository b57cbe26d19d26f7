internal import CLinux

/// The limit on locked memory.
package enum MemoryLimit {
    /// The number of bytes that this process may lock; `nil` without a limit.
    package static var locked: UInt64? {
        let limit = inkling_locked_memory_limit()
        return limit == .max ? nil : limit
    }
}
