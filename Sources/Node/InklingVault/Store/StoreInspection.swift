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

/// A summary of all rows of a message store, and the number of its writes (`Specs/message-store.md`).
package struct StoreHead: Hashable, Sendable {
    private static let byteCount = 8 * 4 + 32
    private static let nothing = Octets16(high: 0, low: 0)

    /// The number of writes to the store.
    package private(set) var generation: UInt64 = 0
    /// The number of times that rows may have been lost or replaced by older ones.
    package private(set) var era: UInt64 = 0
    /// The mark of the vault to which the store belongs.
    package private(set) var mark: UInt64
    /// The number of rows.
    package private(set) var count: UInt64 = 0
    /// The exclusive-or of the shares of all rows.
    package private(set) var sum = Octets32(first: nothing, second: nothing)

    /// Creates the head of an empty store that belongs to a vault with this mark.
    package init(mark: UInt64) { self.mark = mark }

    /// Records that a row with this share was added.
    package mutating func add(_ share: Octets32) {
        count += 1
        sum = sum.exclusiveOr(share)
    }

    /// Records that a row with this share was removed.
    package mutating func remove(_ share: Octets32) {
        count = count > 0 ? count - 1 : 0
        sum = sum.exclusiveOr(share)
    }

    /// Records a write to the store.
    package mutating func advance() { generation += 1 }

    /// Returns the head of a store of these rows, above every generation that may have been used before.
    func renewed(of shares: [Octets32], above generation: UInt64, mark: UInt64) -> StoreHead {
        var head = StoreHead(mark: mark)
        head.generation = max(self.generation, generation) + 1
        head.era = era + 1
        for share in shares { head.add(share) }
        return head
    }

    /// Returns whether two stores have the same rows.
    func hasSameRows(as other: StoreHead) -> Bool { count == other.count && sum == other.sum }

    /// The encoded head.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(u64: generation)
        bytes.append(u64: era)
        bytes.append(u64: mark)
        bytes.append(u64: count)
        bytes.append(sum)
        return bytes
    }

    /// Parses an encoded head; returns nil if it is malformed.
    init?(parsing input: Span<UInt8>) {
        guard input.count == Self.byteCount, let sum = Octets32(input.extracting(32...)) else { return nil }
        generation = input.bigEndian(at: 0, count: 8)
        era = input.bigEndian(at: 8, count: 8)
        mark = input.bigEndian(at: 16, count: 8)
        count = input.bigEndian(at: 24, count: 8)
        self.sum = sum
        guard generation < UInt64.max / 2, era < UInt64.max / 2 else { return nil }
    }
}

extension Octets32 {
    fileprivate func exclusiveOr(_ other: Octets32) -> Octets32 {
        Octets32(first: first.exclusiveOr(other.first), second: second.exclusiveOr(other.second))
    }
}

extension Octets16 {
    fileprivate func exclusiveOr(_ other: Octets16) -> Octets16 {
        Octets16(high: high ^ other.high, low: low ^ other.low)
    }
}
