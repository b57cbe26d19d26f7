import Dispatch
import Foundation
import Testing

// Part of the package only while INKLING_PLANTED_FAULTS is set, so that they are built and run exactly like the other
// suites. Every other run skips them.

private nonisolated(unsafe) var shared = 0

@Suite struct PlantedFaults {
    // On threads of their own: two tasks may share one thread, where they cannot race.
    @Test func race() async {
        await withCheckedContinuation { continuation in
            let both = DispatchGroup()
            for _ in 0..<2 {
                both.enter()
                Thread.detachNewThread {
                    for _ in 0..<10_000 { unsafe shared += 1 }
                    both.leave()
                }
            }
            both.notify(queue: .global()) { continuation.resume() }
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
