#if Node
    import InklingKeys
    import InklingTesting
    import Testing

    @testable import InklingLinux
    @testable import InklingNode
    @testable import InklingVault

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    struct `Store of messages` {
        @Test func `what was applied is there after the store is opened again, in the order of the places`()
            async throws
        {
            let home = try StoreHome()
            do {
                let store = home.store()
                #expect(try await store.load() == LoadedMessages(rows: [], generation: 0, era: 0, findings: []))
                #expect(try await store.apply([put(3), put(1)]) == 1)
                #expect(try await store.apply([put(2), .remove(place(3)), .put(place(1), [9])]) == 2)
                #expect(try await store.apply([.remove(place(70))]) == 3)
            }
            let store = home.store(floor: 3)
            let loaded = try await store.load()
            #expect(loaded.findings.isEmpty)
            #expect(loaded.generation == 3)
            #expect(
                loaded.rows == [
                    LoadedMessages.Row(place(1), body: [9]), LoadedMessages.Row(place(2), body: text(2)),
                ])
            #expect(try await store.body(at: place(2)) == text(2))
            #expect(try await store.body(at: place(3)) == nil)
        }

        /// Covers INK-STO-004.
        @Test func `every file of the store is private, whatever the umask is`() async throws {
            let home = try StoreHome()
            let before = umask(0)
            defer { umask(before) }
            let store = home.store()
            _ = try await store.load()
            _ = try await store.apply([put(1)])
            #expect(home.names == ["messages", "messages-wal", "messages.head", "messages.lock"])
            for name in home.names {
                var status = stat()
                unsafe #expect(stat("\(home.path)/\(name)", &status) == 0)
                #expect(status.st_mode & 0o7777 == 0o600)
            }
        }

        /// Covers INK-STO-003.
        @Test func `no file contains a text, a place or the key`() async throws {
            let home = try StoreHome()
            let store = home.store()
            _ = try await store.load()
            _ = try await store.apply([put(1), put(2)])
            _ = try await store.apply([.remove(place(1))])
            var secrets: [[UInt8]] = [Array("the text".utf8)]
            secrets.append(home.anchor.key.value.withBytes { bytes in bytes.indices.map { bytes[$0] } })
            var user: [UInt8] = []
            user.append(storeUser.octets)
            secrets.append(user)
            for (name, bytes) in home.copy() {
                for secret in secrets { #expect(!bytes.contains(secret), "\(name)") }
            }
            // The control: the search finds other bytes that are there.
            #expect(home.bytes(of: "messages").contains(Array("SQLite".utf8)))
        }

        /// Covers INK-STO-021.
        @Test func `a second store of the home is refused while the first is open`() async throws {
            let home = try StoreHome()
            let store = home.store()
            _ = try await store.load()
            #expect(
                await storeFault { _ = try await home.store().load() } == .file(.alreadyRunning(process: getpid())))
            _ = try await store.apply([put(1)])
        }

        /// Covers INK-STO-006.
        @Test func `a body of 64 KiB is stored, and a longer one refused without a change`() async throws {
            let home = try StoreHome()
            let store = home.store()
            _ = try await store.load()
            let long = [UInt8](repeating: 1, count: 65_536)
            #expect(try await store.apply([.put(place(1), long)]) == 1)
            #expect(
                await storeFault { _ = try await store.apply([put(2), .put(place(3), long + [1])]) }
                    == .bodyTooLarge(bytes: 65_537, limit: 65_536))
            #expect(try await store.body(at: place(1)) == long)
            #expect(try await store.body(at: place(2)) == nil)
            #expect(try await store.apply([put(2)]) == 2)
        }
    }

    struct `Changed stores of messages` {
        /// Opens a home with three rows after a change to its files; returns the loaded messages.
        private func loaded(
            floor: UInt64 = 0, mark: UInt64? = nil, after change: (StoreHome) async throws -> Void
        ) async throws -> LoadedMessages {
            let home = try StoreHome()
            do {
                let store = home.store()
                _ = try await store.load()
                for number: UInt64 in 1...3 { _ = try await store.apply([put(number)]) }
            }
            try await change(home)
            let loaded: LoadedMessages
            do {
                let store = home.store(floor: floor, mark: mark)
                loaded = try await store.load()
                // Whatever the findings, the store continues, above every generation that was used.
                #expect(try await store.apply([put(10)]) == loaded.generation + 1)
                #expect(try await store.body(at: place(10)) == text(10))
            }
            // It was repaired, so nothing is found a second time.
            let again = try await home.store(floor: loaded.generation, mark: mark).load()
            #expect(again.findings.isEmpty)
            #expect(again.era == loaded.era)
            #expect(again.rows.map(\.place.number) == loaded.rows.map(\.place.number) + [10])
            return loaded
        }

        @Test func `nothing is found in a store that nobody touched`() async throws {
            let loaded = try await loaded { _ in }
            #expect(loaded.findings.isEmpty)
            #expect(loaded.era == 0)
        }

        /// Covers INK-STO-010, INK-STO-014.
        @Test func `a row that was deleted is noticed`() async throws {
            let loaded = try await loaded { home in
                try home.tamper { try $0.run("DELETE FROM rows WHERE name = (SELECT min(name) FROM rows)") }
            }
            #expect(loaded.findings == [.changedRows])
            #expect(loaded.rows.count == 2)
            #expect(loaded.era == 1)
        }

        /// Covers INK-STO-010.
        @Test func `rows that were moved to other places are noticed, and not used`() async throws {
            let loaded = try await loaded { home in
                try home.tamper { database in
                    try database.run("UPDATE rows SET sealed = (SELECT sealed FROM rows r WHERE r.name <> rows.name)")
                }
            }
            // One of the three has kept its own, because the first had been replaced by it before.
            #expect(loaded.findings == [.damagedRows(count: 2)])
            #expect(loaded.rows.count == 1)
        }

        /// Covers INK-STO-010.
        @Test func `a row that was replaced by an older one of its place is noticed`() async throws {
            let loaded = try await loaded { home in
                try home.tamper { try $0.run("CREATE TABLE kept AS SELECT * FROM rows") }
                do {
                    let store = home.store()
                    _ = try await store.load()
                    _ = try await store.apply([.put(place(2), [1, 2, 3])])
                }
                try home.tamper { database in
                    try database.run("INSERT OR REPLACE INTO rows SELECT * FROM kept")
                    try database.run("DROP TABLE kept")
                }
            }
            #expect(loaded.findings == [.changedRows])
        }

        /// Covers INK-STO-010.
        @Test func `a row with a flipped bit is noticed and lost, and the others are kept`() async throws {
            let loaded = try await loaded { home in
                try home.tamper { database in
                    try database.run(
                        """
                        UPDATE rows SET sealed = CAST(substr(sealed, 1, 40) || x'00' || substr(sealed, 42) AS BLOB)
                        WHERE name = (SELECT max(name) FROM rows)
                        """)
                }
            }
            #expect(loaded.findings == [.damagedRows(count: 1)])
            #expect(loaded.rows.count == 2)
        }

        /// Covers INK-STO-011.
        @Test func `an old copy of the database is noticed by the head file`() async throws {
            let loaded = try await loaded { home in
                let old = home.copy()
                do {
                    let store = home.store()
                    _ = try await store.load()
                    _ = try await store.apply([put(4)])
                }
                let head = home.bytes(of: "messages.head")
                home.restore(old)
                home.put(head, "messages.head")
            }
            #expect(loaded.findings == [.restoredOldCopy(generation: 3, expected: 4)])
            #expect(loaded.generation == 5)
        }

        /// Covers INK-STO-011.
        @Test func `an old copy of all files of the store is noticed by what the vault knows`() async throws {
            let loaded = try await loaded(floor: 9) { _ in }
            #expect(loaded.findings == [.restoredOldCopy(generation: 3, expected: 9)])
            #expect(loaded.generation == 10)
        }

        @Test func `a store that is missing although there was one is noticed`() async throws {
            let loaded = try await loaded { home in
                for name in home.names where name != "messages.head" { unsafe unlink("\(home.path)/\(name)") }
            }
            #expect(loaded.findings == [.restoredOldCopy(generation: 0, expected: 3)])
            #expect(loaded.rows.isEmpty)
        }

        /// Covers INK-STO-012.
        @Test(arguments: [nil, [], [UInt8](repeating: 7, count: 80)] as [[UInt8]?])
        func `a store whose head file is missing or was changed may be an old copy`(bytes: [UInt8]?) async throws {
            let loaded = try await loaded { home in
                unsafe unlink("\(home.path)/messages.head")
                if let bytes { home.put(bytes, "messages.head") }
            }
            #expect(loaded.findings == [.unknownAge])
            #expect(loaded.rows.count == 3)
        }

        /// Covers INK-STO-012.
        @Test func `a vault that was adopted as a restored copy begins another era`() async throws {
            let loaded = try await loaded(mark: 5) { _ in }
            #expect(loaded.findings == [.restoredVault])
            #expect(loaded.rows.count == 3)
            #expect(loaded.era == 1)
        }

        /// Covers INK-STO-013.
        @Test func `a database with damaged pages is set aside, and what can be read is kept`() async throws {
            let home = try StoreHome()
            do {
                let store = home.store()
                _ = try await store.load()
                for number: UInt64 in 1...200 { _ = try await store.apply([put(number)]) }
            }
            var bytes = home.bytes(of: "messages")
            #expect(bytes.count > 5 * 4096)
            for index in bytes.count - 4096..<bytes.count - 4000 { bytes[index] = 0xff }
            home.put(bytes, "messages")
            let store = home.store()
            let loaded = try await store.load()
            #expect(loaded.findings.contains(.setAside))
            #expect(loaded.rows.count < 200)
            #expect(loaded.rows.count > 0)
            #expect(home.bytes(of: "messages.damaged") == bytes)
            let place = try #require(loaded.rows.first?.place)
            #expect(try await store.body(at: place) == text(place.number))
            #expect(try await store.apply([put(900)]) == loaded.generation + 1)
        }

        /// Covers INK-STO-010.
        @Test func `no flipped bit changes a row without being noticed`() async throws {
            let home = try StoreHome()
            do {
                let store = home.store()
                _ = try await store.load()
                for number: UInt64 in 1...3 { _ = try await store.apply([put(number)]) }
            }
            let good = home.copy()
            let database = try #require(good["messages"])
            var silent = 0
            var random = SeededGenerator(seed: 3)
            for _ in 0..<400 {
                home.restore(good)
                var bytes = database
                let index = Int.random(in: bytes.indices, using: &random)
                bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                home.put(bytes, "messages")
                guard let loaded = try? await home.store().load() else { continue }
                let isSame = loaded.rows.map(\.prefix) == [text(1), text(2), text(3)]
                if !isSame && loaded.findings.isEmpty { silent += 1 }
            }
            #expect(silent == 0)
        }
    }

    extension [UInt8] {
        fileprivate func contains(_ part: [UInt8]) -> Bool {
            guard let first = part.first, part.count <= count else { return false }
            return indices.dropLast(part.count - 1).contains { index in
                self[index] == first && self[index..<index + part.count].elementsEqual(part)
            }
        }
    }
#endif
