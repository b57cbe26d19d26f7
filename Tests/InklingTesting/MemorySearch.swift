#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A search of the writable memory of this process for secrets: heap, freed heap and stacks. It holds the secrets in an
/// altered form, so that it does not find itself.
public struct MemorySearch: Sendable {
    private struct Wanted: Sendable {
        let name: String
        let altered: [UInt8]
    }

    private static let change: UInt8 = 0x5a
    private static let chunk = 1 << 20
    /// The longest secret.
    private static let limit = 4096
    private var wanted: [Wanted] = []

    public init() {}

    /// The names of the secrets.
    public var names: Set<String> { Set(wanted.map(\.name)) }

    /// Adds a secret of 8 to 4,096 bytes.
    public mutating func add(_ name: String, _ secret: Span<UInt8>) {
        precondition((8...Self.limit).contains(secret.count), "a secret of 8 to 4096 bytes")
        wanted.append(Wanted(name: name, altered: secret.indices.map { secret[$0] ^ Self.change }))
    }

    /// Returns the number of copies in memory of each secret that is there.
    ///
    /// - Returns: nil when the memory cannot be read.
    public func found() -> [String: Int]? {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0, let regions = Self.writableRegions() else { return nil }
        defer { close(memory) }
        let size = Self.chunk + Self.limit
        guard let buffer = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            UInt(bitPattern: buffer) != .max
        else { return nil }
        defer { unsafe munmap(buffer, size) }
        let own = UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(size)
        var found: [String: Int] = [:]
        for region in regions {
            var place = region.lowerBound
            while place < region.upperBound {
                let wish = min(size, Int(region.upperBound - place))
                let count = unsafe pread(memory, buffer, wish, off_t(place))
                if count > 0 {
                    unsafe note(UnsafeRawBufferPointer(start: buffer, count: count), at: place, but: own, &found)
                }
                place += UInt(Self.chunk)
            }
        }
        return found
    }

    /// Counts the secrets that begin in the first part of the bytes.
    private func note(
        _ bytes: UnsafeRawBufferPointer, at address: UInt, but own: Range<UInt>, _ found: inout [String: Int]
    ) {
        guard let start = bytes.baseAddress else { return }
        for one in wanted {
            // The C library finds one byte quickly; one that is rare in memory, and no secret by itself.
            let anchor = one.altered.indices.dropFirst(one.altered.count / 2).first { place in
                ![0, 1, 0xff].contains(one.altered[place] ^ Self.change)
            }
            guard let anchor else { continue }
            var from = anchor
            while from < bytes.count,
                let match = unsafe memchr(start + from, CInt(one.altered[anchor] ^ Self.change), bytes.count - from)
            {
                let offset = unsafe UnsafeRawPointer(match) - start - anchor
                from = offset + anchor + 1
                // A secret that begins later is in the next part of the memory too.
                guard offset < Self.chunk, offset + one.altered.count <= bytes.count,
                    !own.contains(address + UInt(offset)),
                    one.altered.indices.allSatisfy({ unsafe bytes[offset + $0] ^ Self.change == one.altered[$0] })
                else { continue }
                found[one.name, default: 0] += 1
            }
        }
    }

    private static func writableRegions() -> [Range<UInt>]? {
        guard let file = unsafe fopen("/proc/self/maps", "re") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var regions: [Range<UInt>] = []
        while unsafe fgets(&line, 4096, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, ends[0] < ends[1] { regions.append(ends[0]..<ends[1]) }
        }
        return regions
    }
}
