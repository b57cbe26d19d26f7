public import InklingEngine
internal import InklingKeys

/// A CSV table of predictions (`Specs/matching.md`): a line with the column names, then a row per prediction.
///
/// Like a file of predictions, it contains values and no keys.
public enum CSVPredictions {
    /// The first line, without its line feed.
    public static let header = "epoch,minor,name,contact,device"

    /// Returns a label as a quoted field; `nil` if it has a control character. Engines read parts of a file in parallel
    /// and take each line feed for the end of a row.
    public static func quoted(_ label: String) -> [UInt8]? {
        guard label.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
        let quote = UInt8(ascii: "\"")
        return [quote] + label.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    /// Appends a prediction's row and its line feed. `contact` is the contact's label, as returned by `quoted`.
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
