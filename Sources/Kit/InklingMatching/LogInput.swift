/// Divides a log into blocks of whole lines, as it is read.
///
/// A line longer than a block is truncated after one byte more than `Sighting.lineLimit`, and so rejected as too long.
public struct LogInput: Sendable {
    // The beginning of a line, for the next block.
    private var rest: [UInt8] = []
    // Whether the following bytes belong to a truncated line.
    private var isSkipping = false
    private var hasEnded = false
    /// The number of lines in the blocks so far.
    public private(set) var lineCount = 0

    /// Creates the input at the beginning of a log.
    public init() {}

    /// Reads the next block. It ends when it is full, when no more input is available yet, or at the end of the log.
    ///
    /// - Parameters:
    ///   - block: the memory of the block.
    ///   - read: reads as many bytes as there is room for, and waits for the first; returns 0 at the end of the log.
    ///   - isReady: returns whether more can be read without waiting.
    /// - Returns: the number of lines in the log before the block; `nil` at the end.
    public mutating func next(
        into block: inout LogBlock, reading read: (UnsafeMutableRawBufferPointer) -> Int, isReady: () -> Bool
    ) -> Int? {
        block.removeAll()
        block.append(rest.span)
        rest = []
        // The last line feed; only new bytes are searched.
        var feed: Int?
        var searched = 0
        while !hasEnded {
            feed = block.lastFeed(from: searched) ?? feed
            searched = block.count
            if let feed, block.count == LogBlock.capacity || !isReady() {
                rest = block.cut(from: feed + 1)
                break
            }
            if feed == nil, block.count == LogBlock.capacity {
                // Keep enough to prove that the line is too long, and skip the rest.
                _ = block.cut(from: Sighting.lineLimit + 1)
                block.appendFeed()
                isSkipping = true
                break
            }
            hasEnded = unsafe block.fill(read) <= 0
            if isSkipping {
                skip(&block)
                searched = 0
            }
        }
        if hasEnded, block.count > 0, block.lastFeed(from: block.count - 1) == nil { block.appendFeed() }
        guard block.count > 0 else { return nil }
        defer { lineCount += block.lineCount }
        return lineCount
    }

    /// Ends the log here, whatever follows.
    public mutating func end() {
        hasEnded = true
        rest = []
    }

    /// Removes the bytes of the truncated line. The block contains nothing else.
    private mutating func skip(_ block: inout LogBlock) {
        guard let feed = block.firstFeed(from: 0) else { return block.removeAll() }
        isSkipping = false
        block.remove(before: feed + 1)
    }
}
