internal import InklingKeys

@testable internal import InklingVault

extension Operation {
    /// Argon2id is left out: it is slow on purpose, and the addresses in its second half depend on the passphrase by design
    /// (RFC 9106). The operations after it are included.
    static let vaultOperations = [
        Operation("the wrapping key of a vault") {
            let key = try VaultKey(passphrase: poisoned(1)).orThrow()
            let wrapping = try key.wrappingKey(salt: Octets16(high: 1, low: 2), cost: nil)
            try expect(wrapping.count == 32)
        },
        Operation("the counter beside a vault, right and wrong") {
            var bytes = GenerationCounter.bytes(7, dataKey: poisoned(1))
            declarePublic(counter: &bytes)
            try expect(GenerationCounter.generation(parsing: bytes.span, dataKey: poisoned(1)) == 7)
            try expect(GenerationCounter.generation(parsing: bytes.span, dataKey: poisoned(2)) == nil)
        },
    ]
}
