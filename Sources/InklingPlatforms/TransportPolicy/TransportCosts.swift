/// What a transport costs (`Specs/transport-policy.md`, transports).
public struct TransportCosts: Hashable, Sendable {
    /// Milliseconds from the decision to the first byte, when the peer is found and connected.
    public let setUp: UInt64
    /// Bytes per second; nil for what carries no data of its own accord.
    public let rate: UInt64?
    /// Power while it is in use.
    public let milliwatts: UInt64
    /// How much others learn: 0 for what needs two people, 4 for what everybody sees.
    public let exposure: UInt64
    /// What the figures go by, and how far that goes.
    public let source: Source
    /// How far the figures can be relied on.
    public let confidence: Confidence

    init(
        _ setUp: UInt64, _ rate: UInt64?, _ milliwatts: UInt64, _ exposure: UInt64, _ source: Source,
        _ confidence: Confidence = .assumed
    ) {
        self.setUp = setUp
        self.rate = rate
        self.milliwatts = milliwatts
        self.exposure = exposure
        self.source = source
        self.confidence = confidence
    }

    /// To find a service on a network, in milliseconds.
    static let findOnNetwork: UInt64 = 2000
    /// How often in 1,000 cases a region is entered that should be.
    static let regionChance: UInt64 = 900
    /// How often in 1,000 cases a scan reports: by an app that is on the screen or may run always, and by others.
    static let scanChance: UInt64 = 950, scanChanceAway: UInt64 = 100
    /// The most bytes that a code or a tap carries.
    static let largestExchange: UInt64 = 512
    /// Milliseconds that a point of exposure weighs.
    static let exposureWeight: UInt64 = 1000
    /// Milliseconds that a millijoule weighs, and in low power mode.
    static let energyWeight: UInt64 = 1, energyWeightInLowPower: UInt64 = 4
    /// Milliseconds after the first failure in which a transport is not tried again; the most after many.
    static let backOff: UInt64 = 5000, longestBackOff: UInt64 = 300_000
}

extension Transport {
    /// What using it costs, before anything was observed.
    public var costs: TransportCosts {
        switch self {
        case .beacon: TransportCosts(0, nil, 1, 1, Source(.deepDive, "10 low battery"))
        case .ble: TransportCosts(0, nil, 20, 1, Source(.deepDive, "8 comparison, power"))
        case .gatt: TransportCosts(500, 12_500, 30, 2, Source(.deepDive, "7 tradeoff table, a tenth of 1 Mbps"))
        case .network: TransportCosts(300, 1_000_000, 300, 2, Source(.measured, "two nodes meet in 280 ms"))
        case .awdl: TransportCosts(2000, 5_000_000, 600, 3, Source(.deepDive, "7 tradeoff table, Wi-Fi speeds"))
        case .awareBulk: TransportCosts(3000, 8_000_000, 500, 2, Source(.deepDive, "updates Wi-Fi Aware, bulk"))
        case .awareRealTime:
            TransportCosts(1500, 4_000_000, 900, 2, Source(.deepDive, "updates Wi-Fi Aware, real time"))
        case .wifiDirect: TransportCosts(5000, 8_000_000, 800, 4, Source(.deepDive, "10 bulk sync"))
        case .exchange: TransportCosts(5000, nil, 0, 0, Source(.deepDive, "10 initial contact exchange"))
        case .multipeer: TransportCosts(0, nil, 0, 0, Source(.deepDive, "7"))
        case .relay: TransportCosts(0, nil, 0, 0, Source(.deepDive, "6"))
        }
    }
}

/// An average of what was observed, to which the last observations count most.
public struct ObservedAverage: Hashable, Sendable {
    /// Nil until something was observed.
    public private(set) var value: UInt64?

    /// An average of nothing yet.
    public init() {}

    /// Moves the average by an eighth of the difference.
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
