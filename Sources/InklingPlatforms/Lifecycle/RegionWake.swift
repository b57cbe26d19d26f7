public import InklingKeys

/// From the edge of a beacon region to minors that can be recognised, within the window (`Specs/lifecycle.md`).
///
/// The system tells that a region was entered, once until it is left, and not which minor was heard: only ranging tells
/// that, and a window is short.
public struct RegionWake: Sendable {
    /// A region that is monitored.
    public struct Region: Hashable, Sendable {
        /// The app's number for it, by which events name it.
        public let number: UInt16
        /// The minor that it was made for; nil for a region of every minor.
        public let minor: UInt16?

        /// A region of one minor, or of every minor.
        public init(_ number: UInt16, minor: UInt16? = nil) {
            self.number = number
            self.minor = minor
        }
    }

    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The system says that the region was entered.
        case entered(UInt16)
        /// The system says that the region was left.
        case exited(UInt16)
        /// The display woke, and the device is in these regions.
        case displayWoke([UInt16])
        /// One report of ranging: the minors that were heard.
        case ranged(UInt16, minors: [UInt16])
        /// The system ended the ranging of the region.
        case rangingFailed(UInt16)
        /// The app came to the screen, or left it.
        case foreground(Bool)
        /// The system suspends the app.
        case windowEnded
        /// The moment of `wake` has come.
        case timerFired
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable {
        /// Open a window of execution.
        case openWindow
        /// Range the beacons of the region.
        case startRanging(UInt16)
        /// Range them no more.
        case stopRanging(UInt16)
        /// Give the minors to recognition, search for our service, and read the tags of what is found: a minor alone
        /// names nobody.
        case identify(UInt16, minors: [UInt16])
        /// No beacon of the region is heard any more; a contact leaves by its own timer.
        case left(UInt16)
        /// Send `timerFired` at this moment; replaces every earlier wish.
        case wake(at: Tick)
    }

    /// A latency of the system, in seconds.
    public struct Latency: Hashable, Sendable {
        /// From the best to the worst that is reported, in seconds.
        public let seconds: ClosedRange<Int>
        /// Who says so.
        public let source: Source
    }

    /// How long after a beacon came, and went, the system tells so.
    public static let entry = Latency(seconds: 5...30, source: Source(.deepDive, "§5, latency and reliability"))
    /// How long after its last beacon went the system says that the region was left.
    public static let exit = Latency(seconds: 20...60, source: Source(.deepDive, "§5, latency and reliability"))
    /// Regions that an app may monitor.
    public static let regionLimit = 20
    /// For how long ranging goes on in the background: three reports, and most of the window is left to connect.
    public static let rangingLimit: UInt64 = 3000

    private struct Ranging: Sendable {
        var minors: Set<UInt16> = []
        /// When it is over; nil in the foreground.
        var until: Tick?
    }

    private let regions: [UInt16: Region]
    private var inside: Set<UInt16> = []
    private var ranging: [UInt16: Ranging] = [:]
    private var isForeground: Bool
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// A machine for these regions; what is over the limit is not monitored.
    public init(regions: [Region], isForeground: Bool = false) {
        self.regions = Dictionary(
            regions.prefix(Self.regionLimit).map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.isForeground = isForeground
    }

    /// The regions in which the device is.
    public var insideRegions: [UInt16] { inside.sorted() }

    /// Takes one event and says what the caller must now do, in order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        latest = max(latest, now)
        // Whatever comes: ranging that is over is over.
        let moment = latest
        var effects = stop { $0.until.map { $0 <= moment } ?? false }
        effects += take(event)
        let next = ranging.values.compactMap(\.until).min()
        if let next, next != scheduled { effects.append(.wake(at: next)) }
        scheduled = next
        return effects
    }

    private mutating func take(_ event: Event) -> [Effect] {
        switch event {
        case .entered(let number):
            guard regions[number] != nil, inside.insert(number).inserted else { return [] }
            return openWindow() + look(number)
        case .exited(let number):
            guard inside.remove(number) != nil else { return [] }
            return stop(number) + [.left(number)]
        case .displayWoke(let numbers):
            let known = Set(numbers).filter { regions[$0] != nil }.sorted()
            inside.formUnion(known)
            return known.isEmpty ? [] : openWindow() + known.flatMap { look($0) }
        case .ranged(let number, let minors):
            guard let before = ranging[number]?.minors else { return [] }
            let new = Set(minors).subtracting(before)
            ranging[number]?.minors.formUnion(new)
            return new.isEmpty ? [] : [.identify(number, minors: new.sorted())]
        case .rangingFailed(let number):
            ranging[number] = nil
            return []
        case .foreground(let isForeground):
            guard isForeground != self.isForeground else { return [] }
            self.isForeground = isForeground
            guard isForeground else { return stop { _ in true } }
            for number in ranging.keys { ranging[number]?.until = nil }
            return inside.sorted().flatMap { look($0) }
        case .windowEnded: return isForeground ? [] : stop { _ in true }
        case .timerFired: return []
        }
    }

    private func openWindow() -> [Effect] { isForeground ? [] : [.openWindow] }

    private mutating func look(_ number: UInt16) -> [Effect] {
        if let minor = regions[number]?.minor { return [.identify(number, minors: [minor])] }
        guard ranging[number] == nil else { return [] }
        ranging[number] = Ranging(until: isForeground ? nil : latest.advanced(byMilliseconds: Self.rangingLimit))
        return [.startRanging(number)]
    }

    private mutating func stop(_ number: UInt16) -> [Effect] {
        ranging.removeValue(forKey: number) == nil ? [] : [.stopRanging(number)]
    }

    private mutating func stop(where isOver: (Ranging) -> Bool) -> [Effect] {
        let numbers = ranging.filter { isOver($0.value) }.keys.sorted()
        return numbers.flatMap { stop($0) }
    }
}
