internal import CPoison
internal import Glibc

// Usage, under valgrind: ConstantTime operations, or ConstantTime and the name of a planted leak.

guard poison_is_watched() != 0 else {
    print("This program needs valgrind; run Tests/Rigs/constant-time/check.")
    exit(1)
}
switch CommandLine.arguments.dropFirst().first {
case "operations":
    for operation in Operation.all {
        let before = poison_reports()
        do {
            try operation.run()
        } catch {
            print("✗ \(operation.name): \(error)")
            exit(1)
        }
        let reports = poison_reports() - before
        print(
            "\(reports == 0 ? "✓" : "✗") \(operation.name)\(reports == 0 ? "" : ": \(reports) \(reports == 1 ? "report" : "reports")")"
        )
    }
    print("\(Operation.all.count) operations on secrets")
case let name?:
    guard let leak = PlantedLeak(rawValue: name) else {
        print("unknown planted leak '\(name)'")
        exit(1)
    }
    var result = leak.run()
    // Uses the result without a branch on it, so that the optimiser does not remove the leak.
    withUnsafePointer(to: &result) { publish($0, MemoryLayout<Int>.size) }
    print("\(name): \(result & 1)")
case nil:
    print("usage: ConstantTime operations|\(PlantedLeak.allCases.map(\.rawValue).joined(separator: "|"))")
    exit(1)
}
