package import InklingKeys
import InklingLinux
package import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads a key of 32 bytes from a file, raw or as 64 hexadecimal digits; `-` is standard input.
///
/// - Throws: `Failure` when the file cannot be read or contains anything else.
package func readKey(_ path: String) throws(Failure) -> SecretBytes {
    ProcessHardening.apply()
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.badData, "cannot read \(path): \(systemMessage())") }
    defer { if path != "-" { close(descriptor) } }
    // A key takes at most 64 digits and a line feed. Further bytes show that the file is not a key.
    var count = 0
    let content = SecretBytes(count: 67) { view in
        unsafe view.withUnsafeMutableBytes { bytes in
            while count < bytes.count {
                let got = unsafe read(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
                if got > 0 { count += got } else if got == 0 || errno != EINTR { return }
            }
        }
    }
    if count == keyByteCount { return content.withBytes { SecretBytes(copying: $0.extracting(first: keyByteCount)) } }
    let isHex = content.withBytes { bytes in
        (count == 64 || count == 65 && bytes[64] == 0x0a) && (0..<64).allSatisfy { hexValue(bytes[$0]) != nil }
    }
    guard isHex else {
        throw Failure(
            .badData, "\(path) is not a key: expected 32 bytes or 64 hexadecimal digits",
            remedy: "Create one with: head -c 32 /dev/urandom > FILE")
    }
    return content.withBytes { digits in
        SecretBytes(count: keyByteCount) { key in
            for place in 0..<keyByteCount {
                key[place] = (hexValue(digits[2 * place]) ?? 0) << 4 | (hexValue(digits[2 * place + 1]) ?? 0)
            }
        }
    }
}

private func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
