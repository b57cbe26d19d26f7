public import InklingKeys

/// A machine that obtains minors after entry into a beacon region, within the execution window (`Specs/lifecycle.md`).
///
/// The system reports the entry into a region once until the device leaves it, and does not report the minor that was
/// heard. Only ranging reports minors, and the window is short.
public struct RegionWake: Sendable {
    /// A monitored beacon region.
    public struct Region: Hashable, Sendable {
        /// The app's number for the region, which events and effects use.
        public let number: UInt16
        /// The minor of the region; nil for a region of all minors.
        public let minor: UInt16?

        /// Creates a region of one minor or of all minors.
        public init(_ number: UInt16, minor: UInt16? = nil) {
            self.number = number
            self.minor = minor
        }
    }

    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// The system reports the entry into the region.
        case entered(UInt16)
        /// The system reports the exit from the region.
        case exited(UInt16)
        /// The display was switched on, and the device is in these regions.
        case displayWoke([UInt16])
        /// Ranging reports the minors that it heard.
        case ranged(UInt16, minors: [UInt16])
        /// The system ended the ranging of the region because of an error.
        case rangingFailed(UInt16)
        /// The app came to the foreground, or left it.
        case foreground(Bool)
        /// The system suspends the app.
        case windowEnded
        /// The moment of the latest `wake` has come.
        case timerFired
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Open an execution window.
        case openWindow
        /// Range the beacons of the region.
        case startRanging(UInt16)
        /// Stop ranging the beacons of the region.
        case stopRanging(UInt16)
        /// Pass the minors to recognition, search for the service, and read the tags of the devices that are found,
        /// because a minor alone does not identify a contact.
        case identify(UInt16, minors: [UInt16])
        /// No beacon of the region is heard any longer. This is no departure of a contact, which has a timer of its
        /// own.
        case left(UInt16)
        /// Report `timerFired` at this moment; replaces any earlier `wake`.
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

    /// The delay of a report by the system.
    public struct Latency: Hashable, Sendable {
        /// The best and the worst time that the source reports.
        public let range: ClosedRange<Duration>
        /// The source of the figures.
        public let source: FactSource
    }

    /// The time from a beacon coming into range to the system's report of the entry.
    public static let entry = Latency(
        range: .seconds(5)...(.seconds(30)), source: FactSource(.deepDive, "§5, latency and reliability"))
    /// The time from the disappearance of a region's last beacon to the system's report of the exit.
    public static let exit = Latency(
        range: .seconds(20)...(.seconds(60)), source: FactSource(.deepDive, "§5, latency and reliability"))
    /// The most regions that an app may monitor.
    public static let regionLimit = 20
    /// The duration of ranging in the background: it yields three reports and leaves most of the window for connecting.
    public static let rangingLimit: Duration = .seconds(3)

    private struct Ranging: Sendable {
        var minors: Set<UInt16> = []
        /// The end of ranging; nil in the foreground, where it has no limit.
        var until: Tick?
    }

    private let regions: [UInt16: Region]
    private var inside: Set<UInt16> = []
    private var ranging: [UInt16: Ranging] = [:]
    private var isForeground: Bool
    private var latest = Tick(milliseconds: 0)
    private var scheduled: Tick?

    /// Creates a machine for these regions; those beyond `regionLimit` are ignored.
    public init(regions: [Region], isForeground: Bool = false) {
        self.regions = Dictionary(
            regions.prefix(Self.regionLimit).map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.isForeground = isForeground
    }

    /// The numbers of the regions in which the device is, ascending.
    public var insideRegions: [UInt16] { inside.sorted() }

    /// Handles one event and returns the effects to carry out, in order.
    public mutating func handle(_ event: Event, at now: Tick) -> [Effect] {
        latest = max(latest, now)
        // Every event first ends ranging whose time is over, so that no `wake` lies in the past.
        let moment = latest
        var effects = stop { $0.until.map { $0 <= moment } ?? false }
        effects += apply(event)
        let next = ranging.values.compactMap(\.until).min()
        if let next, next != scheduled { effects.append(.wake(at: next)) }
        scheduled = next
        return effects
    }

    private mutating func apply(_ event: Event) -> [Effect] {
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
