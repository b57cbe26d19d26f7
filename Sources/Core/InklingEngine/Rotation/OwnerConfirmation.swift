public import InklingKeys

/// The rule for what a tag device may show, by its owner's last confirmation (`Specs/responsible-beacons.md`).
///
/// It counts epochs of accepted time, not durations, so that a tag device, like every device, appears and vanishes only
/// at boundaries. However the clock is set, one confirmation permits no more than the epochs that follow it.
public struct OwnerConfirmation: Hashable, Sendable {
    /// The nearness of a tag device's owner in an epoch, as far as the device knows.
    public enum State: String, Hashable, Sendable, CaseIterable, Codable {
        /// A device of the owner has confirmed the device in this epoch or in the one before.
        case nearOwner = "near-owner"
        /// The last confirmation is older, and the limit is not reached.
        case separated
        /// There is no confirmation, the limit is reached, or the confirmation lies in the future.
        case unconfirmed
    }

    /// The longest time after a confirmation in which a beacon is shown.
    public static let nearOwnerLimit: Duration = .seconds(UInt64(nearEpochs) * Epoch.seconds)
    /// The longest time after a confirmation in which anything is shown: 24 hours.
    public static let limit: Duration = .seconds(UInt64(shownEpochs) * Epoch.seconds)
    private static let nearEpochs: UInt32 = 2, shownEpochs: UInt32 = 96

    /// The epoch of the last confirmation; nil if there was none.
    public private(set) var latest: Epoch?

    /// Creates a state from the stored epoch of the last confirmation; nil if there was none.
    public init(latest: Epoch? = nil) { self.latest = latest }

    /// Records a confirmation in this epoch of accepted time.
    public mutating func confirm(in epoch: Epoch) { latest = epoch }

    /// Returns the state in an epoch.
    public func state(in epoch: Epoch) -> State {
        // A confirmation in the future was recorded under another setting of the clock.
        guard let latest, latest <= epoch else { return .unconfirmed }
        return switch epoch.number - latest.number {
        case 0..<Self.nearEpochs: .nearOwner
        case Self.nearEpochs..<Self.shownEpochs: .separated
        default: .unconfirmed
        }
    }

    /// Whether a tag device may show itself in an epoch: by radio only near its owner, on a network until the limit.
    public func permits(_ technology: AttemptTechnology, in epoch: Epoch) -> Bool {
        switch state(in: epoch) {
        case .nearOwner: true
        case .separated: technology == .network
        case .unconfirmed: false
        }
    }
}
