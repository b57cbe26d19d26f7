internal import CLinux

/// Protects the secrets of this process from other processes of the same user.
public enum ProcessHardening {
    /// Forbids core dumps, and forbids other processes of the same user to read this process's memory. Call it before
    /// any secret is in memory.
    ///
    /// - Returns: false when the kernel refused, as in a container that forbids the calls.
    @discardableResult
    public static func forbidInspection() -> Bool { inkling_forbid_inspection() == 0 }
}
