/// The identifiers under which the system keeps the state of an app's two managers (`Specs/lifecycle.md`).
///
/// Use literals: an identifier that is made at run time differs in the next run, and nothing is restored.
public struct RestorationIdentifiers: Hashable, Sendable {
    /// The reason why identifiers are rejected.
    public enum Fault: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// A text is empty.
        case empty
        /// More than 128 bytes of UTF-8.
        case tooLong = "too-long"
        /// It has the form of a UUID.
        case generated
        /// Both managers have the same.
        case same

        /// What is wrong, in words.
        public var description: String {
            switch self {
            case .empty: "a restoration identifier is empty"
            case .tooLong: "a restoration identifier is longer than \(RestorationIdentifiers.limit) bytes"
            case .generated: "a restoration identifier has the form of a UUID"
            case .same: "both managers have the same restoration identifier"
            }
        }
    }

    /// The most bytes of UTF-8 in an identifier.
    public static let limit = 128

    /// The identifier of the central's manager.
    public let central: String
    /// The identifier of the peripheral's manager.
    public let peripheral: String

    /// Creates the identifiers of both managers.
    ///
    /// - Throws: `Fault`, the first that applies to the central's, then to the peripheral's, then to both.
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

    /// Groups of 8, 4, 4, 4 and 12 hexadecimal digits.
    private static func hasFormOfUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}
