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

    /// A private home directory with a message store, removed when the value is released.
    final class StoreHome: Sendable {
        let path: String
        let anchor: MessageStoreAnchor

        init() throws {
            var template = Array("/tmp/inkling-store-XXXXXX".utf8CString)
            let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
                unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }
                    .flatMap { unsafe String(validatingCString: $0) }
            }
            path = try #require(made)
            var random = SeededGenerator(seed: 7)
            anchor = MessageStoreAnchor.drawn(from: &random)
        }

        deinit {
            for name in names { unsafe unlink("\(path)/\(name)") }
            for name in names { unsafe rmdir("\(path)/\(name)") }
            unsafe rmdir(path)
        }

        var names: [String] {
            guard let directory = unsafe opendir(path) else { return [] }
            defer { unsafe closedir(directory) }
            var names: [String] = []
            while let entry = unsafe readdir(directory) {
                let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: unsafe bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != "." && name != ".." { names.append(name) }
            }
            return names.sorted()
        }

        func store(floor: UInt64 = 0, mark: UInt64? = nil) -> SQLiteMessageStore {
            SQLiteMessageStore(
                home: path,
                anchor: MessageStoreAnchor(key: anchor.key, mark: mark ?? anchor.mark, floor: floor))
        }

        /// Runs `body` on the database itself, as a change behind the node's back would.
        func tamper(_ body: (Database) throws -> Void) throws {
            try body(
                Database(
                    path: "\(path)/\(SQLiteMessageStore.name)", synchronisation: .full, pageLimit: 1_000_000))
        }

        /// Returns every file by its name.
        func copy() -> [String: [UInt8]] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, bytes(of: $0)) })
        }

        func put(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o600) {
            let file = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
            defer { close(file) }
            _ = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        }

        func bytes(of name: String) -> [UInt8] {
            let file = unsafe open("\(path)/\(name)", O_RDONLY)
            guard file >= 0 else { return [] }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 8 << 20)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            return Array(bytes.prefix(max(0, count)))
        }

        /// Restores all files from a copy.
        func restore(_ copy: [String: [UInt8]]) {
            for name in names { unsafe unlink("\(path)/\(name)") }
            for (name, bytes) in copy { put(bytes, name) }
        }
    }

    let storeUser = UserID(Octets16(high: 1, low: 2))

    func place(
        _ number: UInt64, _ direction: MessagePlace.Direction = .queued, of user: UserID = storeUser
    ) -> MessagePlace {
        MessagePlace(direction, contact: user, device: .first, number: number)
    }

    func text(_ number: UInt64) -> [UInt8] { Array("the text with the number \(number)".utf8) }

    func put(_ number: UInt64) -> MessageStoreChange { .put(place(number), text(number)) }

    /// Returns the fault that `action` throws, or nil.
    func storeFault(_ action: () async throws -> Void) async -> MessageStoreError.Fault? {
        do {
            try await action()
            return nil
        } catch {
            return (error as? MessageStoreError)?.fault
        }
    }
#endif
