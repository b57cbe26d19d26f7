import Testing

// Part of the package only while INKLING_PLANTED_FAULTS is set, so that they are built and run exactly like the other
// suites. Every other run skips them.

private nonisolated(unsafe) var shared = 0

@Suite struct PlantedFaults {
    @Test func race() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { unsafe shared += 1 } }
            }
        }
        #expect(unsafe shared > 0)
    }

    @Test func useAfterFree() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        unsafe bytes.initialize(repeating: 1, count: 64)
        unsafe bytes.deallocate()
        #expect(unsafe bytes[7] <= 255)
    }
}
