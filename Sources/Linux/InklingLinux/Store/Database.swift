#if Node
    internal import CSQLite
    internal import InklingKeys
    internal import InklingNode
    internal import InklingVault

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// The durability of a commit. Nodes use `full`; the other cases exist as controls for tests.
    package enum Synchronisation: String, CaseIterable, Sendable {
        /// A commit returns once it would survive a power cut.
        case full = "FULL"
        /// A commit survives the end of the process and reaches the disk later.
        case normal = "NORMAL"
        /// Nothing is ever synced.
        case off = "OFF"
    }

    /// The only connection to an SQLite database. Used only within the actor of a store.
    @safe final class Database {
        private let handle: OpaquePointer
        /// Idle prepared statements that run for each change, because preparing one takes longer than running it.
        private var kept: [String: OpaquePointer]
        let path: String

        /// Opens an existing database file.
        ///
        /// - Throws: `MessageStoreError`; `damaged` if the file is not a database.
        init(path: String, synchronisation: Synchronisation, pageLimit: Int64) throws(MessageStoreError) {
            self.path = path
            unsafe kept = [:]
            var opened: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE
            let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
            guard code == SQLITE_OK, let opened = unsafe opened else {
                let error = unsafe MessageStoreError(code: code, of: opened, path)
                unsafe sqlite3_close_v2(opened)
                throw error
            }
            unsafe handle = opened
            _ = unsafe csqlite_set_option(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
            // First of all, so that the index of the log is in memory and not in a third file.
            for statement in [
                "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON",
                "PRAGMA mmap_size=0", "PRAGMA temp_store=MEMORY", "PRAGMA journal_mode=WAL",
                "PRAGMA synchronous=\(synchronisation.rawValue)", "PRAGMA secure_delete=ON",
                "PRAGMA max_page_count=\(pageLimit)",
                // In KiB, and small: rows are looked up by name and seldom read twice.
                "PRAGMA cache_size=-512",
            ] {
                try run(statement)
            }
        }

        deinit {
            unsafe kept.values.forEach { _ = unsafe sqlite3_finalize($0) }
            unsafe sqlite3_close_v2(handle)
        }

        /// Runs a statement and discards its rows.
        func run(_ text: String, isKept: Bool = false) throws(MessageStoreError) {
            let statement = try Statement(text, on: self, isKept: isKept)
            while try statement.step() {}
        }

        /// Returns the number in the statement's first row, or 0 without rows.
        func number(_ text: String) throws(MessageStoreError) -> Int64 {
            let statement = try Statement(text, on: self)
            return try statement.step() ? statement.number(0) : 0
        }

        /// Runs `body` in a transaction, which is rolled back when it throws.
        func transaction(_ body: () throws(MessageStoreError) -> Void) throws(MessageStoreError) {
            try run("BEGIN IMMEDIATE", isKept: true)
            do throws(MessageStoreError) {
                try body()
                try run("COMMIT", isKept: true)
            } catch {
                // Some failures have rolled back already.
                if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
                throw error
            }
        }

        /// Moves the contents of the log into the database and empties the log.
        func checkpoint() { unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) }

        fileprivate func error(_ code: Int32) -> MessageStoreError {
            let error = unsafe MessageStoreError(code: code, of: handle, path)
            // SQLite does not say why a commit failed. A file system becomes read-only when its disk has failed.
            guard error.fault == .file(.system(code: EIO)), isReadOnly else { return error }
            return MessageStoreError(.file(.readOnly), path)
        }

        /// Whether the files can no longer be opened for writing. Tests the head file, because closing the database
        /// file would release SQLite's locks on it.
        private var isReadOnly: Bool {
            let file = unsafe open("\(path).head", O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file < 0 else {
                close(file)
                return false
            }
            return errno == EROFS
        }

        fileprivate func prepare(_ text: String) throws(MessageStoreError) -> OpaquePointer {
            var prepared: OpaquePointer?
            let code = unsafe sqlite3_prepare_v2(handle, text, -1, &prepared, nil)
            guard code == SQLITE_OK, let prepared = unsafe prepared else { throw error(code) }
            return unsafe prepared
        }

        /// Returns an idle kept statement and removes it from `kept`, or prepares one.
        fileprivate func takeKept(_ text: String) throws(MessageStoreError) -> OpaquePointer {
            if let statement = unsafe kept.removeValue(forKey: text) { return unsafe statement }
            return unsafe try prepare(text)
        }

        /// Returns a statement to the idle ones.
        fileprivate func keep(_ statement: OpaquePointer, _ text: String) {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
            guard unsafe kept[text] == nil else {
                unsafe sqlite3_finalize(statement)
                return
            }
            unsafe kept[text] = statement
        }
    }

    /// A prepared statement.
    @safe final class Statement {
        private let database: Database
        private let handle: OpaquePointer
        /// The text if the database keeps the statement for reuse.
        private let text: String?

        init(_ text: String, on database: Database, isKept: Bool = false) throws(MessageStoreError) {
            self.database = database
            self.text = isKept ? text : nil
            unsafe handle = isKept ? try database.takeKept(text) : try database.prepare(text)
        }

        deinit {
            if let text { unsafe database.keep(handle, text) } else { unsafe sqlite3_finalize(handle) }
        }

        /// Binds bytes to a parameter, counted from 1.
        func bind(_ bytes: [UInt8], to index: Int32) throws(MessageStoreError) {
            let code = unsafe bytes.span.withPointer { start in
                unsafe csqlite_bind_copy(handle, index, start, Int32(clamping: bytes.count))
            }
            guard code == SQLITE_OK else { throw database.error(code) }
        }

        /// Advances to the next row; returns false after the last one.
        func step() throws(MessageStoreError) -> Bool {
            switch unsafe sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            case let code: throw database.error(code)
            }
        }

        /// Resets the statement so that it can run again.
        func reset() { unsafe sqlite3_reset(handle) }

        /// Returns a column of the row, counted from 0, as a number.
        func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

        /// Returns a column of the row, counted from 0, as bytes.
        func bytes(_ column: Int32) -> [UInt8] {
            guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
            let count = unsafe Int(sqlite3_column_bytes(handle, column))
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    extension MessageStoreError {
        /// Creates the error for an SQLite result code.
        fileprivate init(code: Int32, of handle: OpaquePointer?, _ path: String) {
            let system = unsafe sqlite3_system_errno(handle)
            let fault: Fault =
                switch code & 0xff {
                case SQLITE_FULL: .file(.diskFull)
                case SQLITE_READONLY: .file(.readOnly)
                case SQLITE_BUSY, SQLITE_LOCKED: .file(.alreadyRunning(process: nil))
                case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
                case SQLITE_PERM: .file(.noPermission)
                default:
                    switch system {
                    case EROFS: .file(.readOnly)
                    case ENOSPC, EDQUOT: .file(.diskFull)
                    case EACCES, EPERM: .file(.noPermission)
                    case 0: .file(.system(code: EIO))
                    default: .file(.system(code: system))
                    }
                }
            self.init(fault, path)
        }
    }
#endif
