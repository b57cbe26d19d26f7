public import InklingEngine
public import InklingKeys

/// The binary form of a prediction file (`Specs/matching.md`): the same predictions in a quarter of the bytes.
///
/// Like the text form, it contains values and no keys.
public enum BinaryPredictions {
    /// The first eight bytes of a file.
    static let mark: StaticString = "inklpred"
    /// The version of the format.
    static let version: UInt8 = 1
    /// The byte that marks a file with values and no keys.
    static let valuesAlone: UInt8 = 0
    /// The sizes of the header and of a prediction, in bytes.
    static let headCount = 32, rowCount = 23

    /// Returns the header of a file, with the labels.
    public static func head(epochs: ClosedRange<Epoch>, contacts: [String], rows: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(text: mark)
        bytes += [version, valuesAlone]
        bytes.append(bigEndian: UInt16(clamping: contacts.count))
        bytes.append(bigEndian: epochs.lowerBound.number)
        bytes.append(bigEndian: epochs.upperBound.number)
        bytes.append(bigEndian: epochs.upperBound.end)
        bytes.append(bigEndian: UInt32(clamping: rows))
        for label in contacts {
            bytes.append(UInt8(clamping: label.utf8.count))
            bytes += label.utf8
        }
        return bytes
    }

    /// Appends a prediction to a file that begins with the epoch `first`.
    public static func append(_ entry: Forecast.Entry, first: Epoch, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt16(clamping: entry.prediction.epoch.number - first.number))
        bytes.append(bigEndian: UInt16(clamping: entry.prediction.contact.rawValue))
        bytes.append(entry.prediction.device.number)
        bytes.append(bigEndian: entry.minor.value)
        bytes.append(bigEndian: entry.name.octets.high)
        bytes.append(bigEndian: entry.name.octets.low)
    }

    /// Returns whether a file with these first bytes has this form, whatever its version.
    public static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        mark.withUTF8Buffer { unsafe bytes.starts(with: $0) }
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// Parses the binary form of a file of predictions, piece by piece.
public struct BinaryPredictionReader {
    private struct Head {
        let from: Epoch, to: Epoch
        let contacts: Int, rows: Int
    }

    /// The labels of the contacts; the contact of a prediction is an index into this list.
    public private(set) var contacts: [String] = []
    /// The predictions read so far, in the order of their epochs.
    public private(set) var entries: [Forecast.Entry] = []
    private var head: Head?
    // The bytes read of an incomplete part.
    private var pending: [UInt8] = []

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// The epochs of the file; `nil` before its header is read.
    public var epochs: ClosedRange<Epoch>? { head.map { $0.from...$0.to } }

    /// Parses the next bytes of the file.
    ///
    /// - Throws: `PredictionFileError`; if several apply, the one that comes first in the table in `Specs/matching.md`.
    public mutating func read(_ bytes: Span<UInt8>) throws(PredictionFileError) {
        var input: [UInt8] = []
        swap(&input, &pending)
        input.reserveCapacity(input.count + bytes.count)
        for index in bytes.indices { input.append(bytes[index]) }
        var reader = ByteReader()
        while try part(&reader, of: input.span) {}
        input.removeFirst(reader.offset)
        pending = input
    }

    /// Checks at the end of the file that it is complete.
    ///
    /// - Throws: `PredictionFileError.truncated` if bytes are missing, `.noHeader` if the file
    ///   does not have this form.
    public func finish() throws(PredictionFileError) {
        guard let head else { throw BinaryPredictions.begins(pending) ? .truncated : .noHeader }
        guard contacts.count == head.contacts, entries.count == head.rows else { throw .truncated }
    }

    /// Reads one part: the header, a label or a prediction. Returns false if it is not complete, and at the end.
    private mutating func part(
        _ reader: inout ByteReader, of input: Span<UInt8>
    ) throws(PredictionFileError) -> Bool {
        guard let head else {
            guard let range = reader.skip(BinaryPredictions.headCount, of: input) else { return false }
            self.head = try Self.head(input.extracting(range))
            return true
        }
        if contacts.count < head.contacts { return try label(&reader, of: input, head) }
        guard entries.count < head.rows else {
            guard reader.remaining(of: input) == 0 else { throw .surplus }
            return false
        }
        guard let range = reader.skip(BinaryPredictions.rowCount, of: input) else { return false }
        entries.append(try Self.row(input.extracting(range), head, after: entries.last))
        return true
    }

    private static func head(_ bytes: Span<UInt8>) throws(PredictionFileError) -> Head {
        var reader = ByteReader(at: 8)
        guard BinaryPredictions.begins((0..<8).map { bytes[$0] }) else { throw .noHeader }
        guard reader.u8(of: bytes) == BinaryPredictions.version else { throw .unknownVersion }
        guard reader.u8(of: bytes) == BinaryPredictions.valuesAlone, let contacts = reader.u16(of: bytes),
            let from = reader.u32(of: bytes).flatMap({ Epoch($0) }),
            let to = reader.u32(of: bytes).flatMap({ Epoch($0) }),
            let expiry = reader.u64(of: bytes), expiry == to.end, let rows = reader.u32(of: bytes)
        else { throw .badHeader }
        guard from <= to, to.number - from.number < PredictionFile.epochLimit else { throw .tooManyEpochs }
        guard contacts <= PredictionFile.contactLimit else { throw .badContacts }
        guard rows <= PredictionFile.rowLimit else { throw .tooManyRows }
        return Head(from: from, to: to, contacts: Int(contacts), rows: Int(rows))
    }

    private mutating func label(
        _ reader: inout ByteReader, of input: Span<UInt8>, _ head: Head
    ) throws(PredictionFileError) -> Bool {
        var next = reader
        guard let count = next.u8(of: input) else { return false }
        guard (1...PredictionFile.labelLimit).contains(Int(count)) else { throw .badContacts }
        guard let range = next.skip(Int(count), of: input) else { return false }
        guard let label = String(validating: range.map { input[$0] }, as: UTF8.self) else { throw .badContacts }
        contacts.append(label)
        if contacts.count == head.contacts {
            guard PredictionFile.areLabels(contacts) else { throw .badContacts }
        }
        reader = next
        return true
    }

    private static func row(
        _ bytes: Span<UInt8>, _ head: Head, after last: Forecast.Entry?
    ) throws(PredictionFileError) -> Forecast.Entry {
        var reader = ByteReader()
        guard let step = reader.u16(of: bytes), let contact = reader.u16(of: bytes),
            let device = reader.u8(of: bytes).flatMap({ DeviceIndex($0) }), let minor = reader.u16(of: bytes),
            let name = reader.octets16(of: bytes)
        else { throw .badRow }
        guard let epoch = Epoch(head.from.number + UInt32(step)), epoch <= head.to else { throw .outsideEpochs }
        if let last, last.prediction.epoch > epoch { throw .notAscending }
        guard Int(contact) < head.contacts else { throw .unknownContact }
        let prediction = Prediction(
            contact: ContactID(rawValue: UInt32(contact)), device: device, audience: .granted(0), epoch: epoch)
        return Forecast.Entry(prediction: prediction, name: OpaqueServiceName(name), minor: BeaconMinor(minor))
    }
}
