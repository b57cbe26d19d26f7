import Testing

@testable import InklingLinux

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ProcessMemoryTests {
    #if canImport(Glibc)
        // So many blocks at once that most are new, whatever the heap of this thread has free. Another thread may get the
        // same addresses in between.
        @Test func `a freed table is returned to the system, even after an earlier one`() {
            ProcessMemory.returnLargeBlocks()
            let size = ProcessMemory.returnedSize * 2
            unsafe free(malloc(size))
            var blocks: [UInt] = []
            for _ in 0..<256 {
                guard let block = unsafe malloc(size) else { continue }
                unsafe memset(block, 1, size)
                blocks.append(UInt(bitPattern: block))
            }
            let returned = blocks.count { isReturned(byFreeing: $0) }
            #expect(returned > 128)
        }
    #endif
}

#if canImport(Glibc)
    /// Whether the second page of a block no longer belongs to the process after the block was freed.
    private func isReturned(byFreeing block: UInt) -> Bool {
        let page = UInt(sysconf(CInt(_SC_PAGESIZE)))
        let second = (block / page + 1) * page
        unsafe free(UnsafeMutableRawPointer(bitPattern: block))
        // It fails with ENOMEM for a page that is not mapped.
        return unsafe msync(UnsafeMutableRawPointer(bitPattern: second), Int(page), MS_ASYNC) != 0
    }
#endif
