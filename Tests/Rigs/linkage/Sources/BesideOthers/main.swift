// A program with a screen: no name that `import Inkling` shows may hide one that these modules, or the code that their
// macros write, need. `import` of Network exists on Apple's systems alone; its common names stand here as types instead.
import Foundation
import Inkling
import Observation
import RegexBuilder

// Names that such programs, and Apple's frameworks, use for things of their own.
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
precondition(notified.value, "the macro's code observes")

let line = Regex {
    "minor "
    Capture { OneOrMore(.digit) }
}
let minor = "minor 63941".firstMatch(of: line).flatMap { UInt16($0.1) }.map { BeaconMinor($0) }
precondition(minor?.value == 63941)
precondition(UUID().uuidString.count == 36)
_ = (Source(), Platform(), Endpoint(), Connection(), Listener())

/// A flag that a `@Sendable` closure sets.
final class Mutex: @unchecked Sendable {
    // Set and read on one thread: withObservationTracking calls back on the thread of the change.
    private(set) var value: Bool
    init(_ value: Bool) { self.value = value }
    func set(_ value: Bool) { self.value = value }
}
