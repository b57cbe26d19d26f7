/// A step of 15 minutes of Unix time, for which an identifier is valid (`Specs/keys.md`).
public struct Epoch: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The length of an epoch in seconds.
    public static let seconds: UInt64 = 900
    /// The first number after those of the epochs: there are four in each of the 2^20 periods of the tree, up to August
    /// 2089.
    public static let limit: UInt32 = Period.limit * 4

    /// `floor(unix seconds / 900)`, below `limit`.
    public let number: UInt32

    /// Creates the epoch with this number; returns nil at or above `limit`.
    public init?(_ number: UInt32) {
        guard number < Self.limit else { return nil }
        self.number = number
    }

    /// Creates the epoch that contains a time; returns nil after the last period of the tree.
    ///
    /// - Parameter unixSeconds: seconds since 1970-01-01T00:00:00Z.
    public init?(containing unixSeconds: UInt64) {
        guard let number = UInt32(exactly: unixSeconds / Self.seconds) else { return nil }
        self.init(number)
    }

    /// Creates the epoch whose number a text of decimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let value: UInt32 = InklingKeys.number(ofDecimal: text) else { return nil }
        self.init(value)
    }

    fileprivate init(unchecked number: UInt32) { self.number = number }

    /// The period that contains this epoch.
    public var period: Period { Period(unchecked: number >> 2) }

    /// The Unix time in seconds at which this epoch begins.
    public var start: UInt64 { UInt64(number) * Self.seconds }

    /// The Unix time in seconds at which the next epoch begins.
    public var end: UInt64 { start + Self.seconds }

    /// The next epoch; nil at the end of the tree.
    public var next: Epoch? { Epoch(number + 1) }

    /// The previous epoch; nil for epoch 0.
    public var previous: Epoch? { number == 0 ? nil : Epoch(number - 1) }

    /// The number in decimal.
    public var description: String { String(number) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A step of 60 minutes of Unix time, with a leaf of each audience tree (`Specs/keys.md`).
public struct Period: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// The length of a period in seconds.
    public static let seconds: UInt64 = 3600
    /// The first number after those of the periods: an audience tree has 20 levels.
    public static let limit: UInt32 = 1 << 20

    /// `floor(unix seconds / 3600)`, below `limit`.
    public let number: UInt32

    /// Creates the period with this number; returns nil at or above `limit`.
    public init?(_ number: UInt32) {
        guard number < Self.limit else { return nil }
        self.number = number
    }

    /// Creates the period whose number a text of decimal digits names; nil for any other text.
    public init?(_ text: String) {
        guard let value: UInt32 = InklingKeys.number(ofDecimal: text) else { return nil }
        self.init(value)
    }

    fileprivate init(unchecked number: UInt32) { self.number = number }

    /// The last period of the tree.
    public static let last = Period(unchecked: limit - 1)

    /// The first of the four epochs of this period.
    public var firstEpoch: Epoch { Epoch(unchecked: number << 2) }

    /// The next period; nil at the end of the tree.
    public var next: Period? { Period(number + 1) }

    /// The previous period; nil for period 0.
    public var previous: Period? { number == 0 ? nil : Period(number - 1) }

    /// The number in decimal.
    public var description: String { String(number) }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension Epoch: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (raw: UInt32) in Epoch(raw) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(number) }
}

extension Period: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (raw: UInt32) in Period(raw) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(number) }
}
