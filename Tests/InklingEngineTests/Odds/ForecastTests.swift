import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Forecast of values` {
    private func entries(
        _ forecast: Forecast, from: UInt32, to: UInt32
    ) throws -> [(epoch: Epoch, entries: [Forecast.Entry])] {
        Array(forecast.epochs(try #require(Epoch(from))...(try #require(Epoch(to)))))
    }

    @Test func `lists the same values for each epoch as the table of that epoch`() throws {
        let people = [person(ada, devices: [0, 1]), person(bo)]
        let all = try entries(Forecast(of: people), from: 1_984_002, to: 1_984_009)
        #expect(all.map(\.epoch.number) == Array(1_984_002...1_984_009))
        for (epoch, entries) in all {
            let table = PredictedTable(of: people, around: epoch)
            #expect(entries.map(\.prediction.contact) == [ada, ada, bo])
            for entry in entries {
                #expect(table.predictions(for: entry.name) == [entry.prediction])
                #expect(table.predictions(for: entry.minor).contains(entry.prediction))
            }
        }
    }

    @Test func `a forecast ends with the grant`() throws {
        let period = try #require(Period(496_001))
        let part = try unwrap(tree(1).value.constrained(from: period, to: period))
        let grant = HeldGrant(audience: .granted(7), devices: [.first], tree: SecretBox(part))
        let forecast = Forecast(of: [PredictedContact(ada, grants: [grant]), person(bo)])
        let all = try entries(forecast, from: 1_984_002, to: 1_984_009)
        #expect(all.map(\.entries.count) == [1, 1, 2, 2, 2, 2, 1, 1])
        let range = try #require(Epoch(1_984_002))...(try #require(Epoch(1_984_009)))
        #expect(forecast.count(in: range) == 12)
    }

    @Test func `a forecast ends with the last epoch of the tree`() throws {
        let forecast = Forecast(of: [person(ada)])
        let last = Epoch.limit - 1
        #expect(try entries(forecast, from: last - 5, to: last).count == 6)
        #expect(forecast.count(in: try #require(Epoch(last - 5))...(try #require(Epoch(last)))) == 6)
    }
}

@Suite struct `Collisions among contacts` {
    private let minor = BeaconMinor(0x1234)

    private func entry(_ contact: ContactID, _ epoch: Epoch, _ minor: BeaconMinor, device: UInt8 = 0) -> Forecast.Entry
    {
        Forecast.Entry(
            prediction: prediction(contact, epoch, device: device), name: name(of: contact, epoch, device: device),
            minor: minor)
    }

    @Test func `two contacts with the same minor in one epoch collide while its window is open`() throws {
        let epoch = try #require(Epoch(1_984_000))
        var search = CollisionSearch()
        let found = search.take(
            [entry(ada, epoch, minor), entry(bo, epoch, minor), entry(cy, epoch, .init(7))], of: epoch)
        #expect(found.map(\.minor) == [minor])
        #expect(found.map(\.first) == [prediction(ada, epoch)])
        #expect(found.map(\.second) == [prediction(bo, epoch)])
        #expect(found.first?.interval(skew: .standard) == epoch.start - 120..<epoch.end + 120)
    }

    @Test func `neighbouring epochs collide only near their boundary`() throws {
        let epoch = try #require(Epoch(1_984_000))
        let next = try #require(epoch.next)
        var search = CollisionSearch()
        #expect(search.take([entry(bo, epoch, minor)], of: epoch) == [])
        let found = search.take([entry(ada, next, minor)], of: next)
        #expect(found.map(\.first) == [prediction(bo, epoch)])
        #expect(found.first?.interval(skew: .standard) == next.start - 120..<next.start + 120)

        var exact = CollisionSearch(skew: try #require(SkewAllowance(seconds: 0)))
        #expect(exact.take([entry(bo, epoch, minor)], of: epoch) == [])
        #expect(exact.take([entry(ada, next, minor)], of: next) == [])

        let later = try #require(next.next)
        var gap = CollisionSearch()
        #expect(gap.take([entry(bo, epoch, minor)], of: epoch) == [])
        #expect(gap.take([entry(ada, later, minor)], of: later) == [])
    }

    @Test func `devices of one contact do not collide, and three contacts collide in pairs`() throws {
        let epoch = try #require(Epoch(1_984_000))
        var search = CollisionSearch()
        #expect(search.take([entry(ada, epoch, minor), entry(ada, epoch, minor, device: 1)], of: epoch) == [])
        var other = CollisionSearch()
        let all = [entry(cy, epoch, minor), entry(ada, epoch, minor), entry(bo, epoch, minor)]
        #expect(other.take(all, of: epoch).count == 3)
    }

    @Test func `derived predictions collide as often as the odds say`() throws {
        let people = (1...250).map { person(ContactID(rawValue: $0), seed: $0) }
        var search = CollisionSearch(skew: try #require(SkewAllowance(seconds: 0)))
        var pairs = 0
        let epochs = try #require(Epoch(1_984_000))...(try #require(Epoch(1_984_039)))
        for (epoch, entries) in Forecast(of: people).epochs(epochs) { pairs += search.take(entries, of: epoch).count }
        let expected = Odds(values: 250).collidingPairs * 40
        #expect(abs(Double(pairs) - expected) < 5 * expected.squareRoot(), "\(pairs) pairs, \(expected) expected")
    }
}
