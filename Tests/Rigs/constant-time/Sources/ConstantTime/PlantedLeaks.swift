internal import InklingKeys

/// Three ways to leak a secret through timing, which the rig must find.
enum PlantedLeak: String, CaseIterable {
    case earlyExit = "early-exit"
    case tableLookup = "table-lookup"
    case branchOnBit = "branch-on-bit"

    func run() -> Int {
        let secret = poisoned(1)
        let other = poisoned(2)
        switch self {
        case .earlyExit:
            return secret.withBytes { left in
                other.withBytes { right in
                    var index = 0
                    while index < left.count, left[index] == right[index] { index += 1 }
                    return index
                }
            }
        case .tableLookup:
            let table = (0..<256).map { $0 &* 167 & 255 }
            return secret.withBytes { bytes in
                var sum = 0
                for index in bytes.indices { sum &+= table[Int(bytes[index])] }
                return sum
            }
        case .branchOnBit:
            return secret.withBytes { bytes in
                var count = 0
                // Two calls that the optimiser cannot merge into arithmetic.
                for index in bytes.indices {
                    if bytes[index] & 1 == 1 { count = larger(count) } else { count = smaller(count) }
                }
                return count
            }
        }
    }
}

@inline(never) private func larger(_ count: Int) -> Int { CommandLine.arguments.count &+ count }

@inline(never) private func smaller(_ count: Int) -> Int { CommandLine.arguments.count &- count }
