import InklingEngine
import InklingTesting
import Testing

@Suite struct `Binary heap` {
    @Test func `removes elements in ascending order, whatever the order of insertion`() {
        var generator = SeededGenerator(seed: 3)
        for count in [0, 1, 2, 3, 7, 64, 500] {
            let numbers = (0..<count).map { _ in Int.random(in: 0..<100, using: &generator) }
            var filled = Heap<Int>()
            for number in numbers { filled.insert(number) }
            var made = Heap(numbers)
            #expect(filled.count == count && made.count == count)
            #expect(filled.first == numbers.min())
            let one = (0..<count).compactMap { _ in filled.removeFirst() }
            let other = (0..<count).compactMap { _ in made.removeFirst() }
            #expect(one == numbers.sorted() && other == one)
            let end = filled.removeFirst()
            #expect(end == nil)
        }
    }

    @Test func `moments come in their order, and those at the same time as they were planned`() {
        var generator = SeededGenerator(seed: 4)
        let moments = (0..<500).map { _ in UInt64.random(in: 0..<40, using: &generator) }
        var plan = PlannedMoments()
        for (place, moment) in moments.enumerated() { plan.plan(place, at: moment) }
        let expected = moments.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
        var places: [Int] = []
        while let next = plan.next() {
            #expect(moments[next.place] == next.at)
            places.append(next.place)
        }
        #expect(places == expected)
    }
}
