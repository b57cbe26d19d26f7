internal import CLogLines
internal import InklingEngine
internal import InklingKeys

/// Whole lines of a log, in reusable memory (`Specs/matching.md`).
public struct LogBlock: Sendable {
    /// The capacity of a block in bytes.
    public static let capacity = 1 << 18

    /// The fast parser's result for a line.
    enum Line: Hashable {
        case blank
        case sighting(Sighting)
        /// A line for the full parser.
        case other
    }

    // Room for the lines, a last line feed, and the fast parser's read-ahead.
    private var bytes: [UInt8] = []
    /// The number of bytes in the lines. The last one is a line feed, except while a block is being filled.
    private(set) var count = 0

    /// Creates an empty block.
    public init() {}

    /// The number of lines.
    var lineCount: Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe log_lines_count($0, count) } ?? 0
        }
    }

    /// Calls `body` with the lines, which are valid only during the call; the fast parser's padding follows them.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBufferPointer { bytes in try unsafe body(bytes.prefixed(count)) }
    }

    /// Parses a single line with the fast parser.
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

    /// Appends bytes, for which there must be room.
    mutating func append(_ more: Span<UInt8>) {
        for index in more.indices { bytes[count + index] = more[index] }
        count += more.count
    }

    mutating func appendFeed() {
        bytes[count] = 0x0a
        count += 1
    }

    /// Lets `read` fill the remaining room, up to `capacity`. Returns the result of `read`, the number of bytes.
    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let count = count
        let filled = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe read(UnsafeMutableRawBufferPointer(rebasing: bytes[count..<Self.capacity]))
        }
        self.count += max(0, filled)
        return filled
    }

    /// Removes and returns everything from an offset on.
    mutating func cut(from offset: Int) -> [UInt8] {
        defer { count = offset }
        return Array(bytes[offset..<count])
    }

    /// Removes everything before an offset.
    mutating func remove(before offset: Int) {
        for index in offset..<count { bytes[index - offset] = bytes[index] }
        count -= offset
    }

    /// Returns the position of the first line feed from an offset on.
    func firstFeed(from offset: Int) -> Int? { bytes[offset..<count].firstIndex(of: 0x0a) }

    /// Returns the position of the last line feed from an offset on.
    func lastFeed(from offset: Int) -> Int? { bytes[offset..<count].lastIndex(of: 0x0a) }
}

extension UnsafeBufferPointer {
    /// Returns the first elements; the caller guarantees that they exist.
    fileprivate func prefixed(_ count: Int) -> UnsafeBufferPointer {
        unsafe UnsafeBufferPointer(rebasing: self[..<count])
    }
}

extension Sighting {
    /// Creates the sighting of a line that contains one.
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
    /// Creates a line with the values of a sighting and empty texts.
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
