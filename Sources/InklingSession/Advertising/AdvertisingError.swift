public import InklingKeys

/// Why advertising data was refused. Offsets count bytes from the start of the data.
///
/// `stage` and `reason` are the codes of `Specs/advertising.md`.
public enum AdvertisingError: Refusal, Hashable {
    /// More than `ADStructure.dataLimit` bytes.
    case tooLong(count: Int)
    /// The structure at `offset` reaches past the end.
    case truncated(offset: Int)
    /// After a length of zero, the byte at `offset` is not zero.
    case nonzeroPadding(offset: Int)
    /// No structure is an iBeacon frame: the normal case for what strangers send.
    case notIBeacon
    /// A second iBeacon frame stands at `offset`.
    case repeatedIBeacon(offset: Int)
    /// The iBeacon frame at `offset` ends before its 21 bytes.
    case truncatedIBeacon(offset: Int)
    /// The iBeacon frame at `offset` gives its length as `got` instead of 21.
    case iBeaconLength(offset: Int, got: UInt8)
    /// The iBeacon frame at `offset` goes on after its 21 bytes.
    case trailingBytes(offset: Int)
    /// The list of service UUIDs at `offset` holds `count` bytes, which is no whole number of UUIDs.
    case serviceListLength(offset: Int, count: Int)
    /// The overflow area at `offset` holds `count` bytes instead of 19.
    case overflowLength(offset: Int, count: Int)
    /// Every bit of the overflow area at `offset` is set, so it says nothing.
    case saturatedOverflow(offset: Int)
    /// A list to be encoded needs `count` bytes, more than a structure holds.
    case listTooLong(count: Int)

    /// The part of the format that refused.
    public var stage: String {
        switch self {
        case .tooLong, .truncated, .nonzeroPadding: "structures"
        case .notIBeacon, .repeatedIBeacon, .truncatedIBeacon, .iBeaconLength, .trailingBytes: "ibeacon"
        case .serviceListLength: "service-uuids"
        case .overflowLength, .saturatedOverflow: "overflow"
        case .listTooLong: "arguments"
        }
    }

    /// What was wrong there.
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
