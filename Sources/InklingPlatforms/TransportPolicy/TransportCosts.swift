/// What a transport costs (`Specs/transport-policy.md`, transports).
public struct TransportCosts: Hashable, Sendable {
    /// The time from the decision to the first byte, when the peer is found and connected.
    public let setUp: Duration
    /// Bytes per second; nil for a transport that carries no stream of data.
    public let rate: UInt64?
    /// Power while it is in use, in milliwatts.
    public let milliwatts: UInt64
    /// How much others learn, in points: 0 for what needs two people, 4 for what every receiver sees.
    public let exposure: UInt64
    /// The source of the figures.
    public let source: FactSource
    /// How far the figures can be relied on.
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
    /// The number of times in 1,000 that a scan reports: of an app in the foreground or not on iOS, and of others.
    static let scanChance: UInt64 = 950, scanChanceAway: UInt64 = 100
    /// The most bytes that a code or a tap carries.
    static let largestExchange: UInt64 = 512
    /// The weight of a point of exposure, in milliseconds.
    static let exposureWeight: UInt64 = 1000
    /// The weight of a millijoule, in milliseconds: usually, and in low power mode.
    static let energyWeight: UInt64 = 1, energyWeightInLowPower: UInt64 = 4
    /// Milliseconds after the first failure in which a transport is not tried again, and the most after several.
    static let backOff: UInt64 = 5000, longestBackOff: UInt64 = 300_000
}

extension TransportOption {
    /// What it costs before anything was observed.
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

/// A moving average of observations, in which the latest count most.
public struct ObservedAverage: Hashable, Sendable {
    /// The average, in the unit of the observations; nil before the first one.
    public private(set) var value: UInt64?

    /// Creates an average without observations.
    public init() {}

    /// Moves the average by an eighth of the difference; the first observation is the average.
    public mutating func observe(_ observation: UInt64) {
        let observation = min(observation, Cost.limit)
        guard let value else {
            value = observation
            return
        }
        self.value = observation > value ? value + (observation - value) / 8 : value - (value - observation) / 8
    }

    /// The average, or the constant without one, but at least a quarter and at most four times the constant.
    func value(around constant: UInt64) -> UInt64 {
        guard let value else { return constant }
        return min(max(value, Cost.quotient(constant, 4)), Cost.product(constant, 4))
    }
}

/// Whole numbers that stop at 2^53 − 1, so that every implementation gets the same.
enum Cost {
    static let limit: UInt64 = 1 << 53 - 1

    static func sum(_ terms: UInt64...) -> UInt64 {
        terms.reduce(0) { sum, term in min(sum.addingReportingOverflow(term).overflow ? limit : sum + term, limit) }
    }

    static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? limit : min(product, limit)
    }

    /// A quotient, rounded up.
    static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> UInt64 {
        dividend / divisor + (dividend % divisor == 0 ? 0 : 1)
    }
}
