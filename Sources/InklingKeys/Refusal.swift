/// Input that must be refused, named as the specifications and the vectors name it.
///
/// The stage says which check failed first and the reason says how. Both are codes from the tables in `Specs/`; they
/// are for logs of the local user and for tests, and never reach a peer.
public protocol Refusal: Error, Sendable, CustomStringConvertible {
    /// The check that failed, for example `signature`.
    var stage: String { get }
    /// How it failed, for example `invalid`.
    var reason: String { get }
}

extension Refusal {
    /// The stage and the reason as words: `length: too short`.
    public var description: String { "\(words(stage)): \(words(reason))" }

    private func words(_ code: String) -> String { String(code.map { $0 == "-" ? " " : $0 }) }
}
