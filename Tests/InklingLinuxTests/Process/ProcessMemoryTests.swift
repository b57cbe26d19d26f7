import Testing

@testable import InklingLinux

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ProcessMemoryTests {
    #if canImport(Glibc)
        // Another thread may get the same addresses in between, hence not all of them.
        @Test func `a freed table is returned to the system, even after an earlier one`() {
            ProcessMemory.returnLargeBlocks()
            let rounds = 20
            let returned = (0..<rounds).count { _ in isReturned(ProcessMemory.returnedSize * 2) }
            #expect(returned > rounds / 2)
        }
    #endif
}

#if canImport(Glibc)
    /// Whether the second page of a block no longer belongs to the process after the block was freed.
    private func isReturned(_ count: Int) -> Bool {
        let page = UInt(sysconf(CInt(_SC_PAGESIZE)))
        guard let block = unsafe malloc(count) else { return false }
        unsafe memset(block, 1, count)
        let second = (UInt(bitPattern: block) / page + 1) * page
        unsafe free(block)
        // It fails with ENOMEM for a page that is not mapped.
        return unsafe msync(UnsafeMutableRawPointer(bitPattern: second), Int(page), MS_ASYNC) != 0
    }
#endif
