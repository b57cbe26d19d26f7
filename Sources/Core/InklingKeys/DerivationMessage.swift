// The HMAC messages of the key hierarchy (`Specs/keys.md`, `Specs/identifiers.md`). The code that derives one key at a
// time and the code that derives many in parallel share them.

extension ByteSink where Self: ~Copyable {
    /// Appends the message that derives the left (0) or the right (1) child of a tree node.
    mutating func append(treeStep side: UInt8) {
        append(DerivationLabel.prefix)
        append(u8: 0)
        append(DerivationLabel.treeNode)
        append(u8: 0)
        append(u8: side)
    }

    /// Appends the message of `Derive` for a label and a context.
    mutating func append(derivation label: StaticString, context: (inout Self) -> Void) {
        append(DerivationLabel.prefix)
        append(u8: 0)
        append(label)
        append(u8: 0)
        context(&self)
        append(u8: 1)
    }

    /// Appends the message that derives an identifier, or a key, of one epoch.
    mutating func append(identifier label: StaticString, _ epoch: Epoch) {
        append(label)
        append(decimal: epoch.number)
    }
}
