/// The costs of a transport (`Specs/transport-policy.md`, transports).
public struct TransportCosts: Hashable, Sendable {
    /// The set-up time, from the decision to the first byte, without the time to find the peer and to connect.
    public let setUp: Duration
    /// The data rate in bytes per second; nil for a transport that carries no data stream.
    public let rate: UInt64?
    /// The power while the transport is in use, in milliwatts.
    public let milliwatts: UInt64
    /// The knowledge that an observer gains, in points from 0 (it takes two people at one place) to 4 (every receiver
    /// sees it).
    public let exposure: UInt64
    /// The source of the figures.
    public let source: FactSource
    /// The reliability of the figures.
    public let confidence: Confidence

    init(
        _ setUp: UInt64, _ rate: UInt64?, _ milliwatts: UInt64, _ exposure: UInt64, _ source: FactSource,
        _ confidence: Confidence = .assumed
    ) {
        self.setUp = .milliseconds(setUp)
        self.rate = rate
        self.milliwatts = milliwatts
        self.exposure = exposure
        self.source = source
        self.confidence = confidence
    }

    /// The time to find a service on a network, in milliseconds.
    static let findOnNetwork: UInt64 = 2000
    /// The number of times in 1,000 that the system reports the entry into a region.
    static let regionChance: UInt64 = 900
    /// The number of times in 1,000 that a scan reports the peer: for an app that is in the foreground or not on iOS,
    /// and for an iOS app outside the foreground.
    static let scanChance: UInt64 = 950, scanChanceAway: UInt64 = 100
    /// The most bytes that a code or a tap carries.
    static let largestExchange: UInt64 = 512
    /// The weight of a point of exposure, in milliseconds.
    static let exposureWeight: UInt64 = 1000
    /// The weight of a millijoule, in milliseconds: normally, and in low power mode.
    static let energyWeight: UInt64 = 1, energyWeightInLowPower: UInt64 = 4
    /// The back-off of a transport after its first failure, and its maximum after several, in milliseconds.
    static let backOff: UInt64 = 5000, longestBackOff: UInt64 = 300_000
}

extension TransportOption {
    /// The costs assumed before any are observed.
    public var costs: TransportCosts {
        switch self {
        case .beacon: TransportCosts(0, nil, 1, 1, FactSource(.deepDive, "10 low battery"))
        case .ble: TransportCosts(0, nil, 20, 1, FactSource(.deepDive, "8 comparison, power"))
        case .gatt: TransportCosts(500, 12_500, 30, 2, FactSource(.deepDive, "7 tradeoff table, a tenth of 1 Mbps"))
        case .network: TransportCosts(300, 1_000_000, 300, 2, FactSource(.deepDive, "7 tradeoff table, Wi-Fi speeds"))
        case .awdl: TransportCosts(2000, 5_000_000, 600, 3, FactSource(.deepDive, "7 tradeoff table, Wi-Fi speeds"))
        case .awareBulk: TransportCosts(3000, 8_000_000, 500, 2, FactSource(.deepDive, "updates Wi-Fi Aware, bulk"))
        case .awareRealTime:
            TransportCosts(1500, 4_000_000, 900, 2, FactSource(.deepDive, "updates Wi-Fi Aware, real time"))
        case .wifiDirect: TransportCosts(5000, 8_000_000, 800, 4, FactSource(.deepDive, "10 bulk sync"))
        case .exchange: TransportCosts(5000, nil, 0, 0, FactSource(.deepDive, "10 initial contact exchange"))
        case .multipeer: TransportCosts(0, nil, 0, 0, FactSource(.deepDive, "7"))
        case .relay: TransportCosts(0, nil, 0, 0, FactSource(.deepDive, "6"))
        }
    }
}

/// An exponential moving average.
public struct ObservedAverage: Hashable, Sendable {
    /// The average, in the unit of the observations; nil before the first one.
    public private(set) var value: UInt64?

    /// Creates an average without observations.
    public init() {}

    /// Moves the average by an eighth of its difference from an observation; the first observation sets it.
    public mutating func observe(_ observation: UInt64) {
        let observation = min(observation, Cost.limit)
        guard let value else {
            value = observation
            return
        }
        self.value = observation > value ? value + (observation - value) / 8 : value - (value - observation) / 8
    }

    /// Returns the average, clamped to between a quarter of the constant and four times it; the constant without an
    /// average.
    func value(around constant: UInt64) -> UInt64 {
        guard let value else { return constant }
        return min(max(value, Cost.quotient(constant, 4)), Cost.product(constant, 4))
    }
}

/// Arithmetic that saturates at 2^53 − 1, the greatest integer that every JSON reader holds exactly.
enum Cost {
    static let limit: UInt64 = 1 << 53 - 1

    static func sum(_ terms: UInt64...) -> UInt64 {
        terms.reduce(0) { sum, term in min(sum.addingReportingOverflow(term).overflow ? limit : sum + term, limit) }
    }

    static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? limit : min(product, limit)
    }

    /// Returns the quotient, rounded up.
    static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> UInt64 {
        dividend / divisor + (dividend % divisor == 0 ? 0 : 1)
    }
}
