// A program with a user interface: no public name of `import Inkling` may hide a name that these modules, or the code of their
// macros, need. Network exists only on Apple's systems, so types stand for its common names.
import Foundation
import Inkling
import Observation
import RegexBuilder

// Names that such programs and Apple's frameworks often use.
struct Source {}
struct Platform {}
struct Endpoint {}
struct Connection {}
struct Listener {}

@Observable final class Screen {
    var nearby: [ContactID] = []
    var updated = Date(timeIntervalSince1970: 0)
}

let screen = Screen()
let notified = Mutex(false)
withObservationTracking {
    _ = screen.nearby
} onChange: {
    notified.set(true)
}
screen.nearby = [ContactID(rawValue: 1)]
precondition(notified.value, "the observation of the macro works")

let line = Regex {
    "minor "
    Capture { OneOrMore(.digit) }
}
let minor = "minor 63941".firstMatch(of: line).flatMap { UInt16($0.1) }.map { BeaconMinor($0) }
precondition(minor?.value == 63941)
precondition(UUID().uuidString.count == 36)
_ = (Source(), Platform(), Endpoint(), Connection(), Listener())

/// A flag that a `@Sendable` closure can set.
final class Mutex: @unchecked Sendable {
    // Set and read on one thread: withObservationTracking calls back on the thread of the change.
    private(set) var value: Bool
    init(_ value: Bool) { self.value = value }
    func set(_ value: Bool) { self.value = value }
}
