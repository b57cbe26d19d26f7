import Glibc
import InklingKeys
import InklingWire
import Testing

@testable import InklingLinux
@testable import InklingNode

@Suite struct DiskStorageTests {
    private static let device = KnownDevice(user: UserID(Octets16(high: 1, low: 1)), device: .first)

    /// Calls `body` with a new folder, and with the storage that receives into it.
    private func withFolder(_ body: (String, DiskStorage) async throws -> Void) async throws {
        var template = Array("/tmp/inkling-files-XXXXXX".utf8CString)
        let folder = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
        defer { _ = unsafe system("rm -rf \(folder)") }
        try await body(folder, DiskStorage(home: folder, folder: folder))
    }

    private func name(_ number: UInt64 = 1) -> PartialName {
        PartialName(TransferID(Octets16(high: number, low: 0)), from: Self.device, size: 5)
    }

    private func mode(_ path: String) throws -> UInt32 {
        var facts = stat()
        try #require(unsafe lstat(path, &facts) == 0)
        return facts.st_mode & 0o7777
    }

    /// Covers INK-FIL-010, INK-FIL-031, INK-FIL-036, INK-FIL-037.
    @Test func `a file stands in a private folder until it is kept, under a name of ours, once`() async throws {
        try await withFolder { folder, storage in
            #expect(await storage.find(name()) == .nothing)
            let file = try await storage.openPartial(name(), size: 5)
            #expect(try mode("\(folder)/.inkling-partial") == 0o700)
            let part = "\(folder)/.inkling-partial/\(name()).part"
            #expect(try mode(part) == 0o600)
            try await file.append(Array("hel".utf8))
            #expect(await storage.find(name()) == .part)
            // It continues after it was closed.
            let again = try await storage.openPartial(name(), size: 5)
            #expect(try await again.length() == 3)
            try await again.append(Array("lo".utf8))
            let path = try await again.keep()
            #expect(path.hasPrefix("\(folder)/inkling-2"))
            #expect(try mode(path) == 0o600)
            #expect(unsafe access(part, F_OK) != 0)
            #expect(await storage.find(name()) == .whole)
            let source = try await storage.openSource(path)
            #expect(try await source.read(at: 0, count: 100) == Array("hello".utf8))
        }
    }

    /// Covers INK-FIL-036.
    @Test func `a file that was kept before a crash is known as a whole`() async throws {
        try await withFolder { folder, storage in
            let file = try await storage.openPartial(name(), size: 5)
            try await file.append(Array("hello".utf8))
            let part = "\(folder)/.inkling-partial/\(name()).part"
            // The crash came after the second name and before the note.
            #expect(unsafe link(part, "\(folder)/kept") == 0)
            #expect(await storage.find(name()) == .whole)
            #expect(unsafe access(part, F_OK) != 0)
            #expect(await storage.find(name()) == .whole)
        }
    }

    /// Covers INK-FIL-037.
    @Test func `symbolic links, FIFOs and files of others are not written to`() async throws {
        try await withFolder { folder, storage in
            _ = try await storage.openPartial(name(9), size: 5)
            let part = "\(folder)/.inkling-partial/\(name()).part"
            #expect(unsafe symlink("\(folder)/elsewhere", part) == 0)
            await #expect(throws: FileFault.notAFile) { try await storage.openPartial(name(), size: 5) }
            #expect(unsafe access("\(folder)/elsewhere", F_OK) != 0)
            #expect(unsafe unlink(part) == 0 && mkfifo(part, 0o600) == 0)
            await #expect(throws: FileFault.notAFile) { try await storage.openPartial(name(), size: 5) }
            #expect(unsafe unlink(part) == 0)
            let file = try await storage.openPartial(name(), size: 5)
            try await file.append([1])
            #expect(unsafe chmod(part, 0o644) == 0)
            await #expect(throws: FileFault.noPermission) { try await storage.openPartial(name(), size: 5) }
            #expect(unsafe chmod("\(folder)/.inkling-partial", 0o755) == 0)
            await #expect(throws: FileFault.noPermission) { try await storage.openPartial(name(2), size: 5) }
        }
    }

    /// Covers INK-FIL-016.
    @Test func `a file for which there is no room leaves nothing`() async throws {
        try await withFolder { folder, storage in
            await #expect(throws: FileFault.diskFull) { try await storage.openPartial(name(), size: 1 << 40) }
            #expect(await storage.find(name()) == .nothing)
            #expect(await DiskStorage(home: folder, folder: "\(folder)/none").find(name()) == .unusable)
        }
    }

    /// Covers INK-FIL-026.
    @Test func `contacts do not fill the folder with beginnings`() async throws {
        try await withFolder { _, storage in
            for number in 0..<64 as Range<UInt64> { _ = try await storage.openPartial(name(number), size: 5) }
            await #expect(throws: FileFault.diskFull) { try await storage.openPartial(name(64), size: 5) }
            // A transfer that has begun continues.
            _ = try await storage.openPartial(name(3), size: 5)
        }
    }

    /// Covers INK-FIL-019.
    @Test func `rests are removed when nobody has touched them for long`() async throws {
        try await withFolder { folder, storage in
            _ = try await storage.openPartial(name(1), size: 5)
            _ = try await storage.openPartial(name(2), size: 5)
            let old = "\(folder)/.inkling-partial/\(name(1)).part"
            #expect(unsafe system("touch -d '8 days ago' \(old)") == 0)
            await storage.removeUntouched(forSeconds: 7 * 86_400)
            #expect(await storage.find(name(1)) == .nothing)
            #expect(await storage.find(name(2)) == .part)
        }
    }

    /// Covers INK-FIL-024.
    @Test func `the list of files is replaced as a whole`() async throws {
        try await withFolder { folder, storage in
            #expect(await storage.loadQueue() == nil)
            try await storage.saveQueue([1, 2, 3])
            try await storage.saveQueue([4, 5])
            #expect(await storage.loadQueue() == [4, 5])
            #expect(try mode("\(folder)/files") == 0o600)
        }
    }

    @Test func `only regular files are sent`() async throws {
        try await withFolder { folder, storage in
            #expect(unsafe mkfifo("\(folder)/fifo", 0o600) == 0)
            for path in ["\(folder)/fifo", folder, "/dev/zero"] {
                await #expect(throws: FileFault.notAFile) { try await storage.openSource(path) }
            }
            await #expect(throws: FileFault.missing) { try await storage.openSource("\(folder)/none") }
        }
    }
}
