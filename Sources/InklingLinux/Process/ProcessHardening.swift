internal import CLinux

/// Protects the secrets of this process from other processes of the same user.
public enum ProcessHardening {
    /// Disables core dumps, and keeps other processes of the same user from reading this process's memory. Call it
    /// before any secret is in memory.
    ///
    /// - Returns: false when the kernel refuses, as in a container that forbids the system calls.
    @discardableResult
    public static func forbidInspection() -> Bool { inkling_forbid_inspection() == 0 }
}
