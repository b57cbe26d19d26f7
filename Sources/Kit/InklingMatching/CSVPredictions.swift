public import InklingEngine
internal import InklingKeys

/// A table of predictions as CSV (`Specs/matching.md`): a line with the names of the columns, then a row for each prediction.
///
/// Like a file of predictions, it contains values and no keys.
public enum CSVPredictions {
    /// The first line, without its line feed.
    public static let header = "epoch,minor,name,contact,device"

    /// Returns a label as a row contains it, in quotes; nil if it has a control character. Engines read parts of a file at
    /// once, and take each line feed for the end of a row.
    public static func quoted(_ label: String) -> [UInt8]? {
        guard label.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
        let quote = UInt8(ascii: "\"")
        return [quote] + label.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    /// Appends the row of one prediction and its line feed. `contact` is the label of its contact, as `quoted` returns it.
    public static func append(_ entry: Forecast.Entry, contact: [UInt8], to bytes: inout [UInt8]) {
        let comma = UInt8(ascii: ",")
        bytes.append(decimal: Int(entry.prediction.epoch.number))
        bytes.append(comma)
        bytes.append(decimal: Int(entry.minor.value))
        bytes.append(comma)
        bytes.append(hexadecimal: entry.name.octets.high)
        bytes.append(hexadecimal: entry.name.octets.low)
        bytes.append(comma)
        bytes += contact
        bytes.append(comma)
        bytes.append(decimal: Int(entry.prediction.device.number))
        bytes.append(UInt8(ascii: "\n"))
    }
}
