public import InklingEngine
internal import InklingJSON
public import InklingKeys

/// The text form of predictions for a range of epochs, with one JSON object per line (`Specs/matching.md`).
///
/// It contains values and no keys. Anyone with the file can recognise these contacts in these epochs, but in no others.
public enum PredictionFile {
    /// The format and its version, which the first line names.
    public static let version = "inkling-predictions/1"
    /// The largest number of epochs in a file: seven days.
    public static let epochLimit: UInt32 = 672
    /// The largest number of contacts in a file.
    public static let contactLimit = 10_000
    /// The largest number of predictions in a file.
    public static let rowLimit = 1 << 24
    /// The longest label of a contact in bytes of UTF-8.
    public static let labelLimit = 128
    /// The longest first line and the longest other line, in bytes without the line feed.
    public static let headerLimit = 2 << 20, lineLimit = 1024

    /// Returns whether these are valid labels: not too many, all different, none empty or too long.
    static func areLabels(_ contacts: [String]) -> Bool {
        contacts.count <= contactLimit && Set(contacts).count == contacts.count
            && contacts.allSatisfy { (1...labelLimit).contains($0.utf8.count) }
    }

    /// Returns the first line of a file, without its line feed.
    public static func header(epochs: ClosedRange<Epoch>, contacts: [String], rows: Int) -> String {
        let facts: JSONObject = [
            "file": .text(version), "from": .integer(epochs.lowerBound.number),
            "to": .integer(epochs.upperBound.number), "contacts": .list(contacts.map { .text($0) }),
            "rows": .integer(rows),
        ]
        return JSON.object(facts).compact
    }

    /// Returns the line of one prediction, without its line feed.
    public static func row(_ entry: Forecast.Entry) -> String {
        var line: [UInt8] = []
        append(entry, to: &line)
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Appends a prediction's line and its line feed. A file has many, so no `String` is created.
    public static func append(_ entry: Forecast.Entry, to bytes: inout [UInt8]) {
        bytes.append(text: "{\"epoch\":")
        bytes.append(decimal: Int(entry.prediction.epoch.number))
        bytes.append(text: ",\"contact\":")
        bytes.append(decimal: Int(entry.prediction.contact.rawValue))
        bytes.append(text: ",\"device\":")
        bytes.append(decimal: Int(entry.prediction.device.number))
        bytes.append(text: ",\"name\":\"")
        bytes.append(hexadecimal: entry.name.octets.high)
        bytes.append(hexadecimal: entry.name.octets.low)
        bytes.append(text: "\",\"minor\":")
        bytes.append(decimal: Int(entry.minor.value))
        bytes.append(text: "}\n")
    }
}

/// Parses a file of predictions line by line.
public struct PredictionFileReader {
    private struct Header {
        let from: Epoch, to: Epoch
        let rows: Int
    }

    /// The labels of the contacts; the contact of a prediction is an index into this list.
    public private(set) var contacts: [String] = []
    /// The predictions read so far, in the order of their epochs.
    public private(set) var entries: [Forecast.Entry] = []
    private var header: Header?
    private var flat = FlatLine()

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// The epochs of the file; `nil` before the first line is read.
    public var epochs: ClosedRange<Epoch>? { header.map { $0.from...$0.to } }

    /// Parses the next line.
    ///
    /// - Throws: `PredictionFileError`; if several apply, the one that comes first in the table in `Specs/matching.md`.
    public mutating func read(_ line: [UInt8]) throws(PredictionFileError) {
        guard let header else { return try readHeader(line) }
        guard entries.count < header.rows else { throw .surplus }
        let entry = try row(line)
        guard (header.from...header.to).contains(entry.prediction.epoch) else { throw .outsideEpochs }
        if let last = entries.last, last.prediction.epoch > entry.prediction.epoch { throw .notAscending }
        guard Int(entry.prediction.contact.rawValue) < contacts.count else { throw .unknownContact }
        entries.append(entry)
    }

    /// Checks at the end of the file that it is complete.
    ///
    /// - Throws: `PredictionFileError.truncated` if lines are missing, `.noHeader` if the file has no lines at all.
    public func finish() throws(PredictionFileError) {
        guard let header else { throw .noHeader }
        guard entries.count == header.rows else { throw .truncated }
    }

    private mutating func readHeader(_ line: [UInt8]) throws(PredictionFileError) {
        guard line.count <= PredictionFile.headerLimit, JSON.beginsWithObject(line),
            let object = (try? JSON(parsing: line))?.object,
            let file = object["file"]?.text
        else { throw .noHeader }
        guard file == PredictionFile.version else { throw .unknownVersion }
        guard object.names.count == 5, let labels = object["contacts"]?.list,
            let from = Self.epoch(object["from"]), let to = Self.epoch(object["to"]),
            let rows = object["rows"]?.integer.flatMap({ Int(exactly: $0) })
        else { throw .badHeader }
        let contacts = labels.compactMap(\.text)
        guard contacts.count == labels.count else { throw .badHeader }
        guard from <= to, to.number - from.number < PredictionFile.epochLimit else { throw .tooManyEpochs }
        guard PredictionFile.areLabels(contacts) else { throw .badContacts }
        guard (0...PredictionFile.rowLimit).contains(rows) else { throw .tooManyRows }
        self.contacts = contacts
        header = Header(from: from, to: to, rows: rows)
        // A header can claim any number of rows up to the limit, so only part of the memory is reserved now.
        entries.reserveCapacity(min(rows, 65_536))
    }

    private mutating func row(_ line: [UInt8]) throws(PredictionFileError) -> Forecast.Entry {
        guard line.count <= PredictionFile.lineLimit, flat.scan(line.span), flat.members.count == 5,
            let epoch = integer("epoch", in: line.span).flatMap({ Epoch($0) }),
            let contact = integer("contact", in: line.span),
            let device = integer("device", in: line.span).flatMap({ UInt8(exactly: $0) }).flatMap({ DeviceIndex($0) }),
            let minor = integer("minor", in: line.span).flatMap({ UInt16(exactly: $0) }),
            let member = flat.member("name", in: line.span), member.kind == .text,
            let name = OpaqueServiceName(parsing: line.span.extracting(member.value))
        else { throw .badRow }
        let prediction = Prediction(
            contact: ContactID(rawValue: contact), device: device, audience: .granted(0), epoch: epoch)
        return Forecast.Entry(prediction: prediction, name: name, minor: BeaconMinor(minor))
    }

    private func integer(_ name: StaticString, in line: Span<UInt8>) -> UInt32? {
        guard let member = flat.member(name, in: line), member.kind == .number, member.value.count <= 10 else {
            return nil
        }
        var value: UInt64 = 0
        for place in member.value {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[place]) else { return nil }
            value = value * 10 + UInt64(line[place] - UInt8(ascii: "0"))
        }
        return UInt32(exactly: value)
    }

    private static func epoch(_ value: JSON?) -> Epoch? {
        value?.integer.flatMap { UInt32(exactly: $0) }.flatMap { Epoch($0) }
    }
}

/// A reason for rejecting a prediction file (`Specs/matching.md`).
public enum PredictionFileError: Refusal, Hashable {
    case noHeader, unknownVersion, badHeader
    case tooManyEpochs, badContacts, tooManyRows
    case surplus, badRow, outsideEpochs, notAscending, unknownContact
    case truncated

    public var stage: String {
        switch self {
        case .noHeader, .unknownVersion, .badHeader, .tooManyEpochs, .badContacts, .tooManyRows: "header"
        case .surplus, .badRow, .outsideEpochs, .notAscending, .unknownContact: "row"
        case .truncated: "end"
        }
    }

    public var reason: String {
        switch self {
        case .noHeader: "missing"
        case .unknownVersion: "unknown-version"
        case .badHeader: "malformed"
        case .tooManyEpochs: "bad-epochs"
        case .badContacts: "bad-contacts"
        case .tooManyRows: "too-many-rows"
        case .surplus: "surplus"
        case .badRow: "malformed"
        case .outsideEpochs: "outside-epochs"
        case .notAscending: "not-ascending"
        case .unknownContact: "unknown-contact"
        case .truncated: "truncated"
        }
    }

    /// The fault as a clause for the user.
    public var description: String {
        switch self {
        case .noHeader: "this is not a file of predictions"
        case .unknownVersion: "the version of the file is not known"
        case .badHeader: "a member of the first line or a field of the head is missing, unexpected or of the wrong form"
        case .tooManyEpochs: "the file does not cover a range of 1 to \(PredictionFile.epochLimit) epochs"
        case .badContacts: "the labels of the contacts are too many, too long, empty or repeated"
        case .tooManyRows: "more than \(PredictionFile.rowLimit) predictions are announced"
        case .surplus: "there are more predictions than announced"
        case .badRow: "this is not a prediction"
        case .outsideEpochs: "the epoch is outside the range of the file"
        case .notAscending: "the epochs do not ascend"
        case .unknownContact: "the number of the contact is unknown"
        case .truncated: "there are fewer predictions than announced"
        }
    }
}
