public import InklingKeys

/// The time that a system gives an app outside the foreground, and the work that fits in it (`Specs/lifecycle.md`).
public struct ExecutionWindow: Hashable, Sendable {
    /// The reason for a window.
    public enum Occasion: String, Hashable, Sendable, CaseIterable {
        /// The system launched or activated the app for an event.
        case relaunch
        /// The app left the foreground.
        case leavingForeground = "leaving-foreground"
    }

    /// A length that a source gives.
    public struct Figure: Hashable, Sendable {
        /// The length.
        public let length: Duration
        /// The source.
        public let source: FactSource
        /// Whether plans use it: the shortest is used, the others are contradicted or not guaranteed.
        public let isHeld: Bool
    }

    /// A kind of work.
    public enum JobKind: String, Hashable, Sendable, CaseIterable {
        /// Create the managers again.
        case reinitialise
        /// Handle the event: range, connect, read, confirm.
        case handleEvent = "handle-event"
        /// Flush, and write what must last.
        case persist
        /// Requests over a network; never in a window.
        case network
        /// Drawing; never in a window.
        case userInterface = "user-interface"
        /// More than parsing a packet; never in a window.
        case computation

        /// The order in which jobs are done; nil for those that are refused.
        var turn: Int? {
            switch self {
            case .reinitialise: 0
            case .handleEvent: 1
            case .persist: 2
            case .network, .userInterface, .computation: nil
            }
        }

        /// The order in which room is given: what must last goes before what is new.
        var rank: Int { self == .handleEvent ? 3 : turn ?? 4 }
    }

    /// A piece of work with its expected duration.
    public struct Job: Hashable, Sendable {
        /// The kind, which decides its turn.
        public let kind: JobKind
        /// The time that it is expected to take.
        public let duration: Duration

        /// Creates a job.
        public init(_ kind: JobKind, taking duration: Duration) {
            self.kind = kind
            self.duration = duration
        }
    }

    /// The reason why a job is not done in the window.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// Jobs of its kind are never done in a window.
        case kind
        /// What is left of the window is too short.
        case room
    }

    /// The jobs that are done, and those that are not.
    public struct Plan: Hashable, Sendable {
        /// The accepted jobs, by their places in the list that was given, in the order in which they are done.
        public let order: [Int]
        /// The others, in the order of the list.
        public let refused: [Int: Refusal]
        /// The time that the accepted jobs take, and the time that was left of the window.
        public let spent: Duration, budget: Duration
    }

    /// Returns every figure that a source gives for an occasion.
    public static func figures(_ occasion: Occasion) -> [Figure] {
        switch occasion {
        case .relaunch:
            [
                Figure(length: .seconds(10), source: FactSource(.deepDive, "§4"), isHeld: true),
                Figure(
                    length: .seconds(30), source: FactSource(.deepDive, "§4, extended once, not guaranteed"),
                    isHeld: false),
            ]
        case .leavingForeground:
            [
                Figure(
                    length: .seconds(10), source: FactSource(.wearables, "The 10-Second Background Task Limit"),
                    isHeld: true),
                Figure(
                    length: .seconds(30), source: FactSource(.reconnection, "How iOS Background Execution Affects BLE"),
                    isHeld: false),
                Figure(length: .seconds(30), source: FactSource(.wearables, "older iOS versions"), isHeld: false),
                Figure(length: .seconds(180), source: FactSource(.wearables, "before iOS 13"), isHeld: false),
            ]
        }
    }

    /// The reason for the window.
    public let occasion: Occasion
    /// When it opened.
    public let opened: Tick
    /// How often the app abused earlier windows.
    public let abuses: Int
    /// Whether the system granted its one extension.
    public private(set) var isExtended = false

    /// Creates a window that opens now.
    public init(_ occasion: Occasion, opened: Tick, abuses: Int = 0) {
        self.occasion = occasion
        self.opened = opened
        self.abuses = max(0, abuses)
    }

    /// Extends the window, which the system granted; returns false and changes nothing when it cannot be extended, or not
    /// again.
    public mutating func extend() -> Bool {
        guard occasion == .relaunch, !isExtended else { return false }
        isExtended = true
        return true
    }

    /// The whole length; halved for each abuse, at most three times.
    public var length: Duration {
        .milliseconds((occasion == .relaunch && isExtended ? 30_000 : 10_000) >> min(abuses, 3))
    }

    /// Returns the time that is left.
    public func remaining(at now: Tick) -> Duration {
        max(.zero, length - .milliseconds(now.milliseconds(since: opened)))
    }

    /// Returns the jobs that are done, in their order, and the others.
    ///
    /// Room is given to the managers first, then to what must last, then to the event. What is accepted is done in the
    /// order managers, event, what must last. Jobs of a kind keep the order of the list.
    public func plan(_ jobs: [Job], at now: Tick) -> Plan {
        let budget = remaining(at: now)
        var left = budget
        var order: [Int] = []
        var refused: [Int: Refusal] = [:]
        for place in jobs.indices.sorted(by: { (jobs[$0].kind.rank, $0) < (jobs[$1].kind.rank, $1) }) {
            let job = jobs[place]
            if job.kind.turn == nil {
                refused[place] = .kind
            } else if job.duration > left {
                refused[place] = .room
            } else {
                left -= job.duration
                order.append(place)
            }
        }
        order.sort { (jobs[$0].kind.turn ?? 0, $0) < (jobs[$1].kind.turn ?? 0, $1) }
        return Plan(order: order, refused: refused, spent: budget - left, budget: budget)
    }
}
