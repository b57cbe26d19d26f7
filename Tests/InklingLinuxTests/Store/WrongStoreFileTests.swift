#if Node
    import InklingKeys
    import Testing

    @testable import InklingLinux
    @testable import InklingNode
    @testable import InklingVault

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    struct `Wrong files in the place of a store` {
        /// Covers INK-STO-020.
        @Test(arguments: ["messages", "messages-wal", "messages.lock"])
        func `a directory, a FIFO and a symbolic link are refused, and stay as they are`(name: String) async throws {
            for (kind, make) in [
                (.directory, { unsafe mkdir($0, 0o700) }), (.fifo, { unsafe mkfifo($0, 0o600) }),
                (.symbolicLink, { unsafe symlink("/etc/passwd", $0) }),
            ] as [(VaultError.FileKind, (String) -> Int32)] {
                let home = try StoreHome()
                #expect(make("\(home.path)/\(name)") == 0)
                let fault = await storeFault { _ = try await home.store().load() }
                #expect(fault == .file(.notAFile(kind)))
            }
        }

        /// Covers INK-STO-020.
        @Test func `a text, a database of another program and one of a later version are refused, and not changed`()
            async throws
        {
            let text = Array("Shopping list: milk, bread and a small database of somebody else.".utf8)
            let home = try StoreHome()
            home.put(text, "messages")
            #expect(await storeFault { _ = try await home.store().load() } == .foreign)
            #expect(home.bytes(of: "messages") == text)

            let other = try StoreHome()
            other.put([], "messages")
            try other.tamper { database in
                try database.run("PRAGMA application_id=77")
                try database.run("CREATE TABLE list (item TEXT)")
                database.checkpoint()
            }
            let before = other.bytes(of: "messages")
            #expect(await storeFault { _ = try await other.store().load() } == .foreign)
            #expect(other.bytes(of: "messages") == before)

            let later = try StoreHome()
            _ = try await later.store().load()
            try later.tamper { database in
                try database.run("PRAGMA user_version=2")
                database.checkpoint()
            }
            #expect(await storeFault { _ = try await later.store().load() } == .newerVersion(found: 2))
        }

        /// Covers INK-STO-020.
        @Test func `a sparse file of a terabyte and one that others can read are refused`() async throws {
            let home = try StoreHome()
            home.put([], "messages")
            unsafe #expect(truncate("\(home.path)/messages", 1 << 40) == 0)
            #expect(
                await storeFault { _ = try await home.store().load() } == .tooLarge(bytes: 1 << 40, limit: 4 << 30))

            let open = try StoreHome()
            open.put([], "messages")
            unsafe #expect(chmod("\(open.path)/messages", 0o644) == 0)
            #expect(
                await storeFault { _ = try await open.store().load() } == .file(.unsafePermissions(mode: 0o644)))
        }

        /// Covers INK-STO-020.
        @Test func `zeros without a log are no database`() async throws {
            let home = try StoreHome()
            home.put([UInt8](repeating: 0, count: 8192), "messages")
            #expect(await storeFault { _ = try await home.store().load() } == .foreign)
            #expect(home.bytes(of: "messages") == [UInt8](repeating: 0, count: 8192))
        }

        @Test func `an empty file is that of a store that was about to be created`() async throws {
            let home = try StoreHome()
            home.put([], "messages")
            let loaded = try await home.store().load()
            #expect(loaded.findings.isEmpty)
        }
    }
#endif
