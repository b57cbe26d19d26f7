/// A reproducible random number generator (SplitMix64), so that a run can be repeated from its seed.
struct Draws: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// A value of the normal distribution.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}

/// A step of the rig itself did not succeed, so that it says nothing about the package.
struct RigFault: Error {
    let step: String
}

func need<Value>(_ value: Value?, _ step: String) throws -> Value {
    guard let value else { throw RigFault(step: step) }
    return value
}
