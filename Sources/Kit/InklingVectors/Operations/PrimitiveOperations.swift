internal import InklingJSON
internal import InklingKeys

/// The operations on cryptographic primitives, through which public vectors test the protocol's wrappers
/// (`Specs/noise.md`).
let primitiveOperations: [ShimOperation] =
    [
        ShimOperation(
            "hmac-sha256", [.bytes("key"), .bytes("message"), .integer("tagBytes", in: 1...32)]
        ) { arguments in
            let tag = arguments.tag()
            return ["tag": tag.withBytes { .hex($0.extracting(first: Int(arguments.u8("tagBytes")))) }]
        },
        ShimOperation(
            "hmac-sha256-verify",
            [.bytes("key"), .bytes("message"), ShimParameter(name: "tag", kind: .bytesOf([16, 32]))]
        ) { arguments in
            let claimed = arguments.bytes("tag")
            let isValid = arguments.tag().withBytes {
                constantTimeEquals($0.extracting(first: claimed.count), claimed.span)
            }
            return ["valid": .flag(isValid)]
        },
        ShimOperation(
            "hkdf-sha256",
            [.bytes("inputKeyMaterial"), .bytes("salt"), .bytes("info"), .integer("size", in: 1...8160)]
        ) { arguments throws(ShimRefusal) in
            let material = arguments.bytes("inputKeyMaterial")
            let salt = arguments.bytes("salt")
            let info = arguments.bytes("info")
            let count = Int(arguments.u16("size"))
            switch hkdfSHA256(inputKeyMaterial: material.span, salt: salt.span, info: info.span, count: count) {
            case .some(let output): return ["outputKeyMaterial": .hex(output)]
            case .none: throw .arguments("out-of-range")
            }
        },
        ShimOperation("x25519", [.bytes("private", 32), .bytes("public", 32)]) { arguments throws(ShimRefusal) in
            let shared = try refusing { () throws(KeyAgreementError) in
                try X25519.agree(arguments.secret("private"), with: arguments.octets32("public"))
            }
            return ["shared": .hex(shared)]
        },
        ShimOperation("ed25519-sign", [.bytes("seed", 32), .bytes("message")]) { arguments in
            let key = IdentityKey(seed: arguments.secret("seed"))
            let message = arguments.bytes("message")
            return ["publicKey": .hex(key.publicKey), "signature": .hex(key.sign(message.span).span)]
        },
        ShimOperation(
            "ed25519-verify", [.bytes("publicKey", 32), .bytes("message"), .bytes("signature")]
        ) { arguments in
            let message = arguments.bytes("message")
            let signature = arguments.bytes("signature")
            let isValid = isValidSignature(
                signature.span, of: message.span, by: arguments.octets32("publicKey"))
            return ["valid": .flag(isValid)]
        },
    ] + cipherOperations("chacha20-poly1305", .chaCha20Poly1305)
    + cipherOperations("xchacha20-poly1305", .xChaCha20Poly1305)

private func cipherOperations(_ name: String, _ cipher: AuthenticatedCipher) -> [ShimOperation] {
    let common: [ShimParameter] = [.bytes("key", 32), .bytes("nonce", cipher.nonceByteCount), .bytes("associatedData")]
    return [
        ShimOperation("\(name)-seal", common + [.bytes("plaintext")]) { arguments throws(ShimRefusal) in
            let nonce = arguments.bytes("nonce")
            let data = arguments.bytes("associatedData")
            let plaintext = arguments.bytes("plaintext")
            var ciphertext: [UInt8] = []
            do throws(AuthenticatedCipherError) {
                try cipher.seal(
                    plaintext.span, key: arguments.secret("key"), nonce: nonce.span, associatedData: data.span,
                    appendingTo: &ciphertext)
            } catch {
                throw ShimRefusal(error)
            }
            return ["ciphertext": .hex(ciphertext.span)]
        },
        ShimOperation("\(name)-open", common + [.bytes("ciphertext")]) { arguments throws(ShimRefusal) in
            let nonce = arguments.bytes("nonce")
            let data = arguments.bytes("associatedData")
            let ciphertext = arguments.bytes("ciphertext")
            let plaintext = try refusing { () throws(AuthenticatedCipherError) in
                try cipher.open(
                    ciphertext.span, key: arguments.secret("key"), nonce: nonce.span, associatedData: data.span)
            }
            return ["plaintext": .hex(plaintext)]
        },
    ]
}

extension ShimArguments {
    fileprivate func tag() -> SecretBytes {
        let key = bytes("key")
        let message = bytes("message")
        return hmacSHA256(key: key.span) { $0.append(message.span) }
    }
}
