import InklingTesting
import Testing

@testable import InklingKeys

/// The example of draft-irtf-cfrg-xchacha-03, appendix A.3.1.
private enum Published {
    static let plaintext = [UInt8](
        """
        Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would \
        be it.
        """.utf8)
    static let associatedData = bytes("50515253c0c1c2c3c4c5c6c7")
    static let nonce = [UInt8](0x40...0x57)
    static let sealed = bytes(
        """
        bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39
        ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
        21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49
        """)
    static func key() -> SecretBytes { SecretBytes(copying: [UInt8](0x80...0x9f).span) }
}

@Suite struct `XChaCha20-Poly1305` {
    @Test func `the example of the draft is sealed and opened bit for bit`() throws {
        let sealed = try XChaCha20Poly1305.seal(
            Published.plaintext.span, key: Published.key(), nonce: Published.nonce.span,
            associatedData: Published.associatedData.span)
        #expect(hex(sealed) == hex(Published.sealed))
        let opened = try XChaCha20Poly1305.open(
            sealed.span, key: Published.key(), nonce: Published.nonce.span,
            associatedData: Published.associatedData.span)
        #expect(opened.withBytes { hex($0) } == hex(Published.plaintext))
    }

    @Test func `an empty message under empty associated data is a tag alone`() throws {
        let none: [UInt8] = []
        let sealed = try XChaCha20Poly1305.seal(
            none.span, key: Published.key(), nonce: Published.nonce.span, associatedData: none.span)
        #expect(sealed.count == XChaCha20Poly1305.tagByteCount)
        let opened = try XChaCha20Poly1305.open(
            sealed.span, key: Published.key(), nonce: Published.nonce.span, associatedData: none.span)
        #expect(opened.count == 0)
    }

    @Test func `one flipped bit of the sealed bytes, the nonce or the associated data is not authentic`() throws {
        for index in Published.sealed.indices {
            var sealed = Published.sealed
            sealed[index] ^= 1 << UInt8(index % 8)
            #expect(refusal(of: sealed) == .notAuthentic)
        }
        for index in Published.nonce.indices {
            var nonce = Published.nonce
            nonce[index] ^= 0x80
            #expect(refusal(of: Published.sealed, nonce: nonce) == .notAuthentic)
        }
        for index in Published.associatedData.indices {
            var data = Published.associatedData
            data[index] ^= 1
            #expect(refusal(of: Published.sealed, associatedData: data) == .notAuthentic)
        }
    }

    @Test func `lengths that do not fit are named`() {
        #expect(refusal(of: [UInt8](repeating: 0, count: 15)) == .tooShort(15))
        #expect(refusal(of: Published.sealed, nonce: [1, 2]) == .nonceLength(2))
        let short = SecretBytes(count: 31) { _ in }
        #expect(throws: XChaCha20Poly1305Error.keyLength(31)) {
            try XChaCha20Poly1305.seal(
                Published.plaintext.span, key: short, nonce: Published.nonce.span,
                associatedData: Published.associatedData.span)
        }
    }

    private func refusal(
        of sealed: [UInt8], nonce: [UInt8] = Published.nonce, associatedData: [UInt8] = Published.associatedData
    ) -> XChaCha20Poly1305Error? {
        do throws(XChaCha20Poly1305Error) {
            _ = try XChaCha20Poly1305.open(
                sealed.span, key: Published.key(), nonce: nonce.span, associatedData: associatedData.span)
            return nil
        } catch {
            return error
        }
    }
}
