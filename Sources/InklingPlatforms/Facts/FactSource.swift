/// The place in a document that a statement about a platform comes from.
public struct FactSource: Hashable, Sendable {
    /// A document, by the title that its authors gave it.
    public enum Document: String, Hashable, Sendable, CaseIterable {
        /// An overview of Bluetooth in the background of iOS.
        case deepDive = "iOS BLE Deep Dive"
        /// An account of reconnecting after an app was removed.
        case reconnection = "How to Handle BLE Reconnection After iOS Background Termination"
        /// An account of why apps of wearables fail in the background.
        case wearables = "Why Most Biometric Wearable Apps Fail at Background BLE on iOS"
        /// Apple's page on relaunches, iOS 10 to 14.
        case qa1962 = "QA1962"
        /// Apple's note on relaunches, iOS 15 and later.
        case tn3115 = "TN3115"
        /// The public documentation of the platform's maker.
        case platform = "platform documentation"
        /// Public code of others.
        case publicCode = "public code"
        /// A check of this repository, which the place names.
        case measured = "measured"
    }

    /// The document.
    public let document: Document
    /// The section, the row or the call in it.
    public let place: String

    /// Creates a source.
    public init(_ document: Document, _ place: String) {
        self.document = document
        self.place = place
    }
}

/// How far a statement about a platform can be relied on; the more reliable is the greater.
public enum Confidence: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Sources are silent, or the value was computed from what they say.
    case assumed
    /// Sources contradict each other, and the pessimistic value is taken.
    case disputed
    /// Reported by developers.
    case reported
    /// Documented by the platform's maker.
    case documented
    /// Measured by a check of this repository.
    case measured

    public static func < (left: Self, right: Self) -> Bool {
        let order = allCases
        return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
    }
}
