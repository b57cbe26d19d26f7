import Dispatch
import InklingTerminal
import InklingTesting
import Testing

@testable import InklingCommand

@Suite struct BlockingTests {
    /// The tasks of a program share as many threads as the machine has processors.
    @Test(.hangDetector)
    func `what blocks does not keep tasks from running`() async {
        let gate = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<24 {
                group.addTask {
                    await blocking {
                        gate.wait()
                        return number
                    }
                }
            }
            // This runs only if a thread is left for it.
            group.addTask {
                for _ in 0..<24 { gate.signal() }
                return 24
            }
            var sum = 0
            for await number in group { sum += number }
            #expect(sum == 300)
        }
    }
}
