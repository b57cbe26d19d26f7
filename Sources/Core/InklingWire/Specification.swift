/// The specification of the protocol (`Specs`).
package enum Specification {
    /// The version that this package implements.
    package static let version = "1-draft"
}
