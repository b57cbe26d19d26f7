/// The source of a statement about a platform: a document and a place in it.
public struct FactSource: Hashable, Sendable {
    /// A document, by the title that its authors gave it.
    public enum Document: String, Hashable, Sendable, CaseIterable {
        /// An overview of Bluetooth for iOS apps in the background.
        case deepDive = "iOS BLE Deep Dive"
        /// An article about reconnecting after an app was terminated.
        case reconnection = "How to Handle BLE Reconnection After iOS Background Termination"
        /// An article about why apps for wearables fail in the background.
        case wearables = "Why Most Biometric Wearable Apps Fail at Background BLE on iOS"
        /// Apple's page on relaunches, iOS 10 to 14.
        case qa1962 = "QA1962"
        /// Apple's note on relaunches, iOS 15 and later.
        case tn3115 = "TN3115"
        /// The public documentation of the platform's maker.
        case platform = "platform documentation"
        /// Published source code of other projects.
        case publicCode = "public code"
        /// A check in this repository, which `place` names.
        case measured = "measured"
    }

    /// The document that contains the statement.
    public let document: Document
    /// The section, table row or function in the document.
    public let place: String

    /// Creates a source.
    public init(_ document: Document, _ place: String) {
        self.document = document
        self.place = place
    }
}

/// The reliability of a statement about a platform; the more reliable value is the greater one.
public enum Confidence: String, Hashable, Sendable, CaseIterable, Comparable {
    /// No source states it, or it was computed from what sources state.
    case assumed
    /// Sources contradict each other, and the pessimistic value is used.
    case disputed
    /// Developers report it.
    case reported
    /// The platform's maker documents it.
    case documented
    /// A check in this repository measured it.
    case measured

    public static func < (left: Self, right: Self) -> Bool {
        let order = allCases
        return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
    }
}
