internal import CLogLines
internal import InklingEngine
internal import InklingKeys

/// Whole lines of a log, in memory that can be used for one block after another (`Specs/matching.md`).
public struct LogBlock: Sendable {
    /// The number of bytes that a block has room for.
    public static let capacity = 1 << 18

    /// What the fast parser finds in a line.
    enum Line: Hashable {
        case blank
        case sighting(Sighting)
        /// A line for the complete parser.
        case other
    }

    // Room for the lines, for a last line feed, and for what the fast parser reads ahead.
    private var bytes: [UInt8] = []
    /// The number of bytes of the lines. The last one is a line feed, except while a block is filled.
    private(set) var count = 0

    /// Creates an empty block.
    public init() {}

    /// The number of lines.
    var lineCount: Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe log_lines_count($0, count) } ?? 0
        }
    }

    /// Calls `body` with the lines, which are valid only during the call; the padding of the fast parser is behind them.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBufferPointer { bytes in try unsafe body(bytes.prefixed(count)) }
    }

    /// Parses a line alone, by the fast parser.
    mutating func only(_ line: [UInt8]) -> Line {
        guard line.count <= Sighting.lineLimit else { return .other }
        removeAll(room: line.count)
        append(line.span)
        appendFeed()
        return unsafe withBytes { bytes in
            var read = log_line()
            var place = 0
            // A line feed inside the line makes it two, or one that is shorter.
            guard let start = bytes.baseAddress, unsafe log_lines_read(start, bytes.count, &place, &read, 1) == 1,
                read.count == line.count
            else { return .other }
            return switch Int32(read.kind) {
            case LOG_LINE_BLANK: .blank
            case LOG_LINE_SIGHTING: .sighting(Sighting(read))
            default: .other
            }
        }
    }

    // Filling

    /// Empties the block, and makes room for this many bytes.
    mutating func removeAll(room: Int = capacity) {
        count = 0
        let size = room + 1 + Int(LOG_LINES_PADDING)
        if bytes.count < size { bytes = [UInt8](repeating: 0, count: size) }
    }

    /// Appends bytes for which there is room.
    mutating func append(_ more: Span<UInt8>) {
        for index in more.indices { bytes[count + index] = more[index] }
        count += more.count
    }

    mutating func appendFeed() {
        bytes[count] = 0x0a
        count += 1
    }

    /// Lets `read` fill the room that is left, up to `capacity`. Returns the number of bytes, which `read` returns.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let count = count
        let filled = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe read(UnsafeMutableRawBufferPointer(rebasing: bytes[count..<Self.capacity]))
        }
        self.count += max(0, filled)
        return filled
    }

    /// Removes everything from an offset on, and returns it.
    mutating func cut(from offset: Int) -> [UInt8] {
        defer { count = offset }
        return Array(bytes[offset..<count])
    }

    /// Removes everything before an offset.
    mutating func remove(before offset: Int) {
        for index in offset..<count { bytes[index - offset] = bytes[index] }
        count -= offset
    }

    /// The first line feed from an offset on.
    func firstFeed(from offset: Int) -> Int? { bytes[offset..<count].firstIndex(of: 0x0a) }

    /// The last line feed that is not before an offset.
    func lastFeed(from offset: Int) -> Int? { bytes[offset..<count].lastIndex(of: 0x0a) }
}

extension UnsafeBufferPointer {
    /// The first elements; the caller guarantees that they exist.
    fileprivate func prefixed(_ count: Int) -> UnsafeBufferPointer {
        unsafe UnsafeBufferPointer(rebasing: self[..<count])
    }
}

extension Sighting {
    /// The sighting of a line that is one.
    init(_ line: log_line) {
        self.init(
            observed: ObservedTime(
                unixMilliseconds: line.time, uncertainty: .milliseconds(UInt64(line.uncertainty))),
            name: Int32(line.has) & LOG_LINE_NAME != 0
                ? OpaqueServiceName(Octets16(high: line.name.0, low: line.name.1)) : nil,
            minor: Int32(line.has) & LOG_LINE_MINOR != 0 ? BeaconMinor(line.minor) : nil)
    }
}

extension log_line {
    /// The values of a sighting; the texts are empty.
    init(_ sighting: Sighting) {
        self.init()
        kind = UInt8(LOG_LINE_SIGHTING)
        time = sighting.observed.unixMilliseconds
        uncertainty = UInt32(clamping: sighting.observed.uncertaintyMilliseconds)
        if let octets = sighting.name?.octets {
            has |= UInt8(LOG_LINE_NAME)
            name = (octets.high, octets.low)
        }
        if let value = sighting.minor?.value {
            has |= UInt8(LOG_LINE_MINOR)
            minor = value
        }
    }
}
