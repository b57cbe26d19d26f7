public import InklingKeys

/// The time that the system grants an app outside the foreground, and the work that fits into it (`Specs/lifecycle.md`).
public struct ExecutionWindow: Hashable, Sendable {
    /// The event that opens a window.
    public enum Occasion: String, Hashable, Sendable, CaseIterable {
        /// The system launched or activated the app for an event.
        case relaunch
        /// The app left the foreground.
        case leavingForeground = "leaving-foreground"
    }

    /// The length of a window according to a source.
    public struct Figure: Hashable, Sendable {
        /// The length of the window.
        public let length: Duration
        /// The source of the figure.
        public let source: FactSource
        /// Whether plans use this figure. They use the shortest; sources contradict or do not guarantee the others.
        public let isHeld: Bool
    }

    /// A kind of work.
    public enum JobKind: String, Hashable, Sendable, CaseIterable {
        /// Create the managers again.
        case reinitialise
        /// Handle the event: range, connect, read, confirm.
        case handleEvent = "handle-event"
        /// Write to disk the data that must not be lost.
        case persist
        /// Send requests over a network; never in a window.
        case network
        /// Draw; never in a window.
        case userInterface = "user-interface"
        /// Compute more than it takes to parse a packet; never in a window.
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

        /// The order in which jobs get room: `persist` comes before `handleEvent`.
        var rank: Int { self == .handleEvent ? 3 : turn ?? 4 }
    }

    /// A piece of work with its expected duration.
    public struct Job: Hashable, Sendable {
        /// The kind of work, which determines the order.
        public let kind: JobKind
        /// The expected duration of the job.
        public let duration: Duration

        /// Creates a job.
        public init(_ kind: JobKind, taking duration: Duration) {
            self.kind = kind
            self.duration = duration
        }
    }

    /// The reason a job is not done in the window.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// Jobs of this kind are never done in a window.
        case kind
        /// The rest of the window is too short.
        case room
    }

    /// The jobs that are done, and those that are not.
    public struct Plan: Hashable, Sendable {
        /// The indices of the accepted jobs, in the order in which to do them.
        public let order: [Int]
        /// The reasons for the other jobs, by index.
        public let refused: [Int: Refusal]
        /// The duration of the accepted jobs, and the remaining time of the window.
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

    /// The event that opened the window.
    public let occasion: Occasion
    /// The time when the window opened.
    public let opened: Tick
    /// The number of times that the app abused earlier windows.
    public let abuses: Int
    /// Whether the system granted the one possible extension.
    public private(set) var isExtended = false

    /// Creates a window; a negative number of abuses counts as 0.
    public init(_ occasion: Occasion, opened: Tick, abuses: Int = 0) {
        self.occasion = occasion
        self.opened = opened
        self.abuses = max(0, abuses)
    }

    /// Records that the system extended the window. Returns false and changes nothing unless this is the first
    /// extension of a window of a relaunch.
    public mutating func extend() -> Bool {
        guard occasion == .relaunch, !isExtended else { return false }
        isExtended = true
        return true
    }

    /// The length of the window, which is halved for each abuse, at most three times.
    public var length: Duration {
        .milliseconds((occasion == .relaunch && isExtended ? 30_000 : 10_000) >> min(abuses, 3))
    }

    /// Returns how long the window is still open; zero after its end.
    public func remaining(at now: Tick) -> Duration {
        max(.zero, length - .milliseconds(now.milliseconds(since: opened)))
    }

    /// Returns the jobs to do, in order, and the reasons for refusing the others.
    ///
    /// Jobs get room in the order `reinitialise`, `persist`, `handleEvent`. The accepted ones are done in the order
    /// `reinitialise`, `handleEvent`, `persist`. Jobs of the same kind keep the order of the list.
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
