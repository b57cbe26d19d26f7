internal import InklingKeys

/// The delays that the user has chosen for one contact (`Specs/recognition.md`); nil means the node's option.
///
/// All are whole seconds of real time; a value outside its range is clamped.
public struct ContactDelays: Hashable, Sendable {
    /// The range of `arrive` in seconds.
    public static let arrivals: ClosedRange<UInt32> = 0...86_400
    /// The range of `leave` and `goodbye` in seconds.
    public static let departures: ClosedRange<UInt32> = 30...86_400

    /// The time for which the contact must be present before its arrival is reported.
    public var arrive: Duration? { didSet { arrive = arrive.map { Self.bounded($0, to: Self.arrivals) } } }
    /// The time from the last evidence to the departure; also from a goodbye unless `goodbye` is set.
    public var leave: Duration? { didSet { leave = leave.map { Self.bounded($0, to: Self.departures) } } }
    /// The time from a goodbye to the departure, unless `leave` ends earlier.
    public var goodbye: Duration? { didSet { goodbye = goodbye.map { Self.bounded($0, to: Self.departures) } } }

    /// Creates delays, each clamped to its range.
    public init(arrive: Duration? = nil, leave: Duration? = nil, goodbye: Duration? = nil) {
        self.arrive = arrive.map { Self.bounded($0, to: Self.arrivals) }
        self.leave = leave.map { Self.bounded($0, to: Self.departures) }
        self.goodbye = goodbye.map { Self.bounded($0, to: Self.departures) }
    }

    /// Whether the contact has no delay of its own.
    public var isDefault: Bool { self == ContactDelays() }

    private static func bounded(_ duration: Duration, to range: ClosedRange<UInt32>) -> Duration {
        let seconds = UInt32(clamping: duration.wholeMilliseconds / 1000)
        return .seconds(min(max(seconds, range.lowerBound), range.upperBound))
    }
}

// The members are seconds, named as on the control socket.
extension ContactDelays: Codable {
    private enum CodingKeys: String, CodingKey { case arrive, leave, goodbye }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func delay(_ key: CodingKeys) throws -> Duration? {
            try members.decodeIfPresent(UInt32.self, forKey: key).map { .seconds($0) }
        }
        self.init(arrive: try delay(.arrive), leave: try delay(.leave), goodbye: try delay(.goodbye))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        func seconds(_ delay: Duration?) -> UInt32? { delay.map { UInt32(clamping: $0.wholeMilliseconds / 1000) } }
        try members.encodeIfPresent(seconds(arrive), forKey: .arrive)
        try members.encodeIfPresent(seconds(leave), forKey: .leave)
        try members.encodeIfPresent(seconds(goodbye), forKey: .goodbye)
    }
}
