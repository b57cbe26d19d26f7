import Glibc

/// What the figures were measured on.
struct Machine {
    let processor: String
    let processorCount: Int
    let system: String

    init() {
        processor = Self.field("model name", in: "/proc/cpuinfo") ?? "unknown processor"
        processorCount = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        var name = utsname()
        uname(&name)
        system = "Linux " + withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func field(_ name: String, in path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 8192)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix(name), let colon = text.firstIndex(of: ":") else { continue }
            return text[text.index(after: colon)...].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return nil
    }
}
