/// An error for input that must be refused, with the codes that the specifications and the vectors use.
///
/// The stage names the first check that failed, and the reason says how it failed. Both are codes from the tables in
/// `Specs/`. They are meant for local logs and for tests, and are never sent to a peer.
public protocol Refusal: Error, Sendable, CustomStringConvertible {
    /// The check that failed, for example `signature`.
    var stage: String { get }
    /// The way in which it failed, for example `invalid`.
    var reason: String { get }
}

extension Refusal {
    /// The stage and the reason as words: `length: too short`.
    public var description: String { "\(words(stage)): \(words(reason))" }

    private func words(_ code: String) -> String { String(code.map { $0 == "-" ? " " : $0 }) }
}
