import InklingKeys
import Testing

@testable import InklingNode

/// A number; a negative one stands for that many missed elements.
private struct Number: FeedElement, Hashable, ExpressibleByIntegerLiteral {
    let value: Int

    init(integerLiteral value: Int) { self.value = value }
    init(_ value: Int) { self.value = value }

    func after(missing count: Int) -> [Number] { [Number(-count), self] }
}

/// Returns the remaining elements of a stream that has ended.
private func rest(of stream: NodeStream<Number>) async -> [Number] {
    var elements: [Number] = []
    for await element in stream { elements.append(element) }
    return elements
}

@Suite struct EventFeedTests {
    @Test func `two subscribers both receive everything in order`() async {
        let feed = EventFeed<Number>()
        let (one, other) = (feed.subscribe(), feed.subscribe())
        for number in 1...1000 { feed.publish(Number(number)) }
        feed.finish()
        let expected = (1...1000).map { Number($0) }
        #expect(await rest(of: one) == expected)
        #expect(await rest(of: other) == expected)
    }

    @Test func `a slow subscriber learns how many elements it has lost, and others lose none`() async {
        let feed = EventFeed<Number>(capacity: 4)
        let slow = feed.subscribe()
        let quick = feed.subscribe()
        var quickly = quick.makeAsyncIterator()
        for number in 1...10 {
            feed.publish(Number(number))
            #expect(await quickly.next() == Number(number))
        }
        feed.finish()
        #expect(await rest(of: slow) == [-6, 7, 8, 9, 10])
        #expect(await quickly.next() == nil)
    }

    @Test func `each loss is reported once, before the element that follows it`() async {
        let feed = EventFeed<Number>(capacity: 2)
        let stream = feed.subscribe()
        var iterator = stream.makeAsyncIterator()
        for number in 1...3 { feed.publish(Number(number)) }
        #expect(await iterator.next() == -1)
        #expect(await iterator.next() == 2)
        #expect(await iterator.next() == 3)
        for number in 4...7 { feed.publish(Number(number)) }
        feed.finish()
        #expect(await rest(of: stream) == [-2, 6, 7])
    }

    @Test func `an offered element is not lost, however many others follow`() async {
        let feed = EventFeed<Number>(capacity: 4)
        let slow = feed.subscribe()
        #expect(feed.offer(100))
        for number in 1...10 { feed.publish(Number(number)) }
        #expect(feed.offer(200))
        for number in 11...20 { feed.publish(Number(number)) }
        feed.finish()
        #expect(await rest(of: slow) == [-18, 100, 200, 19, 20])
    }

    @Test func `a subscriber whose buffer is full of offered elements takes no further one`() async {
        let feed = EventFeed<Number>()
        let slow = feed.subscribe()
        let deaf = feed.subscribe(takesOffers: false)
        let taken = (1...1000).filter { feed.offer(Number($0)) }
        #expect(taken == Array(1...256))
        var iterator = slow.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(feed.offer(2000))
        #expect(!feed.offer(2001))
        feed.finish()
        #expect(await rest(of: slow) == (2...256).map { Number($0) } + [2000])
        #expect(await rest(of: deaf) == [])
    }

    @Test func `an element that no subscriber takes was not taken`() async {
        let feed = EventFeed<Number>()
        #expect(!feed.offer(1))
        let deaf = feed.subscribe(takesOffers: false)
        #expect(!feed.offer(2))
        feed.finish()
        #expect(await rest(of: deaf) == [])
    }

    @Test func `a late subscriber does not receive earlier elements`() async {
        let feed = EventFeed<Number>()
        feed.publish(1)
        let late = feed.subscribe()
        feed.publish(2)
        feed.finish()
        #expect(await rest(of: late) == [2])
    }

    @Test func `a late subscriber first receives the retained element of each contact`() async {
        let feed = EventFeed<Number>(capacity: 1)
        let users = (0..<3).map { UserID(Octets16(high: 0, low: $0)) }
        for (place, user) in users.enumerated() { feed.retain(Number(10 + place), for: user) }
        feed.retain(20, for: users[0])
        feed.retain(nil, for: users[1])
        let late = feed.subscribe()
        feed.publish(1)
        feed.finish()
        #expect(await rest(of: late) == [20, 12, 1])
    }

    @Test func `a subscriber waits until something is published, and its task can be cancelled`() async {
        let feed = EventFeed<Number>()
        let stream = feed.subscribe()
        let first = Task { () -> Number? in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }
        feed.publish(7)
        #expect(await first.value == 7)
        let second = Task { () -> Number? in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }
        second.cancel()
        #expect(await second.value == nil)
    }
}
