internal import InklingKeys

@testable internal import InklingNode

extension Operation {
    /// Argon2id is left out: it is made to be slow, and its second half reads memory by the passphrase, as its design
    /// says (RFC 9106). What follows it is here.
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
