internal import Glibc

/// A reader of small system files, with the view of an unprivileged program. In tests the root is a folder with copies.
package struct SystemFiles: Sendable {
    /// The largest file that is read, in bytes; a list of installed packages has a few MiB.
    private static let sizeLimit = 16 << 20
    /// The largest number of names read from a folder.
    private static let nameLimit = 65_536

    private let root: String

    /// Creates a reader of the files below `root`.
    package init(root: String = "") { self.root = root }

    /// Returns the content of a file; `nil` if it is unreadable or too large.
    package func text(_ path: String) -> String? {
        let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return String(decoding: content, as: UTF8.self) }
            guard count > 0, content.count + count <= Self.sizeLimit else { return nil }
            content += chunk[..<count]
        }
    }

    /// Returns the first line of a file, without trailing white space.
    func line(_ path: String) -> String? {
        text(path).map { text in
            String(text.prefix { $0 != "\n" }.reversed().drop(while: \.isWhitespace).reversed())
        }
    }

    /// Returns the sorted names in a folder; empty if it is unreadable.
    func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(root + path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < Self.nameLimit, let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the target of a symbolic link; `nil` if it is unreadable.
    func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(root + path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns whether a file exists, as far as this user may know.
    func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    /// Returns the user id of a file's owner.
    func owner(of path: String) -> UInt32? {
        var facts = stat()
        return unsafe stat(root + path, &facts) == 0 ? facts.st_uid : nil
    }
}
