// What the hierarchy's HMACs are computed over (`Specs/keys.md`, `Specs/identifiers.md`): the same bytes for one key at a
// time and for many side by side.

extension ByteSink where Self: ~Copyable {
    /// Appends the message of a step down the tree, to the left (0) or to the right (1).
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

    /// Appends the message of an identifier, or of a key, of one epoch.
    mutating func append(identifier label: StaticString, _ epoch: Epoch) {
        append(label)
        append(decimal: epoch.number)
    }
}
