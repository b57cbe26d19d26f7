internal import CLinux

/// The limit of locked memory.
package enum MemoryLimit {
    /// How many bytes this process may lock at most; nil when there is no limit.
    package static var locked: UInt64? {
        let limit = inkling_locked_memory_limit()
        return limit == .max ? nil : limit
    }
}
