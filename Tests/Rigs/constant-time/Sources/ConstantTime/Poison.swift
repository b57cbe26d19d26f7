internal import CPoison
internal import InklingKeys

/// Creates a secret of `count` bytes of which valgrind watches every bit; different seeds give different secrets.
func poisoned(_ seed: UInt8, count: Int = 32) -> SecretBytes {
    SecretBytes(count: count) { bytes in
        for index in bytes.indices { bytes[index] = seed &* 31 &+ UInt8(truncatingIfNeeded: index &* 7) }
        bytes.withUnsafeMutableBufferPointer { poison($0.baseAddress, $0.count) }
    }
}

/// Poisons one word of a random number generator.
func poison(word: UnsafeMutablePointer<UInt64>) { poison(word, MemoryLayout<UInt64>.size) }
