import InklingEngine
import InklingKeys

/// Epoch 1,984,000, which the examples of the specification use; it is the first of a period.
let epochZero = epoch(0)

/// The epoch this many epochs after `epochZero`.
func epoch(_ offset: Int) -> Epoch { Epoch(UInt32(1_984_000 + offset)) ?? Period.last.firstEpoch }

/// The reading this many real milliseconds after the start of `epochZero`, of a clock that is `ahead` seconds ahead.
func reading(_ milliseconds: Int, ahead: Int = 0, rate: UInt32 = 1) -> ClockReading {
    let start = Int(epochZero.start) * 1000
    return ClockReading(
        tick: tick(milliseconds), unixMilliseconds: UInt64(start + milliseconds * Int(rate) + ahead * 1000), rate: rate)
}

/// The tick of that reading.
func tick(_ milliseconds: Int) -> Tick { Tick(milliseconds: UInt64(1_000_000_000 + milliseconds)) }

/// A generator that always draws the least or the greatest number of a range.
struct ConstantGenerator: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }

    // 1 instead of 0, because the standard library rejects 0 for most ranges and would draw forever.
    static var smallest: Self { Self(value: 1) }
    static var largest: Self { Self(value: .max) }
}
