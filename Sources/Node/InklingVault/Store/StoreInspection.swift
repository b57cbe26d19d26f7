package import InklingKeys

/// A check of the rows read from a message store: whether any were changed, lost, or put back from an older copy.
///
/// A value without files and clock: the store reads the rows, and writes what this decides (`Specs/message-store.md`).
package struct StoreInspection: Sendable {
    /// The usable parts of the store.
    package struct Outcome: Sendable {
        /// The shares of the rows that open, by name.
        package let shares: [Octets16: Octets32]
        /// The names of rows that do not open, which are removed.
        package let damaged: [Octets16]
        /// The head to continue with.
        package let head: StoreHead
        /// The contents for the node.
        package let loaded: LoadedMessages
        /// Whether the head must be written before the store is used.
        package let needsRepair: Bool
    }

    private let seal: StoreSeal
    private let anchor: MessageStoreAnchor
    private var rows: [LoadedMessages.Row] = []
    private var shares: [Octets16: Octets32] = [:]
    private var damaged: [Octets16] = []
    private var found: StoreHead

    package init(_ anchor: MessageStoreAnchor) {
        seal = StoreSeal(anchor)
        self.anchor = anchor
        found = StoreHead(mark: anchor.mark)
    }

    /// Adds a row.
    package mutating func take(_ row: StoreSeal.Row) {
        guard let (place, body) = seal.open(row) else { return damaged.append(row.name) }
        rows.append(LoadedMessages.Row(place, body: body))
        let share = seal.share(of: row)
        shares[row.name] = share
        found.add(share)
    }

    /// Judges the store once every row has been added.
    ///
    /// - Parameters:
    ///   - sealedHead: the head in the database; nil if there is none.
    ///   - headFile: the head file; nil if there is none.
    ///   - isSetAside: whether the rows come from a damaged database.
    /// - Returns: the usable parts, and the findings.
    package consuming func judge(
        sealedHead: [UInt8]?, headFile: [UInt8]?, isSetAside: Bool
    ) -> Outcome {
        var findings: [MessageStoreFinding] = []
        let head = sealedHead.flatMap { seal.openHead($0) }
        let filed = headFile.flatMap { seal.generation(ofHeadFile: $0) }
        let stated = head ?? StoreHead(mark: anchor.mark)
        let expected = max(filed ?? 0, anchor.floor)
        if stated.generation < expected {
            findings.append(.restoredOldCopy(generation: stated.generation, expected: expected))
        }
        if stated.mark != anchor.mark { findings.append(.restoredVault) }
        // Created before the store, the head file is normally older: it is written last, and a power cut may lose it.
        let isNew = sealedHead == nil && headFile == nil && rows.isEmpty && damaged.isEmpty
        if filed == nil, !isNew { findings.append(.unknownAge) }
        if isSetAside { findings.append(.setAside) }
        if !damaged.isEmpty { findings.append(.damagedRows(count: damaged.count)) }
        let isSameAsFiled =
            filed != stated.generation
            || headFile.map { constantTimeEquals($0.span, seal.headFile(of: stated).span) }
                == true
        let isLost = sealedHead != nil && head == nil
        if isLost || damaged.isEmpty && !stated.hasSameRows(as: found) || !isSameAsFiled {
            findings.append(.changedRows)
        }
        let kept =
            findings.isEmpty ? stated : stated.renewed(of: Array(shares.values), above: expected, mark: anchor.mark)
        rows.sort { $0.place < $1.place }
        return Outcome(
            shares: shares, damaged: damaged, head: kept,
            loaded: LoadedMessages(
                rows: rows, generation: kept.generation, era: kept.era, findings: findings),
            needsRepair: !findings.isEmpty)
    }
}
