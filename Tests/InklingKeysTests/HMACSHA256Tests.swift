import CSodium
import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Hashing` {
    static let paths = HashPath.allCases.filter(\.isAvailable)

    // RFC 4231, section 4; the fifth case publishes only the first half of the code.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            "0102030405060708090a0b0c0d0e0f10111213141516171819", String(repeating: "cd", count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            String(repeating: "0c", count: 20), "546573742057697468205472756e636174696f6e",
            "a3b6167473100ee06e0c796c2955552b"
        ),
        (
            String(repeating: "aa", count: 131),
            hex("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            String(repeating: "aa", count: 131),
            hex(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                be hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `returns the published HMACs`(key: String, message: String, code: String) {
        let keyBytes = bytes(key)
        let messageBytes = bytes(message)
        for path in Self.paths {
            let given = hex(hmacSHA256(key: keyBytes.span, by: path) { $0.append(messageBytes.span) })
            #expect(given.hasPrefix(code), "\(path)")
        }
    }

    @Test(arguments: paths)
    func `returns the same digests and HMACs as libsodium for all lengths`(path: HashPath) {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        for count in 0...bytes.count {
            let message = bytes.span.extracting(first: count)
            let key = bytes.span.extracting(last: count * 13 % 201)
            var expected = [UInt8](repeating: 0, count: 32)
            unsafe crypto_hash_sha256(&expected, bytes, UInt64(count))
            #expect(sha256(by: path) { $0.append(message) }.description == hex(expected), "\(count) bytes")
            var state = crypto_auth_hmacsha256_state()
            unsafe key.withPointer { _ = unsafe crypto_auth_hmacsha256_init(&state, $0, key.count) }
            unsafe crypto_auth_hmacsha256_update(&state, bytes, UInt64(count))
            unsafe crypto_auth_hmacsha256_final(&state, &expected)
            #expect(hex(hmacSHA256(key: key, by: path) { $0.append(message) }) == hex(expected), "\(count) bytes")
        }
    }

    @Test(arguments: paths)
    func `returns the same HMAC however the message is split`(path: HashPath) {
        let whole = [UInt8](0..<200)
        let expected = hex(hmacSHA256(key: [1].span) { $0.append(whole.span) })
        for cut in 0...200 {
            let code = hmacSHA256(key: [1].span, by: path) { input in
                input.append(whole.span.extracting(first: cut))
                input.append(whole.span.extracting(droppingFirst: cut))
            }
            #expect(hex(code) == expected)
        }
    }

    @Test func `fills at most the output and at most 32 bytes`() {
        var short = [UInt8](repeating: 0, count: 5)
        var view = short.mutableSpan
        hmacSHA256(key: [UInt8]().span, into: &view) { _ in }
        #expect(hex(short) == "b613679a08")
        var long = [UInt8](repeating: 7, count: 40)
        var longView = long.mutableSpan
        hmacSHA256(key: [UInt8]().span, into: &longView) { _ in }
        #expect(hex(long).hasSuffix("0707070707070707"))
    }

    // Examples of FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `returns the published digests`(text: String, digest: String) {
        for path in Self.paths {
            #expect(sha256(by: path) { $0.append(Array(text.utf8).span) }.description == digest, "\(path)")
        }
    }

    @Test func `replaces a key with an HMAC under it`() {
        var key = [UInt8](1...32)
        let code = hex(hmacSHA256(key: key.span) { $0.append(u8: 7) })
        var view = key.mutableSpan
        hmacSHA256(replacing: &view) { $0.append(u8: 7) }
        #expect(hex(key) == code)
    }

    @Test func `uses an implementation that the processor supports, and always the same one`() {
        let first = HashPath.best
        #expect(first.isAvailable)
        #expect((0..<100).allSatisfy { _ in HashPath.best == first })
    }
}
