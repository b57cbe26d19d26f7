internal import CPoison
internal import InklingKeys

/// A secret of `count` bytes whose every bit valgrind watches; `seed` only makes different secrets differ.
func poisoned(_ seed: UInt8, count: Int = 32) -> SecretBytes {
    SecretBytes(count: count) { bytes in
        for index in bytes.indices { bytes[index] = seed &* 31 &+ UInt8(truncatingIfNeeded: index &* 7) }
        bytes.withUnsafeMutableBufferPointer { poison($0.baseAddress, $0.count) }
    }
}

/// Poisons a secret that was taken out of a message, where `PublicResults.c` had declared the whole message readable.
func poisonAgain(_ secret: inout SecretBytes) {
    secret.withMutableBytes { bytes in
        bytes.withUnsafeMutableBufferPointer { poison($0.baseAddress, $0.count) }
    }
}
