internal import CLogLines
internal import InklingEngine
internal import InklingKeys

/// Looks up the values of many sightings at once, period by period, and reuses its memory.
struct OwnerSearch {
    /// A device that may have shown a value of a sighting.
    struct Match: Hashable, Comparable {
        /// The index of the sighting.
        let line: Int
        let isByName: Bool
        let owner: Matcher.Owner

        static func < (left: Self, right: Self) -> Bool {
            if left.line != right.line { return left.line < right.line }
            if left.isByName != right.isByName { return left.isByName }
            return left.owner < right.owner
        }
    }

    /// The epochs whose values count for a sighting.
    private struct Window {
        let lowest: UInt32, highest: UInt32

        func contains(_ epoch: UInt32) -> Bool { lowest <= epoch && epoch <= highest }
    }

    /// The values looked up in one period.
    private struct Group {
        let period: Period
        var names: [Octets16] = []
        var linesOfNames: [Int] = []
        var minors: [UInt16] = []
        var linesOfMinors: [Int] = []
        /// The indices of the sightings.
        var lines: [Int] = []

        mutating func removeAll() {
            names.removeAll(keepingCapacity: true)
            linesOfNames.removeAll(keepingCapacity: true)
            minors.removeAll(keepingCapacity: true)
            linesOfMinors.removeAll(keepingCapacity: true)
            lines.removeAll(keepingCapacity: true)
        }
    }

    private let matcher: Matcher
    private let skew: UInt64
    private var windows: [Window] = []
    private var groups: [Group] = []
    private var places: [Period: Int] = [:]
    // The place of the last period of each number modulo the count: hashing every time would cost more than a search.
    private var lastPlaces = [Int](repeating: 0, count: 256)
    /// The matches of the last call, each once, ordered by sighting, names before minors, and owner.
    private(set) var matches: [Match] = []
    /// The expected number of owners of a random minor, per sighting of the last call; 0 without a minor.
    private(set) var byChance: [Double] = []
    /// Whether there are predictions for each sighting of the last call.
    private(set) var isCovered: [Bool] = []

    init(_ matcher: Matcher) {
        self.matcher = matcher
        skew = matcher.skew.seconds * 1000
    }

    /// Finds the owners of the values in those lines that are sightings.
    ///
    /// - Throws: any error of the computation of predictions.
    mutating func find(_ lines: UnsafeBufferPointer<log_line>) throws {
        matches.removeAll(keepingCapacity: true)
        byChance.removeAll(keepingCapacity: true)
        byChance.append(contentsOf: repeatElement(0, count: lines.count))
        isCovered.removeAll(keepingCapacity: true)
        isCovered.append(contentsOf: repeatElement(true, count: lines.count))
        unsafe divide(lines)
        for place in groups.indices where !groups[place].lines.isEmpty { try find(inGroup: place) }
        removeOldGroups()
        guard matches.count > 1 else { return }
        // Within one period they are already in line order.
        if !zip(matches, matches.dropFirst()).allSatisfy({ $0 < $1 }) {
            matches.sort()
            removeDuplicates()
        }
    }

    /// Distributes the sightings over the periods of their epochs.
    private mutating func divide(_ lines: UnsafeBufferPointer<log_line>) {
        windows.removeAll(keepingCapacity: true)
        let length = Epoch.seconds * 1000
        for index in lines.indices {
            guard unsafe Int32(lines[index].kind) == LOG_LINE_SIGHTING else {
                windows.append(Window(lowest: 1, highest: 0))
                continue
            }
            let (time, uncertainty) = unsafe (lines[index].time, UInt64(lines[index].uncertainty))
            // The value of epoch e counts from 900·e − τ, inclusive, to 900·(e+1) + τ, exclusive.
            let earliest = time > uncertainty + skew ? time - uncertainty - skew : 0
            let window = Window(
                lowest: UInt32(clamping: earliest / length),
                highest: min(UInt32(clamping: (time + uncertainty + skew) / length), Epoch.limit - 1))
            windows.append(window)
            guard window.lowest <= window.highest else { continue }
            isCovered[index] = false
            for number in window.lowest >> 2...window.highest >> 2 {
                var place = lastPlaces[Int(number & 255)]
                if place >= groups.count || groups[place].period.number != number {
                    guard let period = Period(number) else { continue }
                    place = group(of: period)
                    lastPlaces[Int(number & 255)] = place
                }
                groups[place].lines.append(index)
                let has = unsafe Int32(lines[index].has)
                if has & LOG_LINE_NAME != 0 {
                    groups[place].names.append(
                        unsafe Octets16(high: lines[index].name.0, low: lines[index].name.1))
                    groups[place].linesOfNames.append(index)
                }
                if has & LOG_LINE_MINOR != 0 {
                    groups[place].minors.append(unsafe lines[index].minor)
                    groups[place].linesOfMinors.append(index)
                }
            }
        }
    }

    private mutating func group(of period: Period) -> Int {
        if let place = places[period] { return place }
        places[period] = groups.count
        groups.append(Group(period: period))
        return groups.count - 1
    }

    private mutating func find(inGroup place: Int) throws {
        // Taken out, so that its arrays have one owner and keep their memory.
        var group = Group(period: groups[place].period)
        swap(&group, &groups[place])
        defer {
            group.removeAll()
            swap(&group, &groups[place])
        }
        guard let index = try matcher.indices.index(of: group.period) else { return }
        for line in group.lines { isCovered[line] = true }
        let base = group.period.firstEpoch.number
        index.forEach(of: group.names.span) { add(group.linesOfNames[$0], $1, base, isByName: true) }
        index.forEach(of: group.minors.span) { add(group.linesOfMinors[$0], $1, base, isByName: false) }
        for line in group.linesOfMinors {
            for quarter in 0..<4 as Range<UInt32> where windows[line].contains(base + quarter) {
                byChance[line] += Double(index.distinctMinors[Int(quarter)]) / Double(Odds.minors)
            }
        }
    }

    private mutating func add(_ line: Int, _ match: PeriodIndex.Match, _ base: UInt32, isByName: Bool) {
        let number = base + UInt32(match.quarter)
        guard windows[line].contains(number), let epoch = Epoch(number) else { return }
        let owner = Matcher.Owner(epoch: epoch, contact: Int(match.contact), device: match.device)
        matches.append(Match(line: line, isByName: isByName, owner: owner))
    }

    /// Removes duplicates, which occur when predictions overlap.
    private mutating func removeDuplicates() {
        var kept = 0
        for index in matches.indices where index == 0 || matches[index] != matches[kept - 1] {
            matches[kept] = matches[index]
            kept += 1
        }
        matches.removeSubrange(kept...)
    }

    /// Bounds the memory for a log that spans many periods.
    private mutating func removeOldGroups() {
        guard groups.count > 1024 else { return }
        groups = []
        places = [:]
    }
}
