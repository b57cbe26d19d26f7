import InklingKeys
import InklingTesting
import Testing

@testable import InklingEngine

@Suite struct `Preparation of tables` {
    /// Enough contacts for three shards. They have no, one or two devices and group or pair audiences, and some grants
    /// end with the first period.
    private static let crowd: [PredictedContact] = (0..<2100).map { number in
        var generator = SeededGenerator(seed: UInt64(number))
        let root = AudienceTree(root: SecretBytes(count: 32, from: &generator))
        let devices = number % 5 == 0 ? [0, 3] : number % 31 == 0 ? [] : [UInt8(number % 3)]
        let audience = number % 7 == 0 ? HeldAudience.pair : .granted(AudienceID(UInt64(number)))
        let held = number % 11 == 0 ? part(of: root, epochZero.period) : SecretBox(root)
        let grant = held.map { HeldGrant(audience: audience, devices: devices.compactMap(DeviceIndex.init), tree: $0) }
        return PredictedContact(ContactID(rawValue: UInt32(number)), grants: [grant].compactMap(\.self))
    }

    /// The part of a tree that yields the keys of this period only.
    private static func part(of tree: borrowing AudienceTree, _ period: Period) -> SecretBox<AudienceTree>? {
        guard let part = tree.constrained(from: period, to: period) else { return nil }
        return SecretBox(part)
    }

    private var crowd: [PredictedContact] { Self.crowd }

    /// Every prediction of these epochs with its name, minor and tag, each derived by itself.
    private func forecast(_ epochs: ClosedRange<Epoch>) -> [(entry: Forecast.Entry, tag: RecognitionTag?)] {
        (epochs.lowerBound < epoch(20) ? Self.near : Self.far).filter { epochs.contains($0.entry.prediction.epoch) }
    }

    private static let near = all(in: epochZero...epoch(8)), far = all(in: epoch(39)...epoch(41))

    private static func all(in epochs: ClosedRange<Epoch>) -> [(entry: Forecast.Entry, tag: RecognitionTag?)] {
        Forecast(of: crowd).epochs(epochs).flatMap { epoch, entries in
            entries.map { entry in
                let grants = crowd[Int(entry.prediction.contact.rawValue)].grants
                guard let key = grants.first?.tree.value.periodKey(epoch.period) else { return (entry, nil) }
                return (entry, key.deviceKeys(entry.prediction.device).gatt.tag(epoch))
            }
        }
    }

    private func expect(_ table: PredictedTable, isFor epochs: ClosedRange<Epoch>, withTags: Bool = false) {
        let all = forecast(epochs)
        #expect(table.count == all.count)
        var byMinor: [BeaconMinor: Set<Prediction>] = [:]
        for (entry, _) in all { byMinor[entry.minor, default: []].insert(entry.prediction) }
        #expect(all.allSatisfy { table.predictions(for: $0.entry.name) == [$0.entry.prediction] })
        #expect(byMinor.allSatisfy { Set(table.predictions(for: $0)) == $1 })
        let tagged = all.allSatisfy { entry, tag in
            tag.map { table.predictions(for: $0) == (withTags ? [entry.prediction] : []) } == true
        }
        #expect(tagged)
    }

    @Test func `finds every prediction in every epoch of the table`() {
        expect(PredictedTable(of: crowd, around: epoch(1)), isFor: epochZero...epoch(2))
    }

    @Test func `finds tags only in a table with tags`() {
        expect(PredictedTable(of: crowd, around: epoch(1), withTags: true), isFor: epochZero...epoch(2), withTags: true)
        // A table with tags cannot reuse the epochs of a table without them, and derives them again.
        let without = PredictedTable(of: crowd, around: epochZero)
        let table = PredictedTable(of: crowd, around: epoch(1), reusing: without, withTags: true)
        expect(table, isFor: epochZero...epoch(2), withTags: true)
    }

    @Test func `the order in which pieces run does not matter`() {
        let preparation = TablePreparation(of: crowd, around: epoch(1))
        #expect(preparation.pieces.count == 3)
        let backwards = Array(preparation.pieces.reversed().map { $0.run() }.reversed())
        let assembly = preparation.assembly(of: backwards)
        let table = assembly.table(of: Array(assembly.pieces.reversed().map { $0.run() }.reversed())).table
        expect(table, isFor: epochZero...epoch(2))
    }

    @Test func `derives another epoch of a period from kept keys, without the tree`() {
        let first = TablePreparation(of: crowd, around: epoch(1)).table()
        #expect(first.keys?.period == epochZero.period)
        // These contacts have no keys, so that everything that is found was derived from the kept ones.
        let forgetful = crowd.map { contact in
            PredictedContact(
                contact.contact,
                grants: contact.grants.map { grant in
                    HeldGrant(audience: grant.audience, devices: grant.devices, tree: tree(0))
                })
        }
        let next = TablePreparation(of: forgetful, around: epoch(2), reusing: first.table, keys: first.keys).table()
        expect(next.table, isFor: epoch(1)...epoch(3))
        #expect(next.keys === first.keys)
    }

    @Test func `is correct in every epoch of a period and of the next one`() {
        var (table, keys) = TablePreparation(of: crowd, around: epoch(1)).table()
        for step in 2...7 as ClosedRange<Int> {
            (table, keys) = TablePreparation(of: crowd, around: epoch(step), reusing: table, keys: keys).table()
            expect(table, isFor: epoch(step - 1)...epoch(step + 1))
            #expect(keys?.period == epoch(step + 1).period)
        }
    }

    @Test func `derives everything again after a jump in time, and nothing for the same epoch`() {
        let first = TablePreparation(of: crowd, around: epoch(1)).table()
        let jumped = TablePreparation(of: crowd, around: epoch(40), reusing: first.table, keys: first.keys).table()
        expect(jumped.table, isFor: epoch(39)...epoch(41))
        let same = TablePreparation(of: crowd, around: epoch(40), reusing: jumped.table, keys: jumped.keys)
        #expect(same.pieces.isEmpty)
        expect(same.table().table, isFor: epoch(39)...epoch(41))
    }

    @Test func `rebuilds an index that has become too small`() {
        // No contact is predicted in the first period, so that the indices are made for none; then there are many.
        let later = crowd.map { contact in
            PredictedContact(
                contact.contact,
                grants: contact.grants.compactMap { grant in
                    Self.part(of: grant.tree.value, epoch(4).period).map {
                        HeldGrant(audience: grant.audience, devices: grant.devices, tree: $0)
                    }
                })
        }
        var (table, keys) = TablePreparation(of: later, around: epoch(1)).table()
        #expect(table.count == 0)
        for step in 2...5 as ClosedRange<Int> {
            (table, keys) = TablePreparation(of: later, around: epoch(step), reusing: table, keys: keys).table()
            let predicted = epoch(max(4, step - 1))...max(epoch(4), epoch(step + 1))
            if step >= 3 { expect(table, isFor: predicted) } else { #expect(table.count == 0) }
        }
    }

    @Test func `a batch lookup returns the same as single lookups`() {
        let table = PredictedTable(of: crowd, around: epoch(1))
        var generator = SeededGenerator(seed: 9)
        let all = forecast(epochZero...epoch(2)).shuffled(using: &generator)
        let names = all.map(\.entry.name) + (0..<300).map(stranger)
        var found: [Int: [Prediction]] = [:]
        table.forEachPrediction(for: names.span) { found[$0, default: []].append($1) }
        #expect(names.indices.allSatisfy { found[$0, default: []] == table.predictions(for: names[$0]) })
        let minors = (0...UInt16.max).map(BeaconMinor.init)
        found = [:]
        table.forEachPrediction(for: minors.span) { found[$0, default: []].append($1) }
        let areSame = minors.indices.allSatisfy {
            Set(found[$0, default: []]) == Set(table.predictions(for: minors[$0]))
                && found[$0, default: []].count == table.predictions(for: minors[$0]).count
        }
        #expect(areSame)
    }

    @Test func `pieces that run a second time yield nothing, and do not change the first table`() {
        let assembly = TablePreparation(of: crowd, around: epoch(1)).assembly(
            of: TablePreparation(of: crowd, around: epoch(1)).pieces.map { $0.run() })
        let table = assembly.table(of: assembly.pieces.map { $0.run() }).table
        #expect(assembly.table(of: assembly.pieces.map { $0.run() }).table.count == 0)
        expect(table, isFor: epochZero...epoch(2))
    }

    /// The crowd has grants that end with the first period, and one more that begins later than the others.
    @Test func `finds in every hour of several days what the trees yield, also after jumps in time`() {
        let late = Self.crowd.prefix(40).map { contact in
            PredictedContact(contact.contact, grants: contact.grants.compactMap { Self.later($0, by: contact) })
        }
        var (table, keys) = (PredictedTable(), PeriodKeys?.none)
        // Backwards, over a boundary of the levels that are kept, far ahead, and back to where it was.
        let steps = Array(0..<70) + [69, 3, 4, 5, 64, 63, 65, 66, 130, 200, 201, 202, 0, 1, 2, 64, 128]
        for hour in steps {
            (table, keys) = TablePreparation(of: late, around: epoch(4 * hour + 1), reusing: table, keys: keys).table()
            let walked = PredictedTable(of: late, around: epoch(4 * hour + 1))
            #expect(table.count == walked.count)
            for contact in late {
                for grant in contact.grants {
                    for device in grant.devices {
                        guard let key = grant.tree.value.periodKey(epoch(4 * hour + 1).period) else { continue }
                        let name = key.deviceKeys(device).mdns.serviceName(epoch(4 * hour + 1))
                        #expect(table.predictions(for: name).map(\.contact) == [contact.contact])
                    }
                }
            }
            #expect(keys?.period == epoch(4 * hour + 2).period)
        }
    }

    /// The part of a grant that lasts from an hour to another, which depend on the contact.
    private static func later(_ grant: HeldGrant, by contact: PredictedContact) -> HeldGrant? {
        let (start, number) = (epochZero.period.number, contact.contact.rawValue)
        guard let from = Period(start + number * 7 % 70), let to = Period(start + 50 + number * 13 % 200), from <= to,
            let part = grant.tree.value.constrained(from: from, to: to)
        else { return nil }
        return HeldGrant(audience: grant.audience, devices: grant.devices, tree: SecretBox(part))
    }

    @Test func `has no entries where products are missing`() {
        let preparation = TablePreparation(of: crowd, around: epoch(1))
        #expect(preparation.assembly(of: []).table(of: []).table.count == 0)
        let assembly = preparation.assembly(of: preparation.pieces.map { $0.run() })
        #expect(assembly.table(of: []).table.count == 0)
    }
}
