/// The identifiers under which the system keeps the state of an app's two managers (`Specs/lifecycle.md`).
///
/// Use literals. An identifier that is generated at run time is different in the next run, so that nothing is restored.
public struct RestorationIdentifiers: Hashable, Sendable {
    /// The reason identifiers are rejected.
    public enum Fault: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// An identifier is empty.
        case empty
        /// An identifier is longer than `limit`.
        case tooLong = "too-long"
        /// An identifier has the form of a UUID, so that it was probably generated at run time.
        case generated
        /// Both managers have the same identifier.
        case same

        /// The fault in words.
        public var description: String {
            switch self {
            case .empty: "a restoration identifier is empty"
            case .tooLong: "a restoration identifier is longer than \(RestorationIdentifiers.limit) bytes"
            case .generated: "a restoration identifier has the form of a UUID"
            case .same: "both managers have the same restoration identifier"
            }
        }
    }

    /// The greatest length of an identifier in bytes of UTF-8.
    public static let limit = 128

    /// The identifier of the central's manager.
    public let central: String
    /// The identifier of the peripheral's manager.
    public let peripheral: String

    /// Creates the identifiers of both managers.
    ///
    /// - Throws: `Fault`; `central` is checked first, then `peripheral`, then whether they are equal.
    public init(central: String, peripheral: String) throws(Fault) {
        for one in [central, peripheral] {
            guard !one.isEmpty else { throw .empty }
            guard one.utf8.count <= Self.limit else { throw .tooLong }
            guard !Self.hasFormOfUUID(one) else { throw .generated }
        }
        guard central != peripheral else { throw .same }
        self.central = central
        self.peripheral = peripheral
    }

    /// Whether a text consists of groups of 8, 4, 4, 4 and 12 hexadecimal digits with hyphens between them.
    private static func hasFormOfUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}
