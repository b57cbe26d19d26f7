public import InklingKeys

/// Two values of different contacts that are the same minor while both count: whoever shows it may be either.
public struct MinorCollision: Hashable, Sendable {
    /// The minor.
    public let minor: BeaconMinor
    /// The two predictions, the earlier epoch first, then by contact.
    public let first: Prediction, second: Prediction

    /// When both count, in Unix seconds: the upper end is the first second at which one of them does not.
    public func interval(skew: SkewAllowance) -> Range<UInt64> {
        let start = second.epoch.start > skew.seconds ? second.epoch.start - skew.seconds : 0
        return start..<first.epoch.end + skew.seconds
    }
}

/// Finds what collides among the minors of one's own contacts, epoch after epoch; remembers one epoch.
public struct CollisionSearch: Sendable {
    private let skew: SkewAllowance
    private var before: (epoch: Epoch, predictions: [BeaconMinor: [Prediction]])?

    /// A search; with a skew allowance of zero only values of the same epoch meet.
    public init(skew: SkewAllowance = .standard) { self.skew = skew }

    /// Takes the entries of one epoch and answers what collides among them, and with those of the epoch before when
    /// that was the last to be taken. Ordered by minor.
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
