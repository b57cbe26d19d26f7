internal import Synchronization

/// The executor that runs the tasks of a simulation one after the other, in the order in which they became ready.
///
/// `Simulation` runs the queued jobs one at a time, so an empty queue means that every task is waiting.
@safe final class SimulationExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var next = 0
    }

    private let queue = Mutex(Queue())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.jobs.append(job) }
    }

    /// Runs the oldest job; returns false if there is none.
    func runNext() -> Bool {
        let job: UnownedJob? = queue.withLock { queue in
            guard queue.next < queue.jobs.count else { return nil }
            defer {
                queue.next += 1
                if queue.next == queue.jobs.count {
                    queue.jobs.removeAll(keepingCapacity: true)
                    queue.next = 0
                }
            }
            return queue.jobs[queue.next]
        }
        guard let job else { return false }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
