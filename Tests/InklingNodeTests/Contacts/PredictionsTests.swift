import InklingKeys
import InklingTesting
import Testing

@testable import InklingEngine
@testable import InklingNode

@Suite struct PredictionsTests {
    private let epoch: Epoch

    init() throws { epoch = try #require(Epoch(containing: 1_800_000_300)) }

    @Test func `changed contacts are ordered, and the table in use stays until the new one is made`() async {
        var predictions = Predictions()
        let orders = predictions.contactsChanged([person(1)], at: epoch)
        #expect(orders.map(\.epoch) == [epoch])
        #expect(predictions.table.count == 0)
        let addition = predictions.add(await orders[0].preparation.carriedOut(), number: orders[0].number, for: epoch)
        #expect(addition == Predictions.Addition(isInUse: true, isOutdated: false))
        #expect(predictions.table.count > 0)
    }

    @Test func `changes while a table is being made lead to one more order, however many they are`() async {
        var predictions = Predictions()
        let first = predictions.contactsChanged([person(1)], at: epoch)
        for count in 2...50 {
            let further = predictions.contactsChanged((1...count).map { person(UInt8($0)) }, at: epoch)
            #expect(further.isEmpty)
        }
        let addition = predictions.add(await first[0].preparation.carriedOut(), number: first[0].number, for: epoch)
        #expect(addition == Predictions.Addition(isInUse: true, isOutdated: true))
        let few = predictions.table.count
        let second = predictions.renew(epoch, for: (1...50).map { person(UInt8($0)) })
        let last = predictions.add(await second.preparation.carriedOut(), number: second.number, for: epoch)
        #expect(last == Predictions.Addition(isInUse: true, isOutdated: false))
        #expect(predictions.table.count == 50 * few)
    }

    @Test func `a table made of former contacts is not reused for the others`() async throws {
        var predictions = Predictions()
        let first = predictions.contactsChanged([person(1), person(2)], at: epoch)
        _ = predictions.add(await first[0].preparation.carriedOut(), number: first[0].number, for: epoch)
        let both = predictions.table.count
        let second = predictions.contactsChanged([person(1)], at: epoch)
        _ = predictions.add(await second[0].preparation.carriedOut(), number: second[0].number, for: epoch)
        #expect(predictions.table.count == both / 2)
        let next = try #require(epoch.next)
        let prepared = predictions.prepare(next, for: [person(1)])
        _ = predictions.add(await prepared.preparation.carriedOut(), number: prepared.number, for: next)
        let isUsed = predictions.use(next)
        #expect(isUsed)
        #expect(predictions.table.count == both / 2)
    }

    /// Covers INK-ROT-028.
    @Test func `forgetting drops prepared tables and a table of the past`() async throws {
        var predictions = Predictions()
        let orders = predictions.contactsChanged([person(1)], at: epoch)
        _ = predictions.add(await orders[0].preparation.carriedOut(), number: orders[0].number, for: epoch)
        let next = try #require(epoch.next)
        let prepared = predictions.prepare(next, for: [person(1)])
        // A period later the table has the names of the period before, which contacts with a late clock still show.
        let later = try #require(epoch.period.next)
        let isChanged = predictions.forget(before: later)
        #expect(!isChanged)
        let late = predictions.add(await prepared.preparation.carriedOut(), number: prepared.number, for: next)
        #expect(late == Predictions.Addition() || next.period >= later)
        let latest = try #require(later.next)
        let hasChanged = predictions.forget(before: latest)
        #expect(hasChanged)
        #expect(predictions.table.count == 0)
    }

    /// Covers INK-ROT-028.
    @Test func `a table that was ordered before all were dropped is not used`() async {
        var predictions = Predictions()
        let orders = predictions.contactsChanged([person(1)], at: epoch)
        let hadTable = predictions.drop()
        #expect(!hadTable)
        let made = await orders[0].preparation.carriedOut()
        let addition = predictions.add(made, number: orders[0].number, for: epoch)
        #expect(addition == Predictions.Addition())
        #expect(predictions.table.count == 0)
    }

    private func person(_ number: UInt8) -> PredictedContact {
        let root = SecretBytes(copying: [UInt8](repeating: number, count: 32).span)
        return PredictedContact(
            ContactID(rawValue: UInt32(number)),
            grants: [
                HeldGrant(audience: .granted(0), devices: [.first], tree: SecretBox(AudienceTree(root: root)))
            ])
    }
}
