public import InklingKeys

/// The time that a system gives an app that nobody looks at, and what fits in it (`Specs/lifecycle.md`).
public struct ExecutionWindow: Hashable, Sendable {
    /// Why there is a window.
    public enum Occasion: String, Hashable, Sendable, CaseIterable {
        /// The system launched or activated the app for an event.
        case relaunch
        /// The app left the foreground.
        case leavingForeground = "leaving-foreground"
    }

    /// A length that a source gives.
    public struct Figure: Hashable, Sendable {
        /// The length, in milliseconds.
        public let milliseconds: UInt64
        /// Who says so.
        public let source: Source
        /// Whether plans count on it: the shortest does, the others are contradicted or not guaranteed.
        public let isHeld: Bool
    }

    /// What the app does in the window.
    public enum JobKind: String, Hashable, Sendable, CaseIterable {
        /// Create the managers again.
        case reinitialise
        /// Handle the event: range, connect, read, confirm.
        case handleEvent = "handle-event"
        /// Flush, and write what must last.
        case persist
        /// Requests over a network; never in a window.
        case network
        /// Drawing what nobody sees; never in a window.
        case userInterface = "user-interface"
        /// More than parsing a packet.
        case computation

        /// In which order jobs are done.
        var turn: Int? {
            switch self {
            case .reinitialise: 0
            case .handleEvent: 1
            case .persist: 2
            case .network, .userInterface, .computation: nil
            }
        }

        /// In which order places are given: what lasts goes before what is new.
        var rank: Int { self == .handleEvent ? 3 : turn ?? 4 }
    }

    /// Work with its expected duration.
    public struct Job: Hashable, Sendable {
        /// What it is, which decides about its turn.
        public let kind: JobKind
        /// How long it is expected to take.
        public let milliseconds: UInt64

        /// A job that is expected to take so many milliseconds.
        public init(_ kind: JobKind, milliseconds: UInt64) {
            self.kind = kind
            self.milliseconds = milliseconds
        }
    }

    /// Why a job is not done in the window.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// It never belongs there.
        case kind
        /// What is left of the window is too short.
        case room
    }

    /// What is done and what is not.
    public struct Plan: Hashable, Sendable {
        /// The accepted jobs, by their places in the list that was given, in the order in which they are done.
        public let order: [Int]
        /// The others, in the order of the list.
        public let refused: [Int: Refusal]
        /// Milliseconds that the accepted jobs take, and those that were left.
        public let spent: UInt64, budget: UInt64
    }

    /// Every figure that a source gives for an occasion.
    public static func figures(_ occasion: Occasion) -> [Figure] {
        switch occasion {
        case .relaunch:
            [
                Figure(milliseconds: 10_000, source: Source(.deepDive, "§4"), isHeld: true),
                Figure(
                    milliseconds: 30_000, source: Source(.deepDive, "§4, extended once, not guaranteed"), isHeld: false),
            ]
        case .leavingForeground:
            [
                Figure(
                    milliseconds: 10_000, source: Source(.wearables, "The 10-Second Background Task Limit"),
                    isHeld: true),
                Figure(
                    milliseconds: 30_000, source: Source(.reconnection, "How iOS Background Execution Affects BLE"),
                    isHeld: false),
                Figure(milliseconds: 30_000, source: Source(.wearables, "older iOS versions"), isHeld: false),
                Figure(milliseconds: 180_000, source: Source(.wearables, "before iOS 13"), isHeld: false),
            ]
        }
    }

    /// Why the window opened.
    public let occasion: Occasion
    /// When it opened.
    public let opened: Tick
    /// How often the app overstayed or overworked windows of before.
    public let abuses: Int
    /// Whether the system granted its one extension.
    public private(set) var isExtended = false

    /// A window that opens now.
    public init(_ occasion: Occasion, opened: Tick, abuses: Int = 0) {
        self.occasion = occasion
        self.opened = opened
        self.abuses = max(0, abuses)
    }

    /// The system granted an extension; answers false, and changes nothing, where there is none or no second one.
    public mutating func extend() -> Bool {
        guard occasion == .relaunch, !isExtended else { return false }
        isExtended = true
        return true
    }

    /// Its whole length in milliseconds; halved for each abuse, three times at most.
    public var length: UInt64 {
        (occasion == .relaunch && isExtended ? 30_000 : 10_000) >> UInt64(min(abuses, 3))
    }

    /// Milliseconds that are left.
    public func remaining(at now: Tick) -> UInt64 {
        let elapsed = now.milliseconds(since: opened)
        return length > elapsed ? length - elapsed : 0
    }

    /// Which jobs are done, in which order.
    ///
    /// Places are given to the managers first, then to what must last, then to the event; what is accepted is done in
    /// the order managers, event, what lasts. Among equals the list's order counts.
    public func plan(_ jobs: [Job], at now: Tick) -> Plan {
        let budget = remaining(at: now)
        var left = budget
        var order: [Int] = []
        var refused: [Int: Refusal] = [:]
        for place in jobs.indices.sorted(by: { (jobs[$0].kind.rank, $0) < (jobs[$1].kind.rank, $1) }) {
            let job = jobs[place]
            if job.kind.turn == nil {
                refused[place] = .kind
            } else if job.milliseconds > left {
                refused[place] = .room
            } else {
                left -= job.milliseconds
                order.append(place)
            }
        }
        order.sort { (jobs[$0].kind.turn ?? 0, $0) < (jobs[$1].kind.turn ?? 0, $1) }
        return Plan(order: order, refused: refused, spent: budget - left, budget: budget)
    }
}
