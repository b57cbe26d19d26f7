// Only without optimisation: in optimised code, bytes that pass through vector registers can leave copies on the stack,
// so that the number of copies has no meaning.
#if os(Linux) && DEBUG
    import Glibc
    import InklingTesting
    import Synchronization

    @testable import InklingKeys

    /// 32 bytes that are in memory only after `secret` has created them; the test process itself keeps a masked form.
    struct Needle {
        private static let mask: UInt8 = 0xa7
        private let masked: [UInt8]

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            masked = (0..<32).map { _ in generator.next() }
        }

        /// Creates a needle from the first 32 bytes of `bytes`.
        init(of bytes: Span<UInt8>) { masked = (0..<32).map { bytes[$0] ^ Self.mask } }

        /// Creates the only copy of the bytes.
        func secret() -> SecretBytes { SecretBytes(count: 32) { write(to: &$0) } }

        func write(to view: inout MutableSpan<UInt8>) {
            for index in masked.indices { view[index] = byte(index) }
        }

        /// Returns the number of copies of the last 16 bytes in the writable memory of this process, freed or not. The
        /// first half is not compared, because the allocator overwrites it when memory is freed.
        ///
        /// The memory is read into a buffer with its own mapping, which is not searched.
        func copies() -> Int { Self.scanning.withLock { _ in scan() } }

        // One scan at a time: the buffer of a second scan would contain a copy of the bytes that the first one
        // searches.
        private static let scanning = Mutex(())

        private func scan() -> Int {
            let size = 1 << 20
            guard let buffer = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) else {
                return -1
            }
            defer { unsafe munmap(buffer, size) }
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            guard memory >= 0 else { return -1 }
            defer { close(memory) }
            let own = UInt(bitPattern: buffer)
            var count = 0
            for region in Self.writableRegions() where !region.contains(own) {
                var start = region.lowerBound
                while start + 16 <= region.upperBound {
                    let wanted = min(size, Int(region.upperBound - start))
                    let got = unsafe pread(memory, buffer, wanted, off_t(start))
                    guard got >= 16 else { break }
                    count += unsafe occurrences(in: UnsafeRawBufferPointer(start: buffer, count: got))
                    // Steps back, so that a copy that extends over two pieces is found, and only in the second.
                    start += UInt(got) - 15
                }
            }
            return count
        }

        // One byte at a time: sixteen unmasked bytes in a vector register would be saved on the stack by the next call
        // that the dynamic linker resolves.
        @inline(never)
        private func byte(_ index: Int) -> UInt8 { masked[index] ^ Self.mask }

        private func occurrences(in bytes: UnsafeRawBufferPointer) -> Int {
            guard let start = bytes.baseAddress else { return 0 }
            var count = 0
            var offset = 0
            while offset + 16 <= bytes.count,
                let hit = unsafe memchr(start + offset, Int32(byte(16)), bytes.count - 15 - offset)
            {
                offset = unsafe hit - UnsafeMutableRawPointer(mutating: start)
                if (1..<16).allSatisfy({ unsafe bytes[offset + $0] == byte(16 + $0) }) { count += 1 }
                offset += 1
            }
            return count
        }

        private static func writableRegions() -> [Range<UInt>] {
            guard let file = unsafe fopen("/proc/self/maps", "r") else { return [] }
            defer { unsafe fclose(file) }
            var regions: [Range<UInt>] = []
            var line = [CChar](repeating: 0, count: 4096)
            while unsafe fgets(&line, Int32(line.count), file) != nil {
                let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .split(separator: " ")
                guard fields.count > 1, fields[1].hasPrefix("rw") else { continue }
                let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                if ends.count == 2, ends[0] < ends[1] { regions.append(ends[0]..<ends[1]) }
            }
            return regions
        }
    }
#endif
