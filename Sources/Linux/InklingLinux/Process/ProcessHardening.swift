internal import CLinux
internal import CSecretMemory
internal import Synchronization

/// Protects the secrets of this process from other processes of the same user, from the disk, and from parts of the
/// kernel that a node never uses (`Specs/vault.md`).
public enum ProcessHardening {
    /// A protection missing from this process, with the system's error number.
    public enum Gap: Hashable, Sendable, CustomStringConvertible {
        /// The kernel may write the memory to a core file when the process crashes.
        case coreDumps(code: Int32)
        /// Other processes of the same user can read the memory.
        case inspection(code: Int32)
        /// A program started by the process can gain privileges.
        case newPrivileges(code: Int32)
        /// No system calls are blocked.
        case systemCalls(code: Int32)
        /// This many bytes of secrets are in memory that the system may swap out. `limit` is the limit on locked memory
        /// in bytes; `nil` if there is none.
        case unlockedMemory(bytes: UInt64, limit: UInt64?, code: Int32)

        /// The missing protection in words.
        public var description: String {
            switch self {
            case .coreDumps(let code): "core files are not disabled (error \(code))"
            case .inspection(let code): "other processes of this user can read the memory (error \(code))"
            case .newPrivileges(let code): "new privileges are not disabled (error \(code))"
            case .systemCalls(let code): "no system calls are refused (error \(code))"
            case .unlockedMemory(let bytes, let limit, let code):
                "\(bytes) bytes of secrets are not locked in memory (error \(code)"
                    + (limit.map { ", the limit is \($0) bytes: raise it with LimitMEMLOCK= or ulimit -l)" } ?? ")")
            }
        }
    }

    private struct State {
        var applied: [Gap]?
        var memoryError: Int32 = 0
        var limit: UInt64 = 0
    }

    private static let state = Mutex(State())

    /// Applies every protection to the whole process, for its lifetime. Call it before any secret is in memory; later
    /// calls change nothing.
    ///
    /// - Disables core files, and keeps other processes of the same user from tracing this one or reading its memory.
    /// - Locks the memory of secrets, as far as the limit on locked memory allows.
    /// - Gives up new privileges, and blocks system calls that a node never uses: those that start programs, read other
    ///   processes, change the system, or reach large parts of the kernel. A process taken over by a malformed packet
    ///   can then not start a shell. `allowsPrograms` leaves all system calls available, for applications that start
    ///   programs.
    /// - Returns: the protections that the kernel refused, for instance in a restrictive container.
    @discardableResult
    public static func apply(allowsPrograms: Bool = false) -> [Gap] {
        state.withLock { state in
            if state.applied == nil {
                state.limit = inkling_raise_locked_memory()
                state.memoryError = secret_memory_lock()
                state.applied = [
                    Gap.coreDumps(code: inkling_forbid_core_dumps()), .inspection(code: inkling_forbid_inspection()),
                    .newPrivileges(code: inkling_forbid_new_privileges()),
                    // An unprivileged process may filter its calls only after giving up new privileges.
                    .systemCalls(code: allowsPrograms ? 0 : inkling_forbid_system_calls()),
                ].filter { $0.code != 0 }
            }
        }
        return gaps
    }

    /// The protections missing now; empty before `apply`.
    public static var gaps: [Gap] {
        state.withLock { state in
            guard let applied = state.applied else { return [] }
            let memory = secret_memory_report()
            let limit = state.limit == .max ? nil : state.limit
            if state.memoryError != 0 {
                return applied + [.unlockedMemory(bytes: memory.unlocked, limit: limit, code: state.memoryError)]
            }
            guard memory.unlocked > 0 else { return applied }
            return applied + [.unlockedMemory(bytes: memory.unlocked, limit: limit, code: memory.error)]
        }
    }
}

extension ProcessHardening.Gap {
    fileprivate var code: Int32 {
        switch self {
        case .coreDumps(let code), .inspection(let code), .newPrivileges(let code), .systemCalls(let code),
            .unlockedMemory(_, _, let code):
            code
        }
    }
}
