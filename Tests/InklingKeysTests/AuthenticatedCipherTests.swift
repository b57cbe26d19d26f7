import InklingTesting
import Testing

@testable import InklingKeys

private let key = bytes("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f")
private let associatedData = bytes("50515253c0c1c2c3c4c5c6c7")
private let sunscreen = Array(
    """
    Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
    """.utf8)

@Suite struct `Authenticated ciphers` {
    // RFC 8439, section 2.8.2; draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    @Test(arguments: [
        (
            AuthenticatedCipher.chaCha20Poly1305, "070000004041424344454647",
            "d31a8d34648e60db7b86afbc53ef7ec2", "1ae10b594f09e26a7e902ecbd0600691"
        ),
        (
            .xChaCha20Poly1305, "404142434445464748494a4b4c4d4e4f5051525354555657",
            "bd6d179d3e83d43b9576579493c0e939", "c0875924c1c7987947deafd8780acf49"
        ),
    ])
    func `seal and open the published example`(
        cipher: AuthenticatedCipher, nonce: String, start: String, tag: String
    ) throws {
        let nonce = bytes(nonce)
        var sealed: [UInt8] = [0xaa]
        try cipher.seal(
            sunscreen.span, key: secret(key), nonce: nonce.span, associatedData: associatedData.span,
            appendingTo: &sealed)
        #expect(sealed.first == 0xaa)
        sealed.removeFirst()
        #expect(hex(sealed.prefix(16)) == start)
        #expect(hex(sealed.suffix(16)) == tag)
        let opened = try cipher.open(
            sealed.span, key: secret(key), nonce: nonce.span, associatedData: associatedData.span)
        #expect(opened.withBytes { hex($0) } == hex(sunscreen))
    }

    @Test(arguments: AuthenticatedCipher.allCases)
    func `refuse a ciphertext with any changed byte`(cipher: AuthenticatedCipher) throws {
        let nonce = [UInt8](repeating: 7, count: cipher.nonceByteCount)
        var sealed: [UInt8] = []
        try cipher.seal(
            [1, 2, 3].span, key: secret(key), nonce: nonce.span, associatedData: [4].span, appendingTo: &sealed)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: AuthenticatedCipherError.notAuthentic) {
                _ = try cipher.open(changed.span, key: secret(key), nonce: nonce.span, associatedData: [4].span)
            }
        }
        #expect(throws: AuthenticatedCipherError.notAuthentic) {
            _ = try cipher.open(sealed.span, key: secret(key), nonce: nonce.span, associatedData: [5].span)
        }
    }

    @Test(arguments: AuthenticatedCipher.allCases)
    func `refuse keys, nonces and ciphertexts of the wrong length`(cipher: AuthenticatedCipher) throws {
        let nonce = [UInt8](repeating: 7, count: cipher.nonceByteCount)
        let short = [UInt8](repeating: 1, count: 31)
        var output: [UInt8] = []
        #expect(throws: AuthenticatedCipherError.wrongKeyLength) {
            try cipher.seal(Span(), key: secret(short), nonce: nonce.span, associatedData: Span(), appendingTo: &output)
        }
        #expect(throws: AuthenticatedCipherError.wrongNonceLength) {
            _ = try cipher.open(
                short.span, key: secret(key), nonce: nonce.span.extracting(1...), associatedData: Span())
        }
        #expect(throws: AuthenticatedCipherError.truncated) {
            _ = try cipher.open(
                short.span.extracting(..<15), key: secret(key), nonce: nonce.span, associatedData: Span())
        }
        #expect(output.isEmpty)
    }
}
