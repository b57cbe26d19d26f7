internal import CLogLines
internal import InklingEngine
internal import InklingJSON
internal import InklingKeys

/// Writes matches as JSON objects, one per line (`Specs/matching.md`).
struct MatchWriter {
    // As JSON, with quotes.
    private var labels: [[UInt8]] = []

    /// The number of contacts whose labels are known.
    var labelCount: Int { labels.count }

    /// Sets the labels of the contacts.
    mutating func setLabels(_ texts: [String]) {
        labels = texts.map { Array(JSON.text($0).compact.utf8) }
    }

    /// Appends the match of a line.
    ///
    /// - Parameters:
    ///   - number: the number of the line in the log, from 1.
    ///   - line: the positions of the values.
    ///   - bytes: the lines of the block.
    ///   - isByName: whether the name matched, rather than the minor.
    ///   - matches: the owners of the value.
    ///   - output: the buffer to append the match to.
    func write(
        _ number: Int, _ line: log_line, _ bytes: UnsafeBufferPointer<UInt8>, isByName: Bool,
        of matches: ArraySlice<OwnerSearch.Match>, into output: inout [UInt8]
    ) {
        output.append(text: "{\"line\":")
        output.append(decimal: number)
        if Int32(line.has) & LOG_LINE_UNPRINTABLE == 0 {
            let start = Int(line.start)
            func copy(_ name: StaticString, _ value: log_value) {
                guard value.end > value.start else { return }
                output.append(text: name)
                unsafe output.append(contentsOf: bytes[start + Int(value.start)..<start + Int(value.end)])
            }
            copy(",\"time\":", line.time_text)
            if isByName { copy(",\"name\":", line.name_text) } else { copy(",\"minor\":", line.minor_text) }
            copy(",\"address\":", line.address_text)
            copy(",\"rssi\":", line.rssi_text)
        } else {
            let object =
                unsafe (try? JSON(
                    parsing: Array(bytes[Int(line.start)..<Int(line.start) + Int(line.count)])))?.object
            for name in ["time", isByName ? "name" : "minor", "address", "rssi"] {
                guard let value = object?[name] else { continue }
                output.append(contentsOf: ",\"\(name)\":\(value.compact)".utf8)
            }
        }
        output.append(text: ",\"of\":[")
        for (place, match) in matches.enumerated() {
            output.append(text: place == 0 ? "{\"contact\":" : ",{\"contact\":")
            output.append(contentsOf: labels[match.owner.contact])
            output.append(text: ",\"device\":")
            output.append(decimal: Int(match.owner.device.number))
            output.append(text: ",\"epoch\":")
            output.append(decimal: Int(match.owner.epoch.number))
            output.append(UInt8(ascii: "}"))
        }
        output.append(text: "]}\n")
    }
}
