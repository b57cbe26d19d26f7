import InklingEngine
import InklingKeys

/// The epoch of the known answers, 1,984,000: it begins an hour.
let epochZero = epoch(0)

/// The epoch so many after `epochZero`.
func epoch(_ offset: Int) -> Epoch { Epoch(UInt32(1_984_000 + offset)) ?? Period.last.firstEpoch }

/// A reading so many real milliseconds after the start of `epochZero`, by a clock that is ahead by `ahead` seconds.
func reading(_ milliseconds: Int, ahead: Int = 0, rate: UInt32 = 1) -> ClockReading {
    let start = Int(epochZero.start) * 1000
    return ClockReading(
        tick: tick(milliseconds), unixMilliseconds: UInt64(start + milliseconds * Int(rate) + ahead * 1000), rate: rate)
}

/// The tick of that reading.
func tick(_ milliseconds: Int) -> Tick { Tick(milliseconds: UInt64(1_000_000_000 + milliseconds)) }

/// A generator that always draws the smallest (or the largest) number of a range.
struct ConstantGenerator: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }

    // One and not zero: the standard library rejects zero for most ranges, and would ask for ever.
    static var smallest: Self { Self(value: 1) }
    static var largest: Self { Self(value: .max) }
}
