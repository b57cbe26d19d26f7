internal import Glibc

/// What an observer hears of one device in one window: each line stands for frames of the same content.
struct Bundle {
    /// Frames with the same bytes under the same address.
    private struct Line {
        let kind: String, source: String
        let bytes: [UInt8]
        var first: Double, last: Double
        var count = 1
        var squares = 0.0
    }

    private var lines: [Line] = []

    /// Adds one frame at a time in milliseconds.
    mutating func add(_ kind: String, from source: String = "-", at time: Double, _ bytes: [UInt8]) {
        for place in lines.indices where lines[place].bytes == bytes && lines[place].kind == kind {
            guard lines[place].source == source else { continue }
            let interval = time - lines[place].last
            lines[place].last = time
            lines[place].count += 1
            lines[place].squares += interval * interval
            return
        }
        lines.append(Line(kind: kind, source: source, bytes: bytes, first: time, last: time))
    }

    /// Adds frames that follow each other at `interval` milliseconds, to each of which 0 to 10 ms are added.
    mutating func add(
        _ kind: String, from source: String, from begin: Double, to end: Double, every interval: Double,
        _ bytes: [UInt8], using draws: inout Draws
    ) {
        guard begin < end else { return }
        var line = Line(kind: kind, source: source, bytes: bytes, first: begin, last: begin)
        while true {
            let step = interval + 10 * draws.unit()
            guard line.last + step < end else { break }
            line.last += step
            line.count += 1
            line.squares += step * step
        }
        lines.append(line)
    }

    /// Writes the lines: number of the bundle, kind, sender, first and last time, count, mean and standard deviation of
    /// the intervals, bytes.
    func write(number: Int, to file: UnsafeMutablePointer<FILE>) {
        for line in lines {
            let intervals = Double(line.count - 1)
            let mean = intervals > 0 ? (line.last - line.first) / intervals : 0
            let variance = intervals > 1 ? max(0, line.squares / intervals - mean * mean) : 0
            var text = "\(number)\t\(line.kind)\t\(line.source)\t\(line.first)\t\(line.last)\t\(line.count)\t\(mean)\t"
            text += "\(variance.squareRoot())\t"
            var characters = Array(text.utf8)
            characters.reserveCapacity(characters.count + 2 * line.bytes.count + 1)
            let digits = Array("0123456789abcdef".utf8)
            for byte in line.bytes {
                characters.append(digits[Int(byte >> 4)])
                characters.append(digits[Int(byte & 15)])
            }
            characters.append(UInt8(ascii: "\n"))
            unsafe fwrite(characters, 1, characters.count, file)
        }
    }
}
