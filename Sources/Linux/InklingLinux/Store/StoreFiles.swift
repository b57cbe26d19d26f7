#if Node
    internal import InklingKeys
    internal import InklingNode
    internal import InklingVault

    /// The files of a message store in a home, and their lock, which is released with this object.
    final class StoreFiles {
        private static let name = SQLiteMessageStore.name
        private static let headName = "messages.head", lockName = "messages.lock"
        private static let setAsideName = "messages.damaged"
        private static let logSuffixes = ["-wal", "-journal", "-shm"]
        private static let headerByteCount = 100

        private let home: VaultHome
        private let lock: OpenFile

        /// Locks the store of a home.
        init(in path: String) throws(MessageStoreError) {
            do throws(VaultError) {
                let home = try VaultHome(path, creating: false)
                lock = try home.lock(Self.lockName)
                self.home = home
            } catch {
                throw MessageStoreError(error)
            }
        }

        /// Checks the files before SQLite opens them, and creates missing ones.
        func prepare(headFile: [UInt8]) throws(MessageStoreError) {
            let name = SQLiteMessageStore.name
            do throws(VaultError) {
                // Before the database, so that a database without a head file must have been copied from elsewhere.
                if !home.contains(name), !home.contains(Self.headName) {
                    try home.replace(Self.headName, with: [headFile], lasting: true)
                }
                for suffix in Self.logSuffixes where home.contains(name + suffix) {
                    _ = try home.openChecked(name + suffix)
                }
                try check(try home.openChecked(name))
            } catch {
                switch error.fault {
                case .tooLarge(let bytes, let limit):
                    throw MessageStoreError(.tooLarge(bytes: bytes, limit: limit), error.path)
                case .foreign: throw MessageStoreError(.foreign, error.path)
                default: throw MessageStoreError(error)
                }
            }
        }

        /// Checks that a file is empty or begins like a message database.
        private func check(_ file: borrowing OpenFile) throws(VaultError) {
            let limit = SQLiteMessageStore.byteLimit
            guard file.byteCount <= limit else {
                throw VaultError(.tooLarge(bytes: file.byteCount, limit: limit), file.path)
            }
            guard file.byteCount > 0 else { return }
            let header = try file.readBytes(first: Self.headerByteCount)
            // A power cut can lose the first sector of a database while its log still has it.
            if header.allSatisfy({ $0 == 0 }), Self.logSuffixes.contains(where: { home.contains(Self.name + $0) }) {
                return
            }
            guard header.count == Self.headerByteCount, header.starts(with: Array("SQLite format 3\0".utf8)),
                [0, SQLiteMessageStore.applicationID].contains(Int64(header.span.bigEndian(at: 68, count: 4)))
            else { throw VaultError(.foreign, file.path) }
        }

        /// Returns the head file, or `nil` if there is none.
        func headFile() throws(MessageStoreError) -> [UInt8]? {
            guard home.contains(Self.headName) else { return nil }
            do throws(VaultError) { return try home.read(Self.headName, limit: 4096) } catch {
                if case .tooLarge = error.fault { return [] }
                throw MessageStoreError(error)
            }
        }

        /// Writes the head file without waiting for the disk.
        func writeHead(_ bytes: [UInt8]) throws(MessageStoreError) {
            do throws(VaultError) { try home.overwrite(Self.headName, with: bytes) } catch {
                throw MessageStoreError(error)
            }
        }

        /// Moves a damaged database aside, replacing an earlier one.
        func setAside() throws(MessageStoreError) {
            do throws(VaultError) {
                try home.move(SQLiteMessageStore.name, to: Self.setAsideName)
                for suffix in Self.logSuffixes { home.remove(SQLiteMessageStore.name + suffix) }
                _ = try home.openChecked(SQLiteMessageStore.name)
            } catch {
                throw MessageStoreError(error)
            }
        }
    }
#endif
