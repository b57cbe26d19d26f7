import InklingEngine
import InklingKeys
import Testing

@Suite struct `Table of predictions` {
    /// Covers INK-RCG-001, INK-RCG-003.
    @Test func `finds the contact, device, audience and epoch of a name`() {
        let table = PredictedTable(of: [person(ada, devices: [0, 3]), person(bo)], around: epochZero)
        #expect(table.predictions(for: name(of: ada, epochZero, device: 3)) == [prediction(ada, epochZero, device: 3)])
        #expect(table.predictions(for: name(of: bo, epoch(1))) == [prediction(bo, epoch(1))])
        #expect(table.predictions(for: name(of: bo, epoch(-1))) == [prediction(bo, epoch(-1))])
        #expect(table.count == 9)
    }

    @Test func `finds nothing for a stranger's name, a device without a grant and a distant epoch`() {
        let table = PredictedTable(of: [person(ada)], around: epochZero)
        #expect(table.predictions(for: stranger(1)).isEmpty)
        #expect(table.predictions(for: name(of: ada, epochZero, device: 1)).isEmpty)
        #expect(table.predictions(for: name(of: ada, epoch(2))).isEmpty)
        #expect(table.predictions(for: name(of: ada, epoch(-2))).isEmpty)
        #expect(PredictedTable().predictions(for: name(of: ada, epochZero)).isEmpty)
    }

    /// Covers INK-RCG-002.
    @Test func `finds both contacts of a name that two contacts can show, in order`() {
        let table = PredictedTable(of: [person(cy, root: 1), person(ada)], around: epochZero)
        #expect(
            table.predictions(for: name(of: ada, epochZero)) == [prediction(ada, epochZero), prediction(cy, epochZero)])
    }

    @Test func `calls back with the same predictions that it finds, for one contact, two and none`() {
        let table = PredictedTable(of: [person(cy, root: 1), person(ada), person(bo)], around: epochZero)
        for name in [name(of: ada, epochZero), name(of: bo, epoch(1)), stranger(1)] {
            var found: Set<Prediction> = []
            table.forEachPrediction(for: name) { found.insert($0) }
            #expect(found == Set(table.predictions(for: name)))
        }
        #expect(table.predictions(for: name(of: ada, epochZero)).count == 2)
    }

    /// Covers INK-ID-017, INK-RCG-002.
    @Test func `finds all contacts that share a minor`() {
        let many = (1...200).map { person(ContactID(rawValue: $0), root: UInt8($0), devices: [UInt8](0..<16)) }
        let table = PredictedTable(of: many, around: epochZero)
        var owners: [BeaconMinor: [Prediction]] = [:]
        for person in many {
            for device in 0..<UInt8(16) {
                let minor = minor(root: UInt8(person.contact.rawValue), epochZero, device: device)
                owners[minor, default: []].append(prediction(person.contact, epochZero, device: device))
            }
        }
        // About 75 pairs are expected among 3,200 values of 65,536 possible ones.
        #expect(owners.values.contains { $0.count > 1 })
        for (minor, expected) in owners {
            #expect(table.predictions(for: minor).filter { $0.epoch == epochZero } == expected)
        }
    }

    /// Covers INK-RCG-005.
    @Test func `the next table reuses the epochs of the previous one`() {
        let before = PredictedTable(of: [person(ada)], around: epochZero)
        // Nothing can be derived without contacts, so that everything that is found was reused.
        let after = PredictedTable(of: [], around: epoch(1), reusing: before)
        #expect(after.predictions(for: name(of: ada, epochZero)) == [prediction(ada, epochZero)])
        #expect(after.predictions(for: name(of: ada, epoch(1))) == [prediction(ada, epoch(1))])
        #expect(after.predictions(for: name(of: ada, epoch(-1))).isEmpty)
    }

    @Test func `predicts nothing for periods whose keys were erased`() {
        var keys = AudienceTree(root: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span))
        keys.forget(before: epochZero.period)
        let grant = HeldGrant(audience: .granted(7), deviceBitmap: 0b1, tree: SecretBox(keys))
        let table = PredictedTable(of: [PredictedContact(ada, grants: [grant])], around: epochZero)
        #expect(table.predictions(for: name(of: ada, epoch(-1))).isEmpty)
        #expect(table.predictions(for: name(of: ada, epochZero)) == [prediction(ada, epochZero)])
    }

    @Test func `tells the contacts of two periods apart, also when both have as many`() throws {
        let (now, before) = (epochZero.period, try #require(epochZero.period.previous))
        func person(_ contact: ContactID, _ period: Period) -> PredictedContact {
            let root = AudienceTree(root: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span))
            guard let keys = root.constrained(from: period, to: period) else {
                return PredictedContact(contact, grants: [])
            }
            let grant = HeldGrant(audience: .granted(7), deviceBitmap: 0b1, tree: SecretBox(keys))
            return PredictedContact(contact, grants: [grant])
        }
        let table = PredictedTable(of: [person(ada, before), person(bo, now)], around: epochZero)
        #expect(table.predictions(for: name(root: 1, epoch(-1))) == [prediction(ada, epoch(-1))])
        #expect(table.predictions(for: name(root: 1, epochZero)) == [prediction(bo, epochZero)])
    }

    @Test func `a bitmap selects the devices of its bits`() {
        #expect(HeldGrant(audience: .pair, deviceBitmap: 0x8005, tree: tree(1)).devices.map(\.number) == [0, 2, 15])
        #expect(HeldGrant(audience: .pair, deviceBitmap: 0, tree: tree(1)).devices.isEmpty)
    }
}
