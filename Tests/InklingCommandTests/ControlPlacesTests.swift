import Synchronization
import Testing

@testable import InklingCommand

@Suite struct ControlPlacesTests {
    @Test func `a connection that waits longest gives its place to the next`() {
        let places = ControlPlaces()
        let left = Mutex<[Int]>([])
        func wait(_ client: Int) -> Int { places.wait { left.withLock { $0.append(client) } } }
        let numbers = (0..<ControlPlaces.waitingLimit).map { wait($0) }
        #expect(left.withLock { $0 } == [])
        // The second sends its request, so that there is room for one more.
        places.arrived(numbers[1])
        _ = wait(100)
        #expect(left.withLock { $0 } == [])
        _ = wait(101)
        _ = wait(102)
        #expect(left.withLock { $0 } == [0, 2])
    }

    @Test func `requests that last leave places for those that end at once`() {
        let places = ControlPlaces()
        let lasting = (0..<100).count { _ in places.begin(isBrief: false) }
        #expect(lasting == ControlPlaces.requestLimit)
        let brief = (0..<100).count { _ in places.begin(isBrief: true) }
        #expect(brief == ControlPlaces.briefLimit)
        places.end()
        let isRefused = !places.begin(isBrief: false)
        #expect(isRefused)
        let isTaken = places.begin(isBrief: true)
        #expect(isTaken)
    }
}
