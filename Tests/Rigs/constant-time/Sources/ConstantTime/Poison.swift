internal import CPoison
internal import InklingKeys

/// A secret of `count` bytes whose every bit valgrind watches; `seed` only makes different secrets differ.
func poisoned(_ seed: UInt8, count: Int = 32) -> SecretBytes {
    SecretBytes(count: count) { bytes in
        for index in bytes.indices { bytes[index] = seed &* 31 &+ UInt8(truncatingIfNeeded: index &* 7) }
        bytes.withUnsafeMutableBufferPointer { poison($0.baseAddress, $0.count) }
    }
}

/// Poisons one word, for a generator of randomness.
func poison(word: UnsafeMutablePointer<UInt64>) { poison(word, MemoryLayout<UInt64>.size) }
