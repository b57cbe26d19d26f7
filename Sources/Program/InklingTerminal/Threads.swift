import Dispatch

/// Runs `body`, which may block for long, on a Dispatch thread. Tasks share a few threads, and the node's own tasks
/// must not wait for it.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
        DispatchQueue.global().async { answer.resume(returning: body()) }
    }
}

/// Calls `work` for each element, on all processors at once, and `take` with each result in the order of the elements.
///
/// `take` gets a result as soon as it has those of all earlier elements, so that output need not wait for the last one.
package func onAllProcessors<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ work: @escaping @Sendable (Element) -> Result, taking take: (Int, Result) -> Void
) async {
    await withTaskGroup(of: (Int, Result).self) { group in
        for (index, element) in elements.enumerated() { group.addTask { (index, work(element)) } }
        var early: [Int: Result] = [:]
        var next = 0
        for await (index, result) in group {
            early[index] = result
            while let result = early.removeValue(forKey: next) {
                take(next, result)
                next += 1
            }
        }
    }
}
