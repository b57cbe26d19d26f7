public import InklingKeys

/// Leads from the entry into a beacon region to minors that can be recognised, within the window (`Specs/lifecycle.md`).
///
/// The system reports the entry into a region once until it is left, and not the minor that was heard. Only ranging reports
/// the minor, and a window is short.
public struct RegionWake: Sendable {
    /// A region that is monitored.
    public struct Region: Hashable, Sendable {
        /// The app's number for it, by which events name it.
        public let number: UInt16
        /// The minor that it was made for; nil for a region of every minor.
        public let minor: UInt16?

        /// Creates a region of one minor, or of every minor.
        public init(_ number: UInt16, minor: UInt16? = nil) {
            self.number = number
            self.minor = minor
        }
    }

    /// An event.
    public enum Event: Hashable, Sendable {
        /// The system reports the entry into the region.
        case entered(UInt16)
        /// The system reports the exit from the region.
        case exited(UInt16)
        /// The display woke, and the device is in these regions.
        case displayWoke([UInt16])
        /// Ranging reports the minors that it heard.
        case ranged(UInt16, minors: [UInt16])
        /// The system ended the ranging of the region.
        case rangingFailed(UInt16)
        /// The app came to the foreground, or left it.
        case foreground(Bool)
        /// The system suspends the app.
        case windowEnded
        /// The time of `wake` has come.
        case timerFired
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Open a window of execution.
        case openWindow
        /// Range the beacons of the region.
        case startRanging(UInt16)
        /// Stop ranging the beacons of the region.
        case stopRanging(UInt16)
        /// Give the minors to recognition, search for the service, and read the tags of what is found: a minor alone
        /// names no contact.
        case identify(UInt16, minors: [UInt16])
        /// No beacon of the region is heard any more; a contact leaves by its own timer.
        case left(UInt16)
        /// Send `timerFired` at this time; replaces every earlier `wake`.
        case wake(at: Tick)

        /// The effect in words, for a log; regions by number, and no minors.
        public var description: String {
            switch self {
            case .openWindow: "open a window of execution"
            case .startRanging(let region): "start ranging in region \(region)"
            case .stopRanging(let region): "stop ranging in region \(region)"
            case .identify(let region, let minors): "identify \(minors.count) minors of region \(region)"
            case .left(let region): "region \(region) was left"
            case .wake(let tick): "wake at \(tick)"
            }
        }
    }

    /// A latency of the system.
    public struct Latency: Hashable, Sendable {
        /// From the best to the worst that is reported.
        public let range: ClosedRange<Duration>
        /// The source.
        public let source: FactSource
    }

    /// The time after which the system reports that a beacon came.
    public static let entry = Latency(
        range: .seconds(5)...(.seconds(30)), source: FactSource(.deepDive, "§5, latency and reliability"))
    /// The time after which the system reports that the last beacon of a region went.
    public static let exit = Latency(
        range: .seconds(20)...(.seconds(60)), source: FactSource(.deepDive, "§5, latency and reliability"))
    /// The most regions that an app may monitor.
    public static let regionLimit = 20
    /// The time for which ranging goes on in the background: three reports, with most of the window left to connect.
    public static let rangingLimit: Duration = .seconds(3)

    private struct Ranging: Sendable {
        var minors: Set<UInt16> = []
        /// The time at which it ends; nil in the foreground.
        var until: Tick?
    }

    private let regions: [UInt16: Region]
    private var inside: Set<UInt16> = []
    private var ranging: [UInt16: Ranging] = [:]
    private var isForeground: Bool
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// Creates a machine for these regions; those above the limit are not monitored.
    public init(regions: [Region], isForeground: Bool = false) {
        self.regions = Dictionary(
            regions.prefix(Self.regionLimit).map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.isForeground = isForeground
    }

    /// The regions in which the device is.
    public var insideRegions: [UInt16] { inside.sorted() }

    /// Handles one event and returns what the caller must do, in order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        latest = max(latest, now)
        // Ranging whose time has come ends at every event.
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
        ranging[number] = Ranging(
            until: isForeground ? nil : latest.advanced(byMilliseconds: Self.rangingLimit.wholeMilliseconds))
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
