import InklingTesting
import Testing

@testable import InklingPlatforms

@Suite struct `The order of arrival` {
    /// An order beside a plain list to which every operation also applies.
    private struct Compared {
        var order = ArrivalOrder<Int>()
        var list: [Int] = []

        mutating func append(_ element: Int) {
            order.append(element)
            if !list.contains(element) { list.append(element) }
        }

        mutating func remove(_ element: Int) {
            order.remove(element)
            list.removeAll { $0 == element }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `is that of a list from which any element can be removed`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var compared = Compared()
        for _ in 0..<2000 {
            let element = Int.random(in: 0..<40, using: &generator)
            if Bool.random(using: &generator) { compared.append(element) } else { compared.remove(element) }
            #expect(compared.order.count == compared.list.count)
            #expect(compared.order.first == compared.list.first)
            let limit = Int.random(in: 0..<40, using: &generator)
            #expect(compared.order.prefix { $0 != limit } == Array(compared.list.prefix { $0 != limit }))
        }
    }

    @Test func `elements that come and go behind one that stays leave the others in order`() {
        var compared = Compared()
        compared.append(-1)
        for element in 0..<10_000 {
            compared.append(element)
            if element >= 3 { compared.remove(element - 3) }
        }
        #expect(compared.order.prefix { _ in true } == [-1, 9997, 9998, 9999])
        #expect(compared.list == [-1, 9997, 9998, 9999])
    }
}
