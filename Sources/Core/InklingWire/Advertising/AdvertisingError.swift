public import InklingKeys

/// The reason advertising data is refused. Offsets are in bytes from the start of the data.
///
/// `stage` and `reason` are the codes of `Specs/advertising.md`.
public enum AdvertisingError: Refusal, Hashable {
    /// The data is longer than `ADStructure.dataLimit` bytes.
    case tooLong(count: Int)
    /// The structure at `offset` extends past the end of the data.
    case truncated(offset: Int)
    /// The byte at `offset`, after a length of zero, is not zero.
    case nonzeroPadding(offset: Int)
    /// No structure is an iBeacon frame, which is the normal case for data of strangers.
    case notIBeacon
    /// There is a second iBeacon frame at `offset`.
    case repeatedIBeacon(offset: Int)
    /// The iBeacon frame at `offset` is shorter than its 21 bytes.
    case truncatedIBeacon(offset: Int)
    /// The length field of the iBeacon frame at `offset` is `got` instead of 21.
    case iBeaconLength(offset: Int, got: UInt8)
    /// The iBeacon frame at `offset` is longer than its 21 bytes.
    case trailingBytes(offset: Int)
    /// The list of service UUIDs at `offset` has `count` bytes, which is not a whole number of UUIDs.
    case serviceListLength(offset: Int, count: Int)
    /// The overflow area at `offset` has `count` bytes instead of 19.
    case overflowLength(offset: Int, count: Int)
    /// Every bit of the overflow area at `offset` is set, so it carries no information.
    case saturatedOverflow(offset: Int)
    /// A list to encode needs `count` bytes, more than a structure can contain.
    case listTooLong(count: Int)

    /// The part of the format in which the error is.
    public var stage: String {
        switch self {
        case .tooLong, .truncated, .nonzeroPadding: "structures"
        case .notIBeacon, .repeatedIBeacon, .truncatedIBeacon, .iBeaconLength, .trailingBytes: "ibeacon"
        case .serviceListLength: "service-uuids"
        case .overflowLength, .saturatedOverflow: "overflow"
        case .listTooLong: "arguments"
        }
    }

    /// The kind of error.
    public var reason: String {
        switch self {
        case .tooLong, .listTooLong: "too-long"
        case .truncated, .truncatedIBeacon: "truncated"
        case .nonzeroPadding: "nonzero-padding"
        case .notIBeacon: "not-ibeacon"
        case .repeatedIBeacon: "repeated"
        case .iBeaconLength, .serviceListLength, .overflowLength: "bad-length"
        case .trailingBytes: "trailing-bytes"
        case .saturatedOverflow: "saturated"
        }
    }
}
