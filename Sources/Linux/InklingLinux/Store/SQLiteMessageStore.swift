#if Node
    internal import InklingKeys
    public import InklingNode
    public import InklingVault

    /// A store of messages in an SQLite database beside a vault, every row sealed (`Specs/message-store.md`).
    ///
    /// It is a separate actor because writes wait for the disk. It locks its files until it is released.
    public actor SQLiteMessageStore: MessageStore {
        static let name = "messages"
        /// The largest size of the database in bytes.
        static let byteLimit: UInt64 = 4 << 30
        private static let pageByteCount: Int64 = 4096
        /// "INKm", the application id in the header that marks the database as ours.
        static let applicationID: Int64 = 0x494e_4b6d
        private static let schemaVersion: Int64 = 1
        /// The number of commits in the log after which it is emptied.
        private static let checkpointInterval = 64

        private let path: String
        private let anchor: MessageStoreAnchor
        private let seal: StoreSeal
        private let synchronisation: Synchronisation
        private var files: StoreFiles?
        private var database: Database?
        private var head: StoreHead
        private var shares: [Octets16: Octets32] = [:]
        private var commitsInLog = 0

        /// Creates the store of a home; `load` opens it.
        ///
        /// - Parameters:
        ///   - home: the path of the home directory.
        ///   - anchor: the vault's record of the store; see `Vault.prepareMessageStore`.
        public init(home: String, anchor: MessageStoreAnchor) {
            self.init(home: home, anchor: anchor, synchronisation: .full)
        }

        package init(home: String, anchor: MessageStoreAnchor, synchronisation: Synchronisation) {
            path = home
            self.anchor = anchor
            self.synchronisation = synchronisation
            seal = StoreSeal(anchor)
            head = StoreHead(mark: anchor.mark)
        }

        // MARK: Reading

        /// Opens or creates the store and returns its contents.
        ///
        /// - Throws: `MessageStoreError` if a file has another type, belongs to another program or a later version, is
        ///   in use, or cannot be read or written. Nothing is changed then.
        public func load() throws(MessageStoreError) -> LoadedMessages {
            let files = try StoreFiles(in: path)
            try files.prepare(headFile: seal.headFile(of: head))
            self.files = files
            var inspection = StoreInspection(anchor)
            var sealedHead: [UInt8]?
            var isSetAside = false
            var rescued: [StoreSeal.Row] = []
            do throws(MessageStoreError) {
                let database = try open()
                sealedHead = try database.sealedHead()
                try database.everyRow { row in inspection.take(row) }
            } catch {
                guard error.fault == .damaged else { throw error }
                // Read again: the rows before the damage move to a new database.
                isSetAside = true
                inspection = StoreInspection(anchor)
                rescued = database?.rowsBeforeDamage(&sealedHead) ?? []
                database = nil
                for row in rescued { inspection.take(row) }
            }
            let headFile = try files.headFile()
            let outcome = inspection.judge(sealedHead: sealedHead, headFile: headFile, isSetAside: isSetAside)
            if isSetAside { try files.setAside() }
            let database = try open()
            shares = outcome.shares
            head = outcome.head
            if outcome.needsRepair {
                try database.transaction { () throws(MessageStoreError) in
                    for row in rescued where outcome.shares[row.name] != nil { try database.put(row) }
                    for name in outcome.damaged where !isSetAside { try database.remove(name) }
                    try putHead(head, in: database)
                }
                try files.writeHead(seal.headFile(of: head))
            }
            database.checkpoint()
            return outcome.loaded
        }

        public func body(at place: MessagePlace) throws(MessageStoreError) -> [UInt8]? {
            let name = seal.name(of: place)
            guard let database else { throw error(.closed) }
            guard let share = shares[name] else { return nil }
            guard let row = try database.row(name), seal.share(of: row) == share, let opened = seal.open(row),
                opened.place == place
            else { throw error(.damaged) }
            return opened.body
        }

        // MARK: Writing

        public func apply(_ changes: [MessageStoreChange]) throws(MessageStoreError) -> UInt64 {
            guard let database else { throw error(.closed) }
            var random = SystemRandomNumberGenerator()
            var next = head
            var changed: [Octets16: Octets32?] = [:]
            next.advance()
            try database.transaction { () throws(MessageStoreError) in
                for change in changes {
                    let name = seal.name(of: change.place)
                    if let share = changed[name] ?? shares[name] { next.remove(share) }
                    switch change {
                    case .put(let place, let body):
                        let row: StoreSeal.Row
                        do throws(MessageStoreError.Fault) {
                            row = try seal.seal(body, at: place, from: &random)
                        } catch {
                            throw self.error(error)
                        }
                        let share = seal.share(of: row)
                        next.add(share)
                        changed[name] = .some(share)
                        try database.put(row)
                    case .remove:
                        changed[name] = .some(nil)
                        try database.remove(name)
                    }
                }
                try putHead(next, in: database)
            }
            head = next
            for (name, share) in changed { shares[name] = share }
            // The change is stored from here on. A stale head file is normal, so failing to write it is not an error.
            try? files?.writeHead(seal.headFile(of: head))
            commitsInLog += 1
            if commitsInLog >= Self.checkpointInterval {
                commitsInLog = 0
                database.checkpoint()
            }
            return head.generation
        }

        private func putHead(_ head: StoreHead, in database: Database) throws(MessageStoreError) {
            var random = SystemRandomNumberGenerator()
            let sealed: [UInt8]
            do throws(MessageStoreError.Fault) { sealed = try seal.seal(head, from: &random) } catch {
                throw self.error(error)
            }
            try database.putHead(sealed)
        }

        private func error(_ fault: MessageStoreError.Fault) -> MessageStoreError {
            MessageStoreError(fault, "\(path)/\(Self.name)")
        }

        private func open() throws(MessageStoreError) -> Database {
            if let database { return database }
            let opened = try Database(
                path: "\(path)/\(Self.name)", synchronisation: synchronisation,
                pageLimit: Int64(Self.byteLimit) / Self.pageByteCount)
            let application = try opened.number("PRAGMA application_id")
            let version = try opened.number("PRAGMA user_version")
            let tables = try opened.number("SELECT count(*) FROM sqlite_schema")
            guard application == Self.applicationID || application == 0 && tables == 0 else { throw error(.foreign) }
            guard version <= Self.schemaVersion else {
                throw error(.newerVersion(found: UInt32(clamping: version)))
            }
            if application == 0 {
                try opened.transaction { () throws(MessageStoreError) in
                    try opened.run("PRAGMA application_id=\(Self.applicationID)")
                    try opened.run("PRAGMA user_version=\(Self.schemaVersion)")
                    try opened.run(
                        "CREATE TABLE rows (name BLOB PRIMARY KEY, sealed BLOB NOT NULL) STRICT, WITHOUT ROWID")
                    try opened.run("CREATE TABLE head (only INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT")
                }
            }
            database = opened
            return opened
        }
    }

    extension Database {
        fileprivate func sealedHead() throws(MessageStoreError) -> [UInt8]? {
            let statement = try Statement("SELECT sealed FROM head WHERE only = 1", on: self)
            return try statement.step() ? statement.bytes(0) : nil
        }

        fileprivate func putHead(_ sealed: [UInt8]) throws(MessageStoreError) {
            let statement = try Statement("INSERT OR REPLACE INTO head VALUES (1, ?)", on: self, isKept: true)
            try statement.bind(sealed, to: 1)
            _ = try statement.step()
        }

        fileprivate func everyRow(_ body: (StoreSeal.Row) -> Void) throws(MessageStoreError) {
            let statement = try Statement("SELECT name, sealed FROM rows", on: self)
            while try statement.step() {
                // A name of another length matches no row and does not open.
                let name = Octets16(statement.bytes(0).span) ?? Octets16(high: 0, low: 0)
                body(StoreSeal.Row(name: name, sealed: statement.bytes(1)))
            }
        }

        /// Returns the rows that are readable up to the damage.
        fileprivate func rowsBeforeDamage(_ sealedHead: inout [UInt8]?) -> [StoreSeal.Row] {
            var rows: [StoreSeal.Row] = []
            if let head = try? self.sealedHead() { sealedHead = head }
            try? everyRow { rows.append($0) }
            return rows
        }

        fileprivate func row(_ name: Octets16) throws(MessageStoreError) -> StoreSeal.Row? {
            let statement = try Statement("SELECT sealed FROM rows WHERE name = ?", on: self, isKept: true)
            try statement.bind(name.bytes, to: 1)
            return try statement.step() ? StoreSeal.Row(name: name, sealed: statement.bytes(0)) : nil
        }

        fileprivate func put(_ row: StoreSeal.Row) throws(MessageStoreError) {
            let statement = try Statement("INSERT OR REPLACE INTO rows VALUES (?, ?)", on: self, isKept: true)
            try statement.bind(row.name.bytes, to: 1)
            try statement.bind(row.sealed, to: 2)
            _ = try statement.step()
        }

        fileprivate func remove(_ name: Octets16) throws(MessageStoreError) {
            let statement = try Statement("DELETE FROM rows WHERE name = ?", on: self, isKept: true)
            try statement.bind(name.bytes, to: 1)
            _ = try statement.step()
        }
    }

    extension Octets16 {
        fileprivate var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(self)
            return bytes
        }
    }
#endif
