public import InklingKeys

/// Two predictions of different contacts with the same minor and overlapping windows, so that a sighting may be of
/// either.
public struct MinorCollision: Hashable, Sendable {
    /// The common minor.
    public let minor: BeaconMinor
    /// The two predictions; the one of the earlier epoch is first.
    public let first: Prediction, second: Prediction

    /// The time during which both windows are open, in Unix seconds.
    public func interval(skew: SkewAllowance) -> Range<UInt64> {
        let start = second.epoch.start > skew.seconds ? second.epoch.start - skew.seconds : 0
        return start..<first.epoch.end + skew.seconds
    }
}

/// A search for collisions among the minors of contacts, epoch by epoch; it keeps the values of one epoch only.
public struct CollisionSearch: Sendable {
    private let skew: SkewAllowance
    private var before: (epoch: Epoch, predictions: [BeaconMinor: [Prediction]])?

    /// Creates a search; with a skew allowance of zero, only values of the same epoch can collide.
    public init(skew: SkewAllowance = .standard) { self.skew = skew }

    /// Adds the entries of one epoch. Returns the collisions among them, and with the entries of the previous call if
    /// those belong to the epoch before, ordered by minor.
    public mutating func take(_ entries: [Forecast.Entry], of epoch: Epoch) -> [MinorCollision] {
        var found: [MinorCollision] = []
        var predictions: [BeaconMinor: [Prediction]] = [:]
        let earlier = skew.seconds > 0 && before?.epoch == epoch.previous ? before?.predictions ?? [:] : [:]
        for entry in entries {
            let others = earlier[entry.minor, default: []] + predictions[entry.minor, default: []]
            for other in others where other.contact != entry.prediction.contact {
                found.append(MinorCollision(minor: entry.minor, first: other, second: entry.prediction))
            }
            predictions[entry.minor, default: []].append(entry.prediction)
        }
        before = (epoch, predictions)
        return found.sorted { left, right in
            (left.minor.value, left.first.epoch, left.first.contact, left.second.contact)
                < (right.minor.value, right.first.epoch, right.first.contact, right.second.contact)
        }
    }
}
